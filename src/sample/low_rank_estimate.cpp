#include "sample/low_rank_estimate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "darboux/core/random.hpp"
#include "linalg/batch_product.hpp"
#include "linalg/dense.hpp"

namespace darboux {

namespace {

ConstBatch rows_of(const Matrix& m) { return {m.data(), m.rows(), m.cols(), m.cols()}; }

/// diag(w) m.
Matrix scaled_rows(const std::vector<double>& w, Matrix m) {
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) m(i, j) *= w[at(i)];
  return m;
}

/// Some columns of m.
Matrix columns(const Matrix& m, const std::vector<Index>& which) {
  Matrix out(m.rows(), std::ssize(which));
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = m(i, which[at(j)]);
  return out;
}

/// a b, by the kernels for batches, which are faster for many columns.
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), b.cols());
  multiply(a, rows_of(b), {out.data(), out.rows(), out.cols(), out.cols()});
  return out;
}

/// Vectors in n dimensions, about their mean, and what their covariance C does to others; C itself is never formed.
class Sample {
 public:
  Sample(const std::vector<double>& vectors, Index dim) : rows_(std::ssize(vectors) / dim, dim) {
    std::copy(vectors.begin(), vectors.end(), rows_.data());
    std::vector<double> mean(at(dim), 0.0);
    for (Index i = 0; i < rows_.rows(); ++i)
      for (Index j = 0; j < dim; ++j) mean[at(j)] += rows_(i, j) / static_cast<double>(rows_.rows());
    for (Index i = 0; i < rows_.rows(); ++i)
      for (Index j = 0; j < dim; ++j) rows_(i, j) -= mean[at(j)];
    weigh(std::vector<double>(at(rows_.rows()), 1.0));
  }

  void weigh(const std::vector<double>& weights) {
    variances_.assign(at(rows_.cols()), 0.0);
    for (Index i = 0; i < rows_.rows(); ++i) {
      for (Index j = 0; j < rows_.cols(); ++j) {
        rows_(i, j) *= std::sqrt(weights[at(i)]);
        variances_[at(j)] += rows_(i, j) * rows_(i, j) / static_cast<double>(rows_.rows());
      }
    }
    columns_ = rows_.transposed();
  }
  /// |diag(w) x|² of each vector.
  [[nodiscard]] std::vector<double> squared_norms(const std::vector<double>& w) const {
    std::vector<double> norms(at(rows_.rows()), 0.0);
    for (Index i = 0; i < rows_.rows(); ++i)
      for (Index j = 0; j < rows_.cols(); ++j) norms[at(i)] += std::pow(w[at(j)] * rows_(i, j), 2);
    return norms;
  }

  [[nodiscard]] const std::vector<double>& variances() const noexcept { return variances_; }

  /// Coordinates scaled by w: X diag(w) b, one row for each vector.
  [[nodiscard]] Matrix along(const std::vector<double>& w, const Matrix& b) const {
    return product(rows_, scaled_rows(w, b));
  }
  /// diag(w) Xᵀ t/N.
  [[nodiscard]] Matrix mean_product(const std::vector<double>& w, const Matrix& t) const {
    return (1.0 / static_cast<double>(rows_.rows())) * scaled_rows(w, product(columns_, t));
  }
  [[nodiscard]] Matrix covariance_times(const std::vector<double>& w, const Matrix& b) const {
    return mean_product(w, along(w, b));
  }
  /// bᵀ C b, symmetric to the last bit.
  [[nodiscard]] Matrix covariance_in(const std::vector<double>& w, const Matrix& b) const {
    const Matrix t = along(w, b);
    const Matrix inner = product(t.transposed(), t);
    return (0.5 / static_cast<double>(rows_.rows())) * (inner + inner.transposed());
  }

 private:
  Matrix rows_, columns_;
  std::vector<double> variances_;
};

class Fit {
 public:
  Fit(const std::vector<double>& points, const std::vector<double>& gradients, Index dim)
      : dim_(dim), count_(std::ssize(points) / dim), points_(points, dim), gradients_(gradients, dim) {
    const Index width = std::min({LowRankEstimate::most_directions, dim, count_ / 4});
    basis_ = Matrix(dim, width);
    RandomStream random({.seed = 0, .purpose = Purpose::data});
    random.fill_normal({basis_.data(), at(dim * width)});
  }

  LowRankMatrix run() {
    scales_.assign(at(dim_), 1.0);
    directions_ = Matrix(dim_, 0);
    learn_scales();
    limit_outliers();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const std::vector<double> before = variances();
      learn_scales();
      learn_directions(sweep > 0);
      if (sweep + 1 >= least_sweeps && are_near(before, variances())) break;
    }
    return LowRankMatrix({.after = scales_,
                          .directions = directions_.transposed(),
                          .stretches = stretches_,
                          .before = std::vector<double>(at(dim_), 1.0)});
  }

 private:
  static constexpr int least_sweeps = 3, most_sweeps = 8, power_steps = 2;

  /// The diagonal of the covariance as it is known so far, L Lᵀ. Unlike scales and stretches it settles: where a direction is near
  /// an axis, one may grow for ever while the other shrinks.
  [[nodiscard]] std::vector<double> variances() const {
    std::vector<double> out;
    for (Index i = 0; i < dim_; ++i) {
      double variance = 1.0;
      for (Index k = 0; k < directions_.cols(); ++k)
        variance += std::pow(directions_(i, k), 2) * (std::pow(stretches_[at(k)], 2) - 1.0);
      out.push_back(variance * scales_[at(i)] * scales_[at(i)]);
    }
    return out;
  }
  /// Whether none has changed by a tenth, the sampling error of a variance from 200 points: further sweeps would be wasted.
  static bool are_near(const std::vector<double>& before, const std::vector<double>& now) {
    return std::equal(before.begin(), before.end(), now.begin(), now.end(),
                      [](double a, double b) { return std::abs(b - a) < 0.1 * a; });
  }

  [[nodiscard]] std::vector<double> reciprocal_scales() const {
    std::vector<double> w = scales_;
    for (double& x : w) x = 1.0 / x;
    return w;
  }

  /// The diagonal of (I − V Vᵀ) C (I − V Vᵀ), with C the covariance in the coordinates scaled by w.
  [[nodiscard]] std::vector<double> variances_across(const Sample& sample, const std::vector<double>& w) const {
    const Matrix& v = directions_;
    const Matrix cv = sample.covariance_times(w, v);
    const Matrix vcvv = product(v, product(v.transposed(), cv));  // V (VᵀC V)
    std::vector<double> out;
    for (Index i = 0; i < dim_; ++i) {
      double variance = w[at(i)] * w[at(i)] * sample.variances()[at(i)];
      for (Index k = 0; k < v.cols(); ++k) variance += v(i, k) * (vcvv(i, k) - 2.0 * cv(i, k));
      out.push_back(variance);
    }
    return out;
  }

  /// The geometric mean of one-dimensional variances and inverse variances of gradients, across the directions found so far.
  void learn_scales() {
    const std::vector<double> of_points = variances_across(points_, reciprocal_scales());
    const std::vector<double> of_gradients = variances_across(gradients_, scales_);
    for (Index i = 0; i < dim_; ++i) {
      const double ratio = of_points[at(i)] / of_gradients[at(i)];
      if (ratio > 0.0 && std::isfinite(ratio)) scales_[at(i)] *= std::pow(ratio, 0.25);
    }
  }

  /// Σ Cov(g) Σ = Cov(q) holds for every weighting of points. Far ones, of which heavy tails have a few, weigh as much as one at
  /// the median distance does: none is a direction by itself.
  void limit_outliers() {
    if (count_ == 0) return;
    std::vector<double> distances = points_.squared_norms(reciprocal_scales());
    const std::vector<double> of_gradients = gradients_.squared_norms(scales_);
    std::transform(distances.begin(), distances.end(), of_gradients.begin(), distances.begin(), std::plus<>());
    std::vector<double> weights = distances;
    std::nth_element(distances.begin(), distances.begin() + count_ / 2, distances.end());
    const double median = distances[at(count_ / 2)];
    for (double& w : weights) w = w > median ? median / w : 1.0;
    points_.weigh(weights);
    gradients_.weigh(weights);
  }

  /// In scaled coordinates a Gaussian with covariance Σ has q − g = (Σ − I) g, with g the gradient of U: differences of points
  /// and gradients lie in the directions where Σ is not the identity, and nowhere else. A few power steps find the space where
  /// they vary most; in it, Σ is the geometric mean.
  /// The first sweep only tells how many there are: a space three times as wide as the first, of 64 dimensions, takes most of the time.
  void learn_directions(bool in_wider_space) {
    if (basis_.cols() == 0) return;
    const std::vector<double> inverse = reciprocal_scales();
    for (int i = 0; i < power_steps; ++i) {
      const Matrix difference = points_.along(inverse, basis_) - gradients_.along(scales_, basis_);
      basis_ =
          orthonormal_columns(points_.mean_product(inverse, difference) - gradients_.mean_product(scales_, difference));
    }
    const std::optional<SymmetricEigen> first = ritz(inverse);
    if (!first) return;
    const std::vector<Index> signal = signal_of(*first);
    if (!in_wider_space || !widen(inverse)) return settle_for(*first, signal);
    if (const std::optional<SymmetricEigen> found = ritz(inverse)) {
      std::vector<Index> kept = signal_of(*found);
      kept.resize(std::min(kept.size(), signal.size()));  // of the more that a wider space shows by chance none counts
      settle_for(*found, kept);
    }
  }

  /// Variances along the basis and the directions in it that have them: of the geometric mean of Cov(q) and Cov(g)⁻¹ there.
  [[nodiscard]] std::optional<SymmetricEigen> ritz(const std::vector<double>& inverse) const {
    const auto covariance =
        geometric_mean_with_inverse(points_.covariance_in(inverse, basis_), gradients_.covariance_in(scales_, basis_));
    return covariance ? std::optional(symmetric_eigen(*covariance)) : std::nullopt;
  }

  /// Where the target is long, gradients are tiny: of a direction with variance λ they have 1/λ, and a basis that is off by ε towards
  /// others adds ε² of theirs, which makes the mean of Cov(q) and Cov(g)⁻¹ too short by far, the more so as long as chains have not
  /// crossed the target. But those others are where the covariances lead from the basis. With their images beside it, the mean in
  /// this wider space tells them apart (Rayleigh and Ritz, as in Knyazev's LOBPCG).
  bool widen(const std::vector<double>& inverse) {
    const Index narrow = basis_.cols(), width = std::min({3 * narrow, dim_, count_ / 2});
    if (width <= narrow) return false;
    const Matrix of_gradients = gradients_.covariance_times(scales_, basis_);
    const Matrix of_points = points_.covariance_times(inverse, basis_);
    Matrix wide(dim_, width);
    for (Index i = 0; i < dim_; ++i)
      for (Index k = 0; k < width; ++k) {
        const Index image = k - narrow;  // by turns, those of the directions that stand out most first
        wide(i, k) = image < 0 ? basis_(i, k) : (image % 2 == 0 ? of_gradients : of_points)(i, image / 2);
      }
    basis_ = orthonormal_columns(wide);
    return true;
  }

  /// How far a variance is from 1, and in which place: those that stand out most come first.
  [[nodiscard]] static std::vector<Index> by_prominence(const SymmetricEigen& found) {
    std::vector<Index> order(found.values.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto place = [&](Index k) { return std::pair(-std::abs(std::log(found.values[at(k)])), k); };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return place(a) < place(b); });
    order.resize(std::min(order.size(), at(LowRankEstimate::most_directions)));
    return order;
  }

  /// The next sweep looks for directions in twice as many dimensions as there were, and some more: those that stand out most.
  void narrow(const SymmetricEigen& found) {
    std::vector<Index> order = by_prominence(found);
    order.resize(std::min(order.size(), at(2 * directions_.cols() + 8)));
    basis_ = product(basis_, columns(found.vectors, order));
  }

  /// The directions whose variance is off 1 by more than noise, those that stand out most first.
  [[nodiscard]] std::vector<Index> signal_of(const SymmetricEigen& found) const {
    const double noise = 1.0 + std::sqrt(static_cast<double>(dim_) / static_cast<double>(count_));
    const double least = std::max(noise, LowRankEstimate::least_ratio);
    std::vector<Index> signal = by_prominence(found);
    std::erase_if(signal, [&](Index k) { return found.values[at(k)] < least && found.values[at(k)] > 1.0 / least; });
    return signal;
  }

  /// Logarithms of variances are shrunk towards 0, those of the diagonal, as if five points more had shown just that.
  void settle_for(const SymmetricEigen& found, const std::vector<Index>& kept) {
    const double weight = static_cast<double>(count_) / (static_cast<double>(count_) + 5.0);
    stretches_.clear();
    for (const Index k : kept) stretches_.push_back(std::pow(found.values[at(k)], 0.5 * weight));
    directions_ = product(basis_, columns(found.vectors, kept));
    narrow(found);
  }

  Index dim_, count_;
  Sample points_, gradients_;
  std::vector<double> scales_, stretches_;
  Matrix basis_;       // of the space in which directions are looked for, as columns
  Matrix directions_;  // V, as columns
};

/// The columns of `vectors`, one after the other, about their mean.
OwnedBatch centred(const std::vector<double>& vectors, Index dim) {
  const Index count = std::ssize(vectors) / dim;
  OwnedBatch out(dim, count);
  for (Index j = 0; j < dim; ++j) {
    double mean = 0.0;
    for (Index k = 0; k < count; ++k) mean += vectors[at(k * dim + j)] / static_cast<double>(count);
    for (Index k = 0; k < count; ++k) out(j, k) = vectors[at(k * dim + j)] - mean;
  }
  return out;
}

/// E[x²]/E[x g] for every coordinate x of the points in whitened coordinates and g of the gradients there.
std::vector<double> excess_spread(const LowRankMatrix& factor, const std::vector<double>& points,
                                  const std::vector<double>& gradients) {
  const Index dim = factor.dim();
  const OwnedBatch q = centred(points, dim), gradient = centred(gradients, dim);
  OwnedBatch x(dim, q.lanes()), g(dim, q.lanes());
  factor.inverse().multiply(q, x);
  factor.transposed().multiply(gradient, g);
  std::vector<double> out;
  for (Index j = 0; j < dim; ++j) {
    double squares = 0.0, products = 0.0;
    for (Index k = 0; k < q.lanes(); ++k) {
      squares += x(j, k) * x(j, k);
      products += x(j, k) * g(j, k);
    }
    out.push_back(products > 0.0 ? squares / products : 1.0);
  }
  return out;
}

}  // namespace

LowRankEstimate::LowRankEstimate(Index dim) : dim_(dim) {}

Index LowRankEstimate::capacity(Index dim) noexcept {
  return std::clamp<Index>(2'000'000 / std::max<Index>(dim, 1), 100, 1000);
}

void LowRankEstimate::add(std::span<const double> q, std::span<const double> gradient) {
  assert(std::ssize(q) == dim_ && std::ssize(gradient) == dim_);
  ++seen_;
  if (count() < capacity(dim_)) {
    points_.insert(points_.end(), q.begin(), q.end());
    gradients_.insert(gradients_.end(), gradient.begin(), gradient.end());
    return;
  }
  RandomStream random(
      {.seed = 0, .purpose = Purpose::data, .chain = 0, .iteration = static_cast<std::uint64_t>(seen_)});
  const auto place = static_cast<Index>(random.uniform() * static_cast<double>(seen_));
  if (place >= count()) return;
  std::copy(q.begin(), q.end(), points_.begin() + place * dim_);
  std::copy(gradient.begin(), gradient.end(), gradients_.begin() + place * dim_);
}

std::vector<double> LowRankEstimate::mean() const {
  std::vector<double> mean(at(dim_), 0.0);
  for (std::size_t i = 0; i < points_.size(); ++i) mean[i % at(dim_)] += points_[i] / static_cast<double>(count());
  return mean;
}

LowRankMatrix LowRankEstimate::factor() const {
  const LowRankMatrix nearest = Fit(points_, gradients_, dim_).run();
  const std::vector<double> excess = excess_spread(nearest, points_, gradients_);
  LowRankMatrix::Parts parts = nearest.parts();
  for (std::size_t j = 0; j < excess.size(); ++j)
    if (excess[j] > least_ratio && std::isfinite(excess[j])) parts.after[j] *= std::sqrt(excess[j]);
  return LowRankMatrix(std::move(parts));
}

}  // namespace darboux
