#include "integrate/midpoint.hpp"

#include "linalg/dense.hpp"
#include "linalg/skew_schur.hpp"

namespace darboux {

namespace {

/// f(ε/2) and f(−ε/2).
template <class F>
DirectedMatrix both_directions(double step_size, F&& f) {
  return {f(0.5 * step_size), f(-0.5 * step_size)};
}

/// W = (I − hG)⁻¹. G is skew, so it exists for every h.
Matrix momentum_solve(const PoissonStructure& s, double h) {
  if (s.G().is_zero()) return Matrix::identity(s.dim());
  return resolvent(skew_schur(s.G().matrix()), h);
}

Matrix position_coupling(const PoissonStructure& s, double h) {
  const Matrix a = s.A().matrix();
  return h * s.E().matrix() - h * h * (a * momentum_solve(s, h) * a.transposed());
}

}  // namespace

Midpoint::Midpoint(const PoissonStructure& structure, double step_size, const SolverOptions& options)
    : structure_(structure),
      w_(both_directions(step_size, [&](double h) { return momentum_solve(structure, h); })),
      haw_(both_directions(step_size,
                           [&](double h) { return h * (structure.A().matrix() * momentum_solve(structure, h)); })),
      solver_(both_directions(step_size, [&](double h) { return position_coupling(structure, h); }), options),
      reverse_check_(options) {}

void Midpoint::step(PhaseBlock& z, Potential& u, LaneSteps dt) {
  z.forget_gradient(dt);
  for (OwnedBatch* scratch : {&c_, &q_mid_, &p_mid_, &gradient_, &dq_, &dp_}) fit(*scratch, z.dim(), z.lanes());
  reverse_check_.apply(z, dt, [&](Batch q, Batch p, LaneSteps h, std::span<Status> status) {
    haw_.multiply_add(p, h, q, c_);
    copy(c_, q_mid_);  // where the momentum alone would lead
    solver_.solve({c_, q_mid_, gradient_, status, z.solver_iterations}, h, u);

    structure_.A_transposed().multiply(gradient_, dp_);
    copy(p, dq_);
    add_scaled(dp_, h, dq_, -0.5);
    w_.multiply(dq_, h, p_mid_);
    structure_.apply(gradient_, p_mid_, {dq_, dp_});
    add_scaled(dq_, h, q);
    add_scaled(dp_, h, p);
  });
}

}  // namespace darboux
