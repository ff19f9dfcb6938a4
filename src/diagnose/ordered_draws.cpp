#include "ordered_draws.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "darboux/core/error.hpp"
#include "diagnose/quantiles.hpp"

namespace darboux {

std::vector<PlacedDraw> ascending(const ChainDraws& draws) {
  std::vector<PlacedDraw> ordered;
  ordered.reserve(draws.size());
  for (const auto chain : draws)
    for (const double x : chain) ordered.push_back({x, ordered.size()});
  std::sort(ordered.begin(), ordered.end(), [](const PlacedDraw& a, const PlacedDraw& b) { return a.value < b.value; });
  return ordered;
}

double quantile(const std::vector<PlacedDraw>& ordered, double probability) {
  if (!(probability >= 0.0 && probability <= 1.0))
    throw InputError("quantile: probability " + std::to_string(probability) + " is not in [0, 1]");
  if (ordered.empty()) return std::numeric_limits<double>::quiet_NaN();
  // Counted from 1, as R counts: the last bit of the index decides whether a draw lies below the quantile or on it.
  const double index = 1.0 + static_cast<double>(ordered.size() - 1) * probability;
  const double below = ordered[static_cast<std::size_t>(std::floor(index)) - 1].value;
  const double above = ordered[static_cast<std::size_t>(std::ceil(index)) - 1].value;
  const double h = index - std::floor(index);
  return below == above ? below : (1.0 - h) * below + h * above;
}

std::vector<PlacedDraw> folded(const std::vector<PlacedDraw>& ordered, double centre) {
  const auto middle = std::partition_point(ordered.begin(), ordered.end(),
                                           [centre](const PlacedDraw& draw) { return draw.value < centre; });
  const auto distance = [centre](const PlacedDraw& draw) { return std::abs(draw.value - centre); };
  std::vector<PlacedDraw> result;
  result.reserve(ordered.size());
  std::merge(std::make_reverse_iterator(middle), ordered.rend(), middle, ordered.end(), std::back_inserter(result),
             [&](const PlacedDraw& a, const PlacedDraw& b) { return distance(a) < distance(b); });
  for (auto& draw : result) draw.value = distance(draw);
  return result;
}

void drop_unsplit(std::vector<PlacedDraw>& ordered, std::size_t length) {
  if (length % 2 == 0) return;
  std::erase_if(ordered, [length](const PlacedDraw& draw) { return draw.place % length == length / 2; });
}

std::vector<double> normal_scores(const std::vector<PlacedDraw>& ordered, std::size_t table_size) {
  std::vector<double> scores(table_size, 0.0);
  const std::size_t size = ordered.size();
  for (std::size_t first = 0; first < size;) {
    std::size_t end = first + 1;
    while (end < size && ordered[end].value == ordered[first].value) ++end;
    const double rank = 0.5 * static_cast<double>(first + 1 + end);
    const double score = normal_quantile((rank - 0.375) / (static_cast<double>(size) + 0.25));
    for (; first < end; ++first) scores[ordered[first].place] = score;
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
