#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "darboux/linalg/low_rank.hpp"

namespace darboux {

/// A preconditioner L = D (I + Vᵀ diag(s − 1) V) for many dimensions, from points and the gradients there.
///
/// For a Gaussian with covariance Σ gradients are g = −Σ⁻¹(q − μ), so that Σ Cov(g) Σ = Cov(q) holds for the covariances of any
/// sample, however small or far from stationary: Σ is the geometric mean of Cov(q) and Cov(g)⁻¹, without sampling error. Of
/// other densities it is the Gaussian whose gradients are nearest (in the Fisher divergence). Points show well where a density
/// is wide, gradients where it is narrow; V comes from both.
class LowRankEstimate {
 public:
  explicit LowRankEstimate(Index dim);

  /// Keeps at most `capacity(dim)` of all points, each with the same chance.
  void add(std::span<const double> q, std::span<const double> gradient);
  [[nodiscard]] Index count() const noexcept { return std::ssize(points_) / dim_; }  ///< points kept
  [[nodiscard]] static Index capacity(Index dim) noexcept;
  static constexpr Index most_directions = 64;

  [[nodiscard]] std::vector<double> mean() const;
  /// Directions are kept where the spread differs from that of the diagonal by clearly more than noise: by a factor of
  /// 1 + √(n/N) in variance, what the outermost of N points in n dimensions show by chance (Marchenko and Pastur) where
  /// gradients say nothing, and at least by `least_ratio`.
  [[nodiscard]] LowRankMatrix factor() const;
  ///
  /// Where a density is not Gaussian in a coordinate, points spread more widely than the geometric mean says, since gradients are
  /// large where it is narrow. By parts E[x g] = 1 for any density, so that E[x²]/E[x g] tells by how much in variance; for a
  /// Gaussian, where x = g, it is 1 in any sample. A trajectory has to cross what the points show: where that is more by
  /// `least_ratio`, it is the coordinate's scale.
  static constexpr double least_ratio = 1.5;

  template <class Archive>
  void archive(Archive& fields) {
    fields(seen_, points_, gradients_);
    require_sense(seen_ >= 0 && points_.size() == gradients_.size() && std::ssize(points_) % dim_ == 0,
                  "points and gradients do not go together");
  }

 private:
  Index dim_;
  std::int64_t seen_ = 0;
  std::vector<double> points_, gradients_;  // one after the other
};

}  // namespace darboux
