#include "darboux/diagnose/rhat.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "ordered_draws.hpp"
#include "rhat_formula.hpp"

namespace darboux {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double rhat_of_ranks(OrderedDraws ordered, const ChainDraws& draws) {
  drop_unsplit(ordered, draws.length());
  const auto scores = normal_scores(ordered, draws.size());
  return rhat_formula(ChainDraws(scores, draws.chains()).split());
}

}  // namespace

double rhat_bulk(const ChainDraws& draws) { return varies(draws) ? rhat_of_ranks(OrderedDraws(draws), draws) : nan; }

double rhat_folded(const ChainDraws& draws) {
  if (!varies(draws)) return nan;
  const OrderedDraws ordered(draws);
  return rhat_of_ranks(folded(ordered, quantile(ordered, 0.5)), draws);
}

double rhat(const ChainDraws& draws) {
  if (!varies(draws)) return nan;
  OrderedDraws ordered(draws);
  const double of_distances = rhat_of_ranks(folded(ordered, quantile(ordered, 0.5)), draws);
  return std::fmax(rhat_of_ranks(std::move(ordered), draws), of_distances);
}

double rhat_split(const ChainDraws& draws) { return varies(draws) ? rhat_formula(draws.split()) : nan; }

double rhat_1992(const ChainDraws& draws) { return varies(draws) ? rhat_formula(draws) : nan; }

}  // namespace darboux
