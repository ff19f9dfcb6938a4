#include "sample/shape_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sample/marginal_fit.hpp"

namespace darboux {

namespace {

constexpr Index fewest = 200;  // draws to judge by

/// A shape for one coordinate; nothing where it is to stay straight.
std::optional<MarginalShape> judged(std::span<const double> x, std::size_t first_fold, bool is_asked_for) {
  const MarginalShape straight = fit_straight(x);
  if (!(straight.scale > 0.0 && std::isfinite(straight.scale))) return std::nullopt;
  if (is_asked_for) return fit_shape(x, straight);
  if (bend_expected(x) < 0.25 * ShapeEstimate::least_gain) return std::nullopt;  // cheap, and enough for most
  const MarginalShape shape = fit_shape(x, straight);
  std::vector<double> gains(x.size());
  const std::span<double> all(gains);
  add_gains(x, shape, straight, all);
  if (gain_of(all).mean < ShapeEstimate::least_gain) return std::nullopt;
  const std::span<const double> one = x.first(first_fold), other = x.subspan(first_fold);
  add_gains(other, fit_shape(one, shape), fit_straight(one), all.subspan(first_fold));
  add_gains(one, fit_shape(other, shape), fit_straight(other), all.first(first_fold));
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
  const Index most = std::min<Index>(2000, 2'000'000 / std::max<Index>(dim, 1));
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
  std::vector<std::size_t> order(kept_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto chain = [&](std::size_t i) { return kept_[i] % static_cast<std::uint64_t>(chains_); };
  const auto fold = [&](std::size_t i) { return chains_ == 1 ? (2 * i < order.size() ? 0U : 1U) : chain(i) % 2; };
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(fold(i), chain(i)); });
  OwnedBatch offsets(dim_, count());
  Ordered out{.x = OwnedBatch(dim_, count())};
  for (Index k = 0; k < count(); ++k) {
    const std::size_t i = order[at(k)];
    out.first_fold += fold(i) == 0 ? 1 : 0;
    for (Index j = 0; j < dim_; ++j) offsets(j, k) = positions_[i * at(dim_) + at(j)] - tuning.center[at(j)];
  }
  if (const auto inverse = tuning.factor.inverse()) inverse->multiply(offsets, out.x);
  return out;
}

void ShapeEstimate::put_into(Tuning& tuning) const {
  tuning.shapes.clear();
  if (count() < fewest) return;
  const auto [x, first_fold] = whitened(tuning);
  if (std::min(first_fold, count() - first_fold) < fewest / 4) return;
  std::vector<MarginalShape> shapes(at(dim_));
  bool any = false;
  for (Index j = 0; j < dim_; ++j) {
    const auto shape = judged({x.view().row(j), at(count())}, at(first_fold), is_asked_for_);
    if (!shape) continue;
    shapes[at(j)] = *shape;
    any = true;
  }
  if (any) tuning.shapes = std::move(shapes);
}

}  // namespace darboux
