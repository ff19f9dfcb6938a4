#pragma once

#include <vector>

#include "darboux/structure/poisson_structure.hpp"
#include "integrate/phase_block.hpp"

namespace darboux {

/// The exact motion for a Gaussian target: with H = ½ (q − μ)ᵀP(q − μ) + ½ pᵀp the dynamics are linear,
///
///     (q − μ, p)(t) = exp(t 𝔹 diag(P, I)) (q − μ, p)(0).
///
/// The oracle for order and step length of every integrator.
class GaussianFlow {
 public:
  GaussianFlow(const PoissonStructure& structure, const Matrix& precision, std::vector<double> mean);

  [[nodiscard]] Matrix propagator(double t) const;
  /// Moves every lane of z by time t.
  void advance(PhaseBlock& z, double t) const;

 private:
  Matrix generator_;
  std::vector<double> mean_;
};

}  // namespace darboux
