#pragma once

#include <variant>

#include "darboux/core/enumeration.hpp"
#include "integrate/traits.hpp"
#include "structure/darboux_basis.hpp"

namespace darboux {

/// In which sequence the three flows of a step on two copies follow each other.
enum class CopySequence {
  paper,        ///< Φ₁½ Φ₂½ Φ₃ Φ₂½ Φ₁½ (Brofos and Lederman, after Tao): 3 gradients per step
  two_gradient  ///< Φ₁½ Φ₃½ Φ₂ Φ₃½ Φ₁½: 2 gradients per step
};
template <>
inline constexpr auto names_of<CopySequence> =
    std::to_array<Named<CopySequence>>({{CopySequence::paper, "paper"}, {CopySequence::two_gradient, "two-gradient"}});

/// How strongly the copies are bound: a strength ω, for which Φ₃ turns their difference by θ = 2 ε ω, or the angle θ itself.
/// An angle changes sign with the direction, as 2 ε ω does. Large angles are unstable (near π the copies swap); θ ≲ 1 is safe.
struct BindingStrength {
  double omega = 1.0;
};
struct BindingAngle {
  double theta = 0.5;
};
using Binding = std::variant<BindingStrength, BindingAngle>;

struct CopyOptions {
  CopySequence sequence = CopySequence::two_gradient;
  Binding binding = BindingStrength{};
  DarbouxBasis basis;  ///< empty: the Schur basis of the structure
};
/// Throws InputError naming the option, its value and the rule.
void validate(const CopyOptions& options);

/// One symmetric, symplectic, explicit step on two copies (q̃, p̃) and (x̃, ỹ) of phase space in canonical coordinates, for
/// the Hamiltonian H̃(q̃, ỹ) + H̃(x̃, p̃) + (ω/2)(‖q̃ − x̃‖² + ‖p̃ − ỹ‖²) with H̃(z̃) = H(B z̃), ∇H̃ = Bᵀ∇H(B z̃). Its flows are
///
///     Φ₁: p̃ −= t ∂₁H̃(q̃, ỹ),  x̃ += t ∂₂H̃(q̃, ỹ)
///     Φ₂: q̃ += t ∂₂H̃(x̃, p̃),  ỹ −= t ∂₁H̃(x̃, p̃)
///     Φ₃: the difference of the copies turns by θ, their mean stays.
///
/// Φ₁ leaves (q̃, ỹ) where they are, so one gradient serves the end of a step and the beginning of the next.
class CopySplitting {
 public:
  CopySplitting(const PoissonStructure& structure, double step_size, const CopyOptions& options);

  [[nodiscard]] const DarbouxBasis& basis() const noexcept { return basis_; }
  [[nodiscard]] int gradients_per_step() const noexcept { return sequence_ == CopySequence::paper ? 3 : 2; }

  /// Computes the gradient at (q̃, ỹ), which step needs and keeps current.
  void start(PhaseBlock& z, Potential& u, LaneSteps dt);
  void step(PhaseBlock& z, Potential& u, LaneSteps dt);

 private:
  struct MixedPoint {
    ConstBatch position, momentum;
  };
  void gradient(MixedPoint at, PhaseBlock& z, Potential& u, LaneSteps dt);
  void phi1(PhaseBlock& z, LaneSteps dt, double fraction) const;
  void phi2(PhaseBlock& z, Potential& u, LaneSteps dt, double fraction);
  void phi3(PhaseBlock& z, LaneSteps dt, double fraction) const;
  void refresh(PhaseBlock& z, Potential& u, LaneSteps dt);

  CopySequence sequence_;
  double angle_;  // θ of a whole forward step
  DarbouxBasis basis_;
  Matrix basis_transposed_;
  OwnedBatch mixed_, physical_, gradient_;
};

}  // namespace darboux
