#include "integrate/split_midpoint.hpp"

namespace darboux {

SplitMidpoint::SplitMidpoint(const PoissonStructure& structure, double step_size, const SolverOptions& options,
                             int stages)
    : splitting_(&Splitting::of(stages)), a_transposed_(structure.A_transposed()), reverse_check_(options) {
  for (const double fraction : first_half(splitting_->outer)) kinetic_.emplace_back(structure, step_size, fraction);
  for (const double fraction : first_half(splitting_->inner)) {
    PotentialFlow& flow = potential_.emplace_back(PotentialFlow{.fraction = fraction, .solver = {}, .whole = {}});
    if (structure.E().is_zero()) continue;
    const Matrix k = 0.5 * fraction * step_size * structure.E().matrix();
    flow.solver.emplace(DirectedMatrix(k, -k), options);
    flow.whole = DirectedMatrix(2.0 * k, -2.0 * k);
  }
}

IntegratorTraits SplitMidpoint::traits() const noexcept {
  const bool no_solve = !potential_.front().solver.has_value();
  return {.name = "split-midpoint",
          .exactness = no_solve ? Exactness::exact : Exactness::with_reverse_check,
          .is_explicit = no_solve,
          .gradients_per_step = splitting_->stages(),
          .accepts_any_field = no_solve};
}

void SplitMidpoint::flow(PotentialFlow& potential, PhaseBlock& z, Potential& u, LaneSteps dt) {
  fit(gradient_, z.dim(), z.lanes());
  const auto kick = [&](Batch p, LaneSteps h) {
    if (a_transposed_.is_identity()) return add_scaled(gradient_, h, p, -potential.fraction);
    fit(product_, z.dim(), z.lanes());
    a_transposed_.multiply(gradient_, product_);
    add_scaled(product_, h, p, -potential.fraction);
  };
  if (!potential.solver) {
    u.gradient(z.q, dt, z.status, gradient_);
    return kick(z.p, dt);
  }
  reverse_check_.apply(z, dt, [&](Batch q, Batch p, LaneSteps h, std::span<Status> status) {
    fit(midpoint_, z.dim(), z.lanes());
    copy(q, midpoint_);
    potential.solver->solve({q, midpoint_, gradient_, status, z.solver_iterations}, h, u);
    potential.whole.multiply_add(gradient_, h, q);
    kick(p, h);
  });
}

void SplitMidpoint::step(PhaseBlock& z, Potential& u, LaneSteps dt) {
  const auto& [outer, inner] = *splitting_;
  kinetic_[0](z, dt);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    flow(potential_[mirrored(i, inner)], z, u, dt);
    kinetic_[mirrored(i + 1, outer)](z, dt);
  }
}

}  // namespace darboux
