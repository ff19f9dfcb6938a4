#include "sample/running_covariance.hpp"

#include <cassert>

namespace darboux {

RunningCovariance::RunningCovariance(Index dim, Shape shape)
    : shape_(shape), mean_(static_cast<std::size_t>(dim), 0.0), deviation_(mean_.size(), 0.0) {
  if (shape == Shape::dense)
    products_ = Matrix(dim, dim);
  else
    squares_.assign(mean_.size(), 0.0);
}

/// With δ = x − mean before and δ' = x − mean after the update, Σ (x − mean)(x − mean)ᵀ grows by δ δ'ᵀ = (n − 1)/n δ δᵀ.
void RunningCovariance::add(std::span<const double> x) {
  assert(x.size() == mean_.size());
  ++count_;
  const auto n = static_cast<double>(count_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    deviation_[i] = x[i] - mean_[i];
    mean_[i] += deviation_[i] / n;
  }
  const double weight = (n - 1.0) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (shape_ == Shape::diagonal) {
      squares_[i] += weight * deviation_[i] * deviation_[i];
      continue;
    }
    for (std::size_t j = 0; j <= i; ++j)
      products_(static_cast<Index>(i), static_cast<Index>(j)) += weight * deviation_[i] * deviation_[j];
  }
}

namespace {

struct Shrinkage {
  double scale, ridge;
};

Shrinkage shrinkage(std::int64_t count) {
  const auto n = static_cast<double>(count);
  return {.scale = count > 1 ? n / (n + 5.0) / (n - 1.0) : 0.0, .ridge = 1e-3 * 5.0 / (n + 5.0)};
}

}  // namespace

Matrix RunningCovariance::regularised() const {
  const auto [scale, ridge] = shrinkage(count_);
  const Index n = products_.rows();
  Matrix covariance(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) covariance(i, j) = covariance(j, i) = scale * products_(i, j);
    covariance(i, i) += ridge;
  }
  return covariance;
}

std::vector<double> RunningCovariance::regularised_diagonal() const {
  const auto [scale, ridge] = shrinkage(count_);
  std::vector<double> diagonal;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const auto k = static_cast<Index>(i);
    diagonal.push_back(scale * (shape_ == Shape::diagonal ? squares_[i] : products_(k, k)) + ridge);
  }
  return diagonal;
}

}  // namespace darboux
