#include "integrate/flows.hpp"

#include "linalg/dense.hpp"
#include "linalg/skew_schur.hpp"

namespace darboux {

void KickFlow::operator()(PhaseBlock& z, LaneSteps dt, double fraction) {
  if (a_transposed_.is_identity()) return add_scaled(z.gradient, dt, z.p, -fraction);
  fit(force_, z.dim(), z.lanes());
  a_transposed_.multiply(z.gradient, force_);
  add_scaled(force_, dt, z.p, -fraction);
}

void DriftFlow::operator()(PhaseBlock& z, LaneSteps dt, double fraction) {
  z.forget_gradient(dt);
  if (a_.is_identity()) return add_scaled(z.p, dt, z.q, fraction);
  fit(velocity_, z.dim(), z.lanes());
  a_.multiply(z.p, velocity_);
  add_scaled(velocity_, dt, z.q, fraction);
}

KineticFlow::KineticFlow(const PoissonStructure& structure, double step_size, double fraction)
    : fraction_(fraction), drift_(structure) {
  if (structure.G().is_zero()) return;
  const SkewSchur g = skew_schur(structure.G().matrix());
  const Matrix a = structure.A().matrix();
  const double t = fraction * step_size;
  d_ = DirectedMatrix(a * rotation_integral(g, t), a * rotation_integral(g, -t));
  r_ = DirectedMatrix(rotation(g, t), rotation(g, -t));
}

void KineticFlow::operator()(PhaseBlock& z, LaneSteps dt) {
  if (r_.empty()) return drift_(z, dt, fraction_);
  z.forget_gradient(dt);
  fit(rp_, z.dim(), z.lanes());
  d_.multiply_add(z.p, dt, z.q);
  r_.multiply(z.p, dt, rp_);
  assign_where(rp_, dt, z.p);
}

}  // namespace darboux
