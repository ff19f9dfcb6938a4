#include "model/local_gaussian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linalg/dense.hpp"

namespace darboux {

namespace {

constexpr double least_curvature = 1e-6;  // of coordinates that are whitened, or meant to be

/// In four sums, which processors add up side by side.
double dot(std::span<const double> a, std::span<const double> b) {
  std::array<double, 4> sums{};
  std::size_t j = 0;
  for (; j + sums.size() <= a.size(); j += sums.size())
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += a[j + k] * b[j + k];
  for (; j < a.size(); ++j) sums[0] += a[j] * b[j];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// x += factor · direction
void add_multiple(double factor, std::span<const double> direction, std::vector<double>& x) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += factor * direction[j];
}

void multiply_entries(std::vector<double>& x, const std::vector<double>& by) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] *= by[j];
}

void divide_entries(std::vector<double>& x, const std::vector<double>& by) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] /= by[j];
}

}  // namespace

LocalGaussian::LocalGaussian(const Waypoint& at, std::span<const double> variances,
                             std::span<const CurvaturePair> pairs)
    : waypoint_(at), scales_(variances.begin(), variances.end()) {
  for (double& x : scales_) {
    x = std::sqrt(x);
    log_determinant_ += std::log(x);
  }
  for (const CurvaturePair& pair : pairs) update(pair);
  mean_ = newton(waypoint_);
}

void LocalGaussian::update(const CurvaturePair& pair) {
  std::vector<double> precision_s = pair.s;  // Σ⁻¹s = L⁻ᵀ L⁻¹s
  apply_inverse(precision_s);
  const double curvature = dot(precision_s, precision_s);
  apply_inverse_transposed(precision_s);
  Stretch next{.s = pair.s, .u = pair.y, .determinant = std::sqrt(pair.inverse_product * curvature)};
  for (double& x : next.u) x *= pair.inverse_product;
  add_multiple(-std::sqrt(pair.inverse_product / curvature), precision_s, next.u);
  log_determinant_ += std::log(next.determinant);
  stretches_.push_back(std::move(next));
}

LocalGaussian LocalGaussian::sharpened(const Waypoint& at, const Matrix& whitened_hessian) const {
  const SymmetricEigen eigen = symmetric_eigen(whitened_hessian);
  LocalGaussian out = *this;
  out.waypoint_ = at;
  for (Index k = 0; k < std::ssize(eigen.values); ++k) {
    const double curvature = eigen.values[darboux::at(k)];
    if (!(curvature > -least_curvature)) continue;
    // L (I − (1 − r) v vᵀ) = (I − s uᵀ) L with s = (1 − r) L v and u = L⁻ᵀ v, in any order since the v are orthonormal.
    const double r = 1.0 / std::sqrt(std::max(curvature, least_curvature));
    std::vector<double> v(mean_.size());
    for (Index j = 0; j < std::ssize(v); ++j) v[darboux::at(j)] = eigen.vectors(j, k);
    Stretch next{.s = spread(v), .u = std::move(v), .determinant = r};
    for (double& x : next.s) x *= 1.0 - r;
    apply_inverse_transposed(next.u);
    out.log_determinant_ += std::log(r);
    out.stretches_.push_back(std::move(next));
  }
  out.mean_ = out.newton(at);
  return out;
}

std::vector<double> LocalGaussian::newton(const Waypoint& from) const {
  return around(from.q, whiten_gradient(from.gradient));
}

std::vector<double> LocalGaussian::around(std::span<const double> q, std::vector<double> z) const {
  z = spread(std::move(z));
  add_multiple(1.0, q, z);
  return z;
}

std::vector<double> LocalGaussian::spread(std::vector<double> z) const {
  multiply_entries(z, scales_);
  for (const Stretch& f : stretches_) add_multiple(-dot(f.u, z), f.s, z);
  return z;
}

std::vector<double> LocalGaussian::whiten_gradient(std::vector<double> g) const {
  for (std::size_t k = stretches_.size(); k-- > 0;) add_multiple(-dot(stretches_[k].s, g), stretches_[k].u, g);
  multiply_entries(g, scales_);
  return g;
}

void LocalGaussian::apply_inverse(std::vector<double>& x) const {
  for (std::size_t k = stretches_.size(); k-- > 0;)
    add_multiple(dot(stretches_[k].u, x) / stretches_[k].determinant, stretches_[k].s, x);
  divide_entries(x, scales_);
}

void LocalGaussian::apply_inverse_transposed(std::vector<double>& x) const {
  divide_entries(x, scales_);
  for (const Stretch& f : stretches_) add_multiple(dot(f.s, x) / f.determinant, f.u, x);
}

double LocalGaussian::squared_distance(std::span<const double> q) const {
  std::vector<double> x(q.begin(), q.end());
  add_multiple(-1.0, mean_, x);
  apply_inverse(x);
  return dot(x, x);
}

Matrix LocalGaussian::factor() const {
  const Index n = std::ssize(mean_);
  Matrix out(n, n);
  for (Index j = 0; j < n; ++j) {
    std::vector<double> unit(mean_.size(), 0.0);
    unit[at(j)] = 1.0;
    const std::vector<double> column = spread(std::move(unit));
    for (Index i = 0; i < n; ++i) out(i, j) = column[at(i)];
  }
  return out;
}

bool LocalGaussian::is_finite() const noexcept {
  return std::isfinite(log_determinant_) &&
         std::all_of(mean_.begin(), mean_.end(), [](double x) { return std::isfinite(x); });
}

void update_variances(std::vector<double>& variances, const CurvaturePair& pair) {
  double a = 0.0, c = 0.0;
  for (std::size_t j = 0; j < variances.size(); ++j) {
    a += variances[j] * pair.y[j] * pair.y[j];
    c += pair.s[j] * pair.s[j] / variances[j];
  }
  for (std::size_t j = 0; j < variances.size(); ++j) {
    const double v = variances[j], s = pair.s[j], y = pair.y[j];
    const double inverse = pair.inverse_product * (a / v + y * y - a * s * s / (c * v * v));
    if (inverse > 0.0 && std::isfinite(inverse) && std::isfinite(1.0 / inverse)) variances[j] = 1.0 / inverse;
  }
}

}  // namespace darboux
