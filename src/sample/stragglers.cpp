#include "sample/stragglers.hpp"

#include <algorithm>
#include <cmath>

namespace darboux {

namespace {

constexpr double newest = 1.0 / 3.0;  // weight of a round
constexpr double allowance = 10.0;    // in log density, whatever the dimension
constexpr double many_deviations = 5.0;
constexpr int first_rounds = 3;  // in which nobody is judged: all are on their way

}  // namespace

Stragglers::Stragglers(Index chains, Index dim)
    : past_(at(chains)), late_(at(chains), 0), scale_(std::sqrt(0.5 * static_cast<double>(dim))) {}

void Stragglers::observe(std::span<const double> log_density) {
  for (std::size_t c = 0; c < past_.size(); ++c) {
    Past& past = past_[c];
    const double weight = past.rounds == 0 ? 1.0 : newest;
    const double change = past.rounds == 0 ? 0.0 : log_density[c] - past.mean;
    past.mean += past.rounds == 0 ? log_density[c] : weight * change;
    past.change += newest * (change * change - past.change);
    ++past.rounds;
  }
  std::vector<double> means;
  for (const Past& past : past_) means.push_back(past.mean);
  const auto middle = means.begin() + (std::ssize(means) - 1) / 2;
  std::nth_element(means.begin(), middle, means.end(), std::greater<>());
  const double lowest = *middle - allowance - many_deviations * std::max(scale_, spread());
  for (std::size_t c = 0; c < past_.size(); ++c)
    late_[c] = past_[c].rounds >= first_rounds && !(past_[c].mean >= lowest) ? 1 : 0;
}

/// What the median chain shows: one that climbs, or falls into a spike, does not count.
double Stragglers::spread() const {
  std::vector<double> changes;
  for (const Past& past : past_) changes.push_back(past.change);
  const auto middle = changes.begin() + (std::ssize(changes) - 1) / 2;
  std::nth_element(changes.begin(), middle, changes.end());
  return std::sqrt(*middle);
}

void Stragglers::forget(Index chain) {
  past_[at(chain)] = {};
  late_[at(chain)] = 0;
}

std::vector<Index> Stragglers::late() const {
  std::vector<Index> chains;
  for (Index c = 0; c < std::ssize(late_); ++c)
    if (is_late(c)) chains.push_back(c);
  return chains;
}

bool Stragglers::any() const { return std::ranges::find(late_, 1) != late_.end(); }

std::vector<Index> Stragglers::others(std::size_t at_most) const {
  std::vector<Index> chains;
  for (Index c = 0; c < std::ssize(late_) && chains.size() < at_most; ++c)
    if (!is_late(c)) chains.push_back(c);
  return chains;
}

double Stragglers::mean_of_arrived(std::span<const double> values) const {
  double sum = 0.0, count = 0.0;
  for (Index c = 0; c < std::ssize(values); ++c) {
    if (is_late(c)) continue;
    sum += values[at(c)];
    count += 1.0;
  }
  return sum / count;
}

}  // namespace darboux
