#pragma once

#include "integrate/copy_splitting.hpp"

namespace darboux {

/// Exact and explicit at any finite binding, for invertible structures: the Metropolis step happens in the doubled space.
/// With the mean m̃ = (z̃ + w̃)/2 and the offset δ̃ = (z̃ − w̃)/2 of the two copies, the target is
///
///     exp(−H(B m̃)) · N(δ̃; 0, σ²I),
///
/// whose marginal in m = B m̃ is exactly exp(−H). A transition draws δ̃ ~ N(0, σ²I) into PhaseBlock::offset, starts the copies
/// at m̃ ± δ̃, runs the steps, and accepts on the change of H(m) + ‖δ̃‖²/(2σ²); then (q, p) = B m̃ of the end.
class Doubled {
 public:
  Doubled(const PoissonStructure& structure, double step_size, const CopyOptions& options)
      : splitting_(structure, step_size, options) {}
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {.name = "doubled",
            .doubled_space = true,
            .random_offset = true,
            .gradients_per_step = splitting_.gradients_per_step(),
            .extra_gradients = 1,
            .accepts_any_field = true};
  }
  [[nodiscard]] const DarbouxBasis& basis() const noexcept { return splitting_.basis(); }

  void start(PhaseBlock& z, Potential& u, LaneSteps dt);
  void step(PhaseBlock& z, Potential& u, LaneSteps dt) { splitting_.step(z, u, dt); }
  void finish(PhaseBlock& z, LaneSteps dt);

 private:
  CopySplitting splitting_;
};
static_assert(IntegratorStep<Doubled>);

/// ‖δ̃‖²/(2σ²) of every lane with a non-zero step: what the extended energy has beyond H(m).
void add_offset_energy(const PhaseBlock& z, double spread, LaneSteps dt, std::span<double> energy);

}  // namespace darboux
