#include "diagnose/chain_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ordered_draws.hpp"
#include "rhat_formula.hpp"

namespace darboux {

namespace {

/// R̂ with and without the chain that is farthest from the rest.
struct LeaveOneOut {
  double all = 0.0;
  double rest = 0.0;
  std::size_t chain = 0;
};

LeaveOneOut leave_one_out(OrderedDraws ordered, const ChainDraws& draws) {
  drop_unsplit(ordered, draws.length());
  const std::vector<double> scores = normal_scores(ordered, draws.size());
  const ChainDraws chains(scores, draws.chains());
  const auto distance = [](std::span<const double> chain) {  // from 0, the mean of all scores, times the length
    return std::abs(std::accumulate(chain.begin(), chain.end(), 0.0));
  };
  LeaveOneOut found{.all = rhat_formula(chains.split())};
  for (std::size_t c = 1; c < chains.chains(); ++c)
    if (distance(chains[c]) > distance(chains[found.chain])) found.chain = c;
  std::vector<std::span<const double>> others(chains.begin(), chains.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(found.chain));
  found.rest = rhat_formula(ChainDraws(std::move(others)).split());
  return found;
}

}  // namespace

std::vector<std::vector<double>> rank_histogram(const ChainDraws& draws, std::size_t bins) {
  if (!varies(draws) || bins == 0) return {};
  const OrderedDraws ordered(draws);
  std::vector<std::vector<double>> counts(draws.chains(), std::vector<double>(bins, 0.0));
  const std::size_t size = ordered.size();
  for (std::size_t first = 0; first < size;) {
    const std::size_t end = ordered.end_of_equals(first);
    const std::size_t bin = (first + end) * bins / (2 * size);  // of the mean rank, from 0
    for (; first < end; ++first) counts[ordered.place(first) / draws.length()][std::min(bin, bins - 1)] += 1.0;
  }
  return counts;
}

std::optional<StrayChain> stray_chain(const ChainDraws& draws, double tolerated) {
  if (draws.chains() < 3 || draws.length() < 4 || !varies(draws)) return std::nullopt;
  const OrderedDraws ordered(draws);
  const LeaveOneOut place = leave_one_out(ordered, draws);
  const LeaveOneOut width = leave_one_out(folded(ordered, quantile(ordered, 0.5)), draws);
  const bool by_width = width.all > place.all;
  const LeaveOneOut& worse = by_width ? width : place;
  if (!(worse.all > tolerated) || !(worse.rest - 1.0 < 0.4 * (worse.all - 1.0))) return std::nullopt;
  return StrayChain{.chain = worse.chain, .by_width = by_width};
}

}  // namespace darboux
