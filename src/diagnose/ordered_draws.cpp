#include "ordered_draws.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>

#include "darboux/core/error.hpp"
#include "diagnose/quantiles.hpp"

namespace darboux {

namespace {

/// A number that is ordered as x is: the bits of a double are, but for its sign. The zeros are equal.
std::uint64_t sort_key(double x) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// Values in the order of other values are all over memory: they are asked for some time before they are needed.
constexpr std::size_t ahead = 32;
void fetch(std::span<const double> values, std::span<const Place> places, std::size_t i) {
  if (i < places.size()) __builtin_prefetch(&values[places[i]]);
}

/// Places in the order of their values, from the last digit of the keys to the first: twice as fast as comparing, and in half of
/// the memory that values beside their places would take.
std::vector<Place> sorted_places(std::span<const double> values) {
  constexpr unsigned digit_bits = 11, digits = 6;
  constexpr std::size_t radix = std::size_t{1} << digit_bits;
  const auto digit = [](std::uint64_t key, unsigned d) { return (key >> (d * digit_bits)) & (radix - 1); };
  std::vector<std::array<Place, radix>> counts(digits);
  for (const double x : values)
    for (unsigned d = 0; d < digits; ++d) ++counts[d][digit(sort_key(x), d)];
  std::vector<Place> places(values.size()), next(values.size());
  std::iota(places.begin(), places.end(), Place{0});
  for (unsigned d = 0; d < digits; ++d) {
    auto& begin = counts[d];
    if (!values.empty() && begin[digit(sort_key(values[0]), d)] == values.size()) continue;  // all have the same
    std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), Place{0});
    for (std::size_t i = 0; i < places.size(); ++i) {
      fetch(values, places, i + ahead);
      next[begin[digit(sort_key(values[places[i]]), d)]++] = places[i];
    }
    places.swap(next);
  }
  return places;
}

/// The draws one after another, where they lie so.
std::optional<std::span<const double>> adjacent(const ChainDraws& draws) {
  for (std::size_t c = 1; c < draws.chains(); ++c)
    if (draws[c].data() != draws[c - 1].data() + draws.length()) return std::nullopt;
  return std::span(draws.size() == 0 ? nullptr : draws[0].data(), draws.size());
}

}  // namespace

OrderedDraws::OrderedDraws(const ChainDraws& draws) {
  if (draws.size() > std::numeric_limits<Place>::max())
    throw InputError("draws: " + std::to_string(draws.size()) + " of one quantity; must be at most " +
                     std::to_string(std::numeric_limits<Place>::max()));
  if (const auto all = adjacent(draws)) {
    values_ = *all;
  } else {
    std::vector<double> copy;
    copy.reserve(draws.size());
    for (const auto chain : draws) copy.insert(copy.end(), chain.begin(), chain.end());
    copy_ = std::make_shared<const std::vector<double>>(std::move(copy));
    values_ = *copy_;
  }
  places_ = sorted_places(values_);
}

std::size_t OrderedDraws::end_of_equals(std::size_t i) const noexcept {
  const double first = value(i);
  std::size_t end = i + 1;
  while (end < size() && value(end) == first) fetch(values_, places_, ahead + end++);
  fetch(values_, places_, ahead + end);
  return end;
}

double quantile(const OrderedDraws& ordered, double probability) {
  if (!(probability >= 0.0 && probability <= 1.0))
    throw InputError("quantile: probability " + std::to_string(probability) + " is not in [0, 1]");
  if (ordered.empty()) return std::numeric_limits<double>::quiet_NaN();
  // Counted from 1, as R counts: the last bit of the index decides whether a draw lies below the quantile or on it.
  const double index = 1.0 + static_cast<double>(ordered.size() - 1) * probability;
  const double below = ordered.value(static_cast<std::size_t>(std::floor(index)) - 1);
  const double above = ordered.value(static_cast<std::size_t>(std::ceil(index)) - 1);
  const double h = index - std::floor(index);
  return below == above ? below : (1.0 - h) * below + h * above;
}

DensestInterval densest_interval(const OrderedDraws& ordered, double share) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (ordered.empty()) return {.low = nan, .high = nan};
  const auto apart =
      std::min(ordered.size() - 1, static_cast<std::size_t>(std::floor(share * static_cast<double>(ordered.size()))));
  DensestInterval best{.low = ordered.value(0), .high = ordered.value(apart)};
  for (std::size_t i = 1; i + apart < ordered.size(); ++i) {
    const double low = ordered.value(i), high = ordered.value(i + apart);
    if (high - low < best.high - best.low) best = {.low = low, .high = high};
  }
  return best;
}

std::size_t count_above(const OrderedDraws& ordered, double threshold) {
  std::size_t first = 0, last = ordered.size();  // those before `first` are not above, those from `last` on are
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (ordered.value(middle) > threshold)
      last = middle;
    else
      first = middle + 1;
  }
  return ordered.size() - last;
}

OrderedDraws folded(const OrderedDraws& ordered, double centre) {
  const std::vector<Place>& places = ordered.places_;
  const auto middle =
      std::partition_point(places.begin(), places.end(), [&](Place place) { return ordered.value_at(place) < centre; });
  OrderedDraws result;
  result.values_ = ordered.values_;
  result.copy_ = ordered.copy_;
  result.centre_ = centre;
  result.places_.reserve(places.size());
  auto above = static_cast<std::size_t>(middle - places.begin()), below = above;  // behind the next of the lower half
  while (result.size() < places.size()) {
    const bool upward =
        below == 0 || (above < places.size() && result.value_at(places[above]) <= result.value_at(places[below - 1]));
    result.places_.push_back(upward ? places[above++] : places[--below]);
    fetch(result.values_, places, upward ? above + ahead : below - ahead);
  }
  return result;
}

void drop_unsplit(OrderedDraws& ordered, std::size_t length) {
  if (length % 2 == 0) return;
  std::erase_if(ordered.places_, [length](Place place) { return place % length == length / 2; });
}

std::vector<double> normal_scores(const OrderedDraws& ordered, std::size_t table_size) {
  std::vector<double> scores(table_size, 0.0);
  const std::size_t size = ordered.size();
  for (std::size_t first = 0; first < size;) {
    const std::size_t end = ordered.end_of_equals(first);
    const double rank = 0.5 * static_cast<double>(first + 1 + end);
    const double score = normal_quantile((rank - 0.375) / (static_cast<double>(size) + 0.25));
    for (; first < end; ++first) scores[ordered.place(first)] = score;
  }
  return scores;
}

std::vector<double> indicators(const ChainDraws& draws, double threshold) {
  std::vector<double> table;
  table.reserve(draws.size());
  for (const auto chain : draws)
    for (const double x : chain) table.push_back(x <= threshold ? 1.0 : 0.0);
  return table;
}

}  // namespace darboux
