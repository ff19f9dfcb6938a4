#pragma once

#include "darboux/structure/poisson_structure.hpp"
#include "integrate/phase_block.hpp"
#include "linalg/batch_product.hpp"

/// The exact flows that integrators are composed of. Each takes a fraction of the signed step of every lane.
namespace darboux {

/// The flow of U(q) where E = 0: p −= t Aᵀ ∇U(q), with the gradient that z holds.
class KickFlow {
 public:
  explicit KickFlow(const PoissonStructure& structure) : a_transposed_(structure.A_transposed()) {}
  void operator()(PhaseBlock& z, LaneSteps dt, double fraction);

 private:
  StructuredMatrix a_transposed_;
  OwnedBatch force_;
};

/// The flow of ½ pᵀp where G = 0: q += t A p.
class DriftFlow {
 public:
  explicit DriftFlow(const PoissonStructure& structure) : a_(structure.A()) {}
  void operator()(PhaseBlock& z, LaneSteps dt, double fraction);

 private:
  StructuredMatrix a_;
  OwnedBatch velocity_;
};

/// The flow of ½ pᵀp for any G, over t = fraction · step size, in both directions: q += D p, p = R p with
/// [[I, D], [0, R]] = exp(t [[0, A], [0, G]]), that is R = exp(tG) and D = A ∫₀ᵗ exp(sG) ds.
class KineticFlow {
 public:
  KineticFlow(const PoissonStructure& structure, double step_size, double fraction);
  void operator()(PhaseBlock& z, LaneSteps dt);

 private:
  double fraction_;
  DriftFlow drift_;       // all there is when G = 0
  DirectedMatrix d_, r_;  // empty when G = 0
  OwnedBatch rp_;
};

}  // namespace darboux
