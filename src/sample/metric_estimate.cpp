#include "sample/metric_estimate.hpp"

#include <cmath>

#include "linalg/dense.hpp"

namespace darboux {

namespace {

/// L Lᵀ.
Matrix covariance_of(const StructuredMatrix& factor) {
  const Matrix l = factor.matrix();
  return l * l.transposed();
}

}  // namespace

MetricEstimate::MetricEstimate(Metric metric, Index dim)
    : metric_(metric),
      dim_(dim),
      draws_(RunningCovariance(
          dim, metric == Metric::dense ? RunningCovariance::Shape::dense : RunningCovariance::Shape::diagonal)) {
  if (metric == Metric::low_rank) draws_ = LowRankEstimate(dim);
}

void MetricEstimate::add(std::span<const double> positions, std::span<const double> gradients) {
  const auto n = static_cast<std::size_t>(dim_);
  for (std::size_t at = 0; at + n <= positions.size(); at += n) {
    if (auto* covariance = std::get_if<RunningCovariance>(&draws_))
      covariance->add(positions.subspan(at, n));
    else
      std::get<LowRankEstimate>(draws_).add(positions.subspan(at, n), gradients.subspan(at, n));
  }
}

void MetricEstimate::put_into(Tuning& tuning) const {
  if (const auto* covariance = std::get_if<RunningCovariance>(&draws_))
    put_into(*covariance, tuning);
  else
    put_into(std::get<LowRankEstimate>(draws_), tuning);
}

void MetricEstimate::put_into(const LowRankEstimate& estimate, Tuning& tuning) {
  tuning.center = estimate.mean();
  tuning.factor = StructuredMatrix::from(estimate.factor());
  tuning.metric_draws = estimate.count();
}

void MetricEstimate::put_into(const RunningCovariance& covariance, Tuning& tuning) const {
  const bool knows_earlier = !tuning.center.empty();
  tuning.center = covariance.mean();
  if (metric_ == Metric::identity) {
    tuning.factor = StructuredMatrix::identity(dim_);
    return;
  }
  tuning.metric_draws = covariance.count();
  std::optional<Matrix> factor;
  if (metric_ == Metric::dense && covariance.count() >= fewest_draws_for_dense(dim_))
    factor = cholesky(covariance.shrunk(knows_earlier ? std::optional(covariance_of(tuning.factor)) : std::nullopt));
  if (factor) {
    tuning.factor = StructuredMatrix::from(*std::move(factor));
    return;
  }
  std::vector<double> scales = covariance.shrunk_diagonal();
  for (double& s : scales) s = std::sqrt(s);
  tuning.factor = StructuredMatrix::diagonal(std::move(scales));
}

}  // namespace darboux
