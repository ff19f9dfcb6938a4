#include "sample/shape_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sample/marginal_fit.hpp"

namespace darboux {

namespace {

constexpr Index fewest = 200;  // draws to judge by

/// A shape for one coordinate; nothing where it is to stay straight.
std::optional<MarginalShape> judged(std::span<const double> x, std::size_t first_fold, const MarginalShape& earlier,
                                    bool is_asked_for) {
  const MarginalShape straight = fit_straight(x);
  if (!(straight.scale > 0.0 && std::isfinite(straight.scale))) return std::nullopt;
  const double expected = bend_expected(x, straight);
  if (!is_asked_for && expected < 0.25 * ShapeEstimate::least_gain) return std::nullopt;  // mostly
  const auto [shape, likelihood] = fit_shape(x, earlier != MarginalShape{} ? earlier
                                                : expected > 1.0           ? first_shape(x)
                                                                           : straight);
  if (is_asked_for) return shape;
  if (likelihood - straight_log_likelihood(straight) < ShapeEstimate::least_gain) return std::nullopt;
  std::vector<double> gains(x.size());
  const std::span<double> all(gains);
  const std::span<const double> one = x.first(first_fold), other = x.subspan(first_fold);
  gains_of(other, fit_near(one, shape), fit_straight(one), all.subspan(first_fold));
  gains_of(one, fit_near(other, shape), fit_straight(other), all.first(first_fold));
  const auto [mean, error] = gain_of(gains);
  if (mean < ShapeEstimate::least_gain || mean < ShapeEstimate::least_errors * error) return std::nullopt;
  return shape;
}

}  // namespace

ShapeEstimate::ShapeEstimate(const SamplerSettings& settings, Index dim, int iterations)
    : dim_(dim), chains_(settings.chains), is_asked_for_(settings.map == MarginalMap::sinh_arcsinh) {
  if (settings.map != MarginalMap::none && iterations >= shortest_window) capacity_ = capacity(dim);
}

Index ShapeEstimate::capacity(Index dim) noexcept {
  const Index most = std::min<Index>(1200, 2'000'000 / std::max<Index>(dim, 1));
  return most < fewest ? 0 : most;
}

/// Multiples of the golden ratio, modulo 1, are spread evenly, and in any part of (0, 1) over all residues of the draw's number:
/// those below 2^−halvings are an even choice of iterations and chains.
bool ShapeEstimate::is_kept(std::uint64_t draw) const noexcept {
  const std::uint64_t fraction = draw * 0x9e3779b97f4a7c15U;
  return halvings_ == 0 || (halvings_ < 64 && fraction >> (64 - halvings_) == 0);
}

void ShapeEstimate::halve() {
  ++halvings_;
  std::size_t left = 0;
  const auto n = at(dim_);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (!is_kept(kept_[i])) continue;
    kept_[left] = kept_[i];
    std::copy_n(positions_.begin() + static_cast<Index>(i * n), n, positions_.begin() + static_cast<Index>(left * n));
    ++left;
  }
  kept_.resize(left);
  positions_.resize(left * n);
}

void ShapeEstimate::add(std::span<const double> positions, const Stragglers& stragglers) {
  if (capacity_ == 0) return;
  const std::size_t n = at(dim_);
  for (std::size_t row = 0; (row + 1) * n <= positions.size(); ++row) {
    const std::uint64_t draw = seen_++;
    if (!is_kept(draw) || stragglers.is_late(static_cast<Index>(row) % chains_)) continue;
    kept_.push_back(draw);
    const auto q = positions.subspan(row * n, n);
    positions_.insert(positions_.end(), q.begin(), q.end());
    if (count() > capacity_) halve();
  }
}

ShapeEstimate::Ordered ShapeEstimate::whitened(const Tuning& tuning) const {
  // First chains 0, 2, 4, …, then the others; of a single chain, the two halves as they are.
  const Index first_chains = (chains_ + 1) / 2;
  const auto place_of_chain = [&](Index i) {
    const auto chain = static_cast<Index>(kept_[at(i)] % static_cast<std::uint64_t>(chains_));
    return at((chain % 2 == 0 ? 0 : first_chains) + chain / 2);
  };
  std::vector<Index> ends(at(chains_) + 1, 0);
  for (Index i = 0; i < count(); ++i) ++ends[place_of_chain(i) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const Index first_fold = chains_ == 1 ? count() / 2 : ends[at(first_chains)];
  OwnedBatch offsets(dim_, count());
  for (Index i = 0; i < count(); ++i) {
    const Index k = ends[place_of_chain(i)]++;
    for (Index j = 0; j < dim_; ++j) offsets(j, k) = positions_[at(i * dim_ + j)] - tuning.center[at(j)];
  }
  Ordered out{.x = OwnedBatch(dim_, count()), .first_fold = first_fold};
  if (const auto inverse = tuning.factor.inverse()) inverse->multiply(offsets, out.x);
  return out;
}

void ShapeEstimate::put_into(Tuning& tuning) const {
  const std::vector<MarginalShape> earlier = std::exchange(tuning.shapes, {});
  if (count() < fewest) return;
  const auto [x, first_fold] = whitened(tuning);
  if (std::min(first_fold, count() - first_fold) < fewest / 4) return;
  std::vector<MarginalShape> shapes(at(dim_));
  bool any = false;
  for (Index j = 0; j < dim_; ++j) {
    const auto shape = judged({x.view().row(j), at(count())}, at(first_fold),
                              earlier.empty() ? MarginalShape{} : earlier[at(j)], is_asked_for_);
    if (!shape) continue;
    shapes[at(j)] = *shape;
    any = true;
  }
  if (any) tuning.shapes = std::move(shapes);
}

}  // namespace darboux
