#include "integrate/split_midpoint.hpp"

namespace darboux {

SplitMidpoint::SplitMidpoint(const PoissonStructure& structure, double step_size, const SolverOptions& options)
    : a_transposed_(structure.A_transposed()), half_kinetic_(structure, step_size, 0.5), reverse_check_(options) {
  if (structure.E().is_zero()) return;
  const Matrix k = 0.5 * step_size * structure.E().matrix();
  solver_.emplace(DirectedMatrix(k, -k), options);
  whole_ = DirectedMatrix(2.0 * k, -2.0 * k);
}

IntegratorTraits SplitMidpoint::traits() const noexcept {
  const bool no_solve = !solver_.has_value();
  return {.name = "split-midpoint",
          .exactness = no_solve ? Exactness::exact : Exactness::with_reverse_check,
          .is_explicit = no_solve,
          .gradients_per_step = 1,
          .accepts_any_field = no_solve};
}

void SplitMidpoint::step(PhaseBlock& z, Potential& u, LaneSteps dt) {
  fit(gradient_, z.dim(), z.lanes());
  const auto kick = [&](Batch p, LaneSteps h) {
    if (a_transposed_.is_identity()) return add_scaled(gradient_, h, p, -1.0);
    fit(product_, z.dim(), z.lanes());
    a_transposed_.multiply(gradient_, product_);
    add_scaled(product_, h, p, -1.0);
  };

  half_kinetic_(z, dt);
  if (!solver_) {
    u.gradient(z.q, dt, z.status, gradient_);
    kick(z.p, dt);
  } else {
    reverse_check_.apply(z, dt, [&](Batch q, Batch p, LaneSteps h, std::span<Status> status) {
      fit(midpoint_, z.dim(), z.lanes());
      copy(q, midpoint_);
      solver_->solve({q, midpoint_, gradient_, status, z.solver_iterations}, h, u);
      whole_.multiply_add(gradient_, h, q);
      kick(p, h);
    });
  }
  half_kinetic_(z, dt);
}

}  // namespace darboux
