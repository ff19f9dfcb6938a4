#pragma once

#include <span>
#include <utility>
#include <vector>

#include "darboux/linalg/matrix.hpp"
#include "model/optimise.hpp"

namespace darboux {

/// The Gaussian N(μ, Σ) that a climb's waypoint and the pairs before it suggest (Zhang, Carpenter, Gelman, Vehtari 2022):
/// Σ = L Lᵀ is the BFGS estimate of the inverse negative Hessian, from diag(variances) and the pairs, and μ = q + Σ∇ is
/// where Newton's step from the waypoint ends.
///
/// L = F_m ⋯ F_1 diag(variances)^½ with one F = I − s uᵀ for every pair, oldest first: the update
///     Σ ← (I − ρ s yᵀ) Σ (I − ρ y sᵀ) + ρ s sᵀ,   ρ = 1/(s·y),
/// is F Σ Fᵀ with u = ρ y − √(ρ/(sᵀΣ⁻¹s)) Σ⁻¹s, and det F = 1 − u·s = √(ρ sᵀΣ⁻¹s) > 0. So Σ is a covariance however
/// badly scaled the target is, without a decomposition that rounding could spoil.
class LocalGaussian {
 public:
  LocalGaussian(const Waypoint& at, std::span<const double> variances, std::span<const CurvaturePair> pairs);

  /// With L ← L A^{−½}, at another waypoint, where A is the negative Hessian in coordinates whitened by L. Curvatures below
  /// 1e-6 count as that, since differences that yield A cannot tell; directions that curve upwards are left as they are.
  [[nodiscard]] LocalGaussian sharpened(const Waypoint& at, const Matrix& whitened_hessian) const;

  [[nodiscard]] const std::vector<double>& mean() const noexcept { return mean_; }
  /// Where it was made: the model is well-behaved there.
  [[nodiscard]] const Waypoint& waypoint() const noexcept { return waypoint_; }
  /// x + Σ∇: where Newton's step from another waypoint would end.
  [[nodiscard]] std::vector<double> newton(const Waypoint& from) const;

  [[nodiscard]] std::vector<double> spread(std::vector<double> z) const;                             ///< L z
  [[nodiscard]] std::vector<double> around(std::span<const double> q, std::vector<double> z) const;  ///< q + L z
  /// μ + L z: a draw, if z is standard normal.
  [[nodiscard]] std::vector<double> draw(std::vector<double> z) const { return around(mean_, std::move(z)); }
  [[nodiscard]] std::vector<double> whiten_gradient(std::vector<double> g) const;  ///< Lᵀ g
  [[nodiscard]] double squared_distance(std::span<const double> q) const;          ///< ‖L⁻¹(q − μ)‖²
  /// Its log density, but for the constant ½ n log 2π.
  [[nodiscard]] double log_density(std::span<const double> q) const {
    return -0.5 * squared_distance(q) - log_determinant_;
  }
  [[nodiscard]] Matrix factor() const;  ///< L
  [[nodiscard]] bool is_finite() const noexcept;

 private:
  struct Stretch {  // F
    std::vector<double> s, u;
    double determinant = 1.0;
  };

  void update(const CurvaturePair& pair);
  void apply_inverse(std::vector<double>& x) const;             // x ← L⁻¹ x
  void apply_inverse_transposed(std::vector<double>& x) const;  // x ← L⁻ᵀ x

  Waypoint waypoint_;
  std::vector<double> mean_, scales_;
  std::vector<Stretch> stretches_;
  double log_determinant_ = 0.0;
};

/// The diagonal from which the estimate begins, after one more pair (Gilbert and Lemaréchal 1989):
///     1/v_i ← (a/v_i + y_i² − a s_i²/(c v_i²))/b,   a = Σ v y²,  b = s·y,  c = Σ s²/v.
/// But for a common factor that is the diagonal of the BFGS update of diag(1/v), so it stays positive.
void update_variances(std::vector<double>& variances, const CurvaturePair& pair);

}  // namespace darboux
