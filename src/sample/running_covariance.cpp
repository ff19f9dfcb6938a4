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

constexpr double points_of_earlier = 5.0;  // that an earlier estimate counts as
constexpr double share_of_earlier = 1e-3;  // of it

double weight_of_earlier(std::int64_t count) {
  return share_of_earlier * points_of_earlier / (static_cast<double>(count) + points_of_earlier);
}

}  // namespace

/// n/(n + 5) S.
double RunningCovariance::variance(Index i) const {
  if (count_ < 2) return 0.0;
  const auto n = static_cast<double>(count_);
  const double sum = shape_ == Shape::diagonal ? squares_[at(i)] : products_(i, i);
  return sum / (n - 1.0) * n / (n + points_of_earlier);
}

Matrix RunningCovariance::shrunk(const std::optional<Matrix>& earlier) const {
  const auto n = static_cast<double>(count_);
  const double scale = count_ > 1 ? n / (n + points_of_earlier) / (n - 1.0) : 0.0;
  const double weight = weight_of_earlier(count_);
  const Index dim = products_.rows();
  const std::vector<double> diagonal = shrunk_diagonal();
  Matrix covariance(dim, dim);
  for (Index i = 0; i < dim; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double own = scale * products_(i, j);
      const double with_earlier = earlier ? own + weight * (*earlier)(i, j) : i == j ? diagonal[at(i)] : own;
      covariance(i, j) = covariance(j, i) = with_earlier;
    }
  return covariance;
}

std::vector<double> RunningCovariance::shrunk_diagonal() const {
  std::vector<double> diagonal;
  for (Index i = 0; i < std::ssize(mean_); ++i) {
    const double own = variance(i);
    diagonal.push_back(own + weight_of_earlier(count_) * (own > 0.0 ? own : 1.0));
  }
  return diagonal;
}

}  // namespace darboux
