#include "model/importance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace darboux {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

double log_sum(std::span<const double> x) {
  const double largest = x.empty() ? -infinity : *std::max_element(x.begin(), x.end());
  if (largest == -infinity) return -infinity;
  double sum = 0.0;
  for (const double one : x) sum += std::exp(one - largest);
  return largest + std::log(sum);
}

double log_ratio(double log_p, double log_q) noexcept {
  const double out = log_p - log_q;
  return std::isfinite(out) ? out : -infinity;
}

double effective_size(std::span<const double> log_weights, double power) {
  const double largest = log_weights.empty() ? -infinity : *std::max_element(log_weights.begin(), log_weights.end());
  if (largest == -infinity) return 0.0;
  double sum = 0.0, squares = 0.0;
  for (const double x : log_weights) {
    if (x == -infinity) continue;
    const double weight = std::exp(power * (x - largest));
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum / squares;
}

EvidenceBound::EvidenceBound(std::span<const double> log_ratios)
    : value(-infinity), sd(infinity), standard_error(infinity) {
  double count = 0.0, mean = 0.0, squares = 0.0;
  for (const double x : log_ratios) {
    if (x == -infinity) continue;
    count += 1.0;
    const double deviation = x - mean;
    mean += deviation / count;
    squares += deviation * (x - mean);
  }
  if (count > 0.0) value = mean + std::log(count / static_cast<double>(log_ratios.size()));
  if (count > 1.0) sd = std::sqrt(squares / (count - 1.0));
  standard_error = sd / std::sqrt(std::max(count, 1.0));
}

double power_for_size(std::span<const double> log_weights, double wanted) {
  constexpr double least = 1e-9;
  for (double power = 1.0; power > least; power *= 0.5)
    if (effective_size(log_weights, power) >= wanted) return power;
  return 0.0;
}

std::vector<Index> systematic_counts(std::span<const double> shares, Index count, double offset) {
  std::vector<Index> out(shares.size(), 0);
  double sum = 0.0;
  Index given = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    sum += shares[k];
    // The points offset, offset + 1, … below count · sum; rounding must not lose the last.
    const double points = std::ceil(static_cast<double>(count) * sum - offset);
    const Index below = k + 1 == shares.size() ? count : std::clamp(static_cast<Index>(points), given, count);
    out[k] = below - given;
    given = below;
  }
  return out;
}

std::vector<Index> choose_different(std::span<const double> log_weights, Index count, RandomStream& random) {
  std::vector<std::pair<double, Index>> ranked;
  for (Index i = 0; i < std::ssize(log_weights); ++i) {
    const double gumbel = -std::log(-std::log(random.uniform()));
    if (log_weights[at(i)] > -infinity) ranked.emplace_back(-(log_weights[at(i)] + gumbel), i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<Index> out;
  for (const auto& [rank, place] : ranked)
    if (std::ssize(out) < count) out.push_back(place);
  return out;
}

}  // namespace darboux
