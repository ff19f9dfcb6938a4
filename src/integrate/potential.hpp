#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "darboux/core/choices.hpp"
#include "darboux/model/model.hpp"
#include "integrate/phase_block.hpp"

namespace darboux {

/// U = −log density of a model, for one worker: asks for gradients or values, counts them lane by lane, and turns what goes
/// wrong in a lane into its Status. Only lanes that move (non-zero step) and are still ok are asked for, counted, written.
class alignas(cache_line) Potential {
 public:
  Potential(const Model& model, Index lanes, GradientPrecision precision = GradientPrecision::full);
  void use(GradientPrecision precision) noexcept { precision_ = precision; }
  [[nodiscard]] GradientPrecision precision() const noexcept { return precision_; }
  [[nodiscard]] Index dim() const noexcept { return gradient_.rows(); }
  [[nodiscard]] Index lanes() const noexcept { return gradient_.lanes(); }

  /// out = ∇U(q). A lane whose gradient is not finite becomes `diverged`, one that the model refuses `model_error`.
  void gradient(ConstBatch q, LaneSteps dt, std::span<Status> status, Batch out);
  /// The same, for the first iterations of a solve: in single precision unless all is to be in double.
  void rough_gradient(ConstBatch q, LaneSteps dt, std::span<Status> status, Batch out);
  /// out[lane] = U(q), or +∞ where the model refuses the point.
  void value(ConstBatch q, LaneSteps dt, std::span<Status> status, std::span<double> out);

  /// Computes z.gradient in the lanes that move and, where asked, z.potential, which costs less so than asking for it later.
  void refresh_gradient(PhaseBlock& z, LaneSteps dt, bool with_value);
  /// Computes z.gradient in those lanes that move where it is not current.
  void ensure_gradient(PhaseBlock& z, LaneSteps dt);
  /// Computes z.potential in the lanes that move, unless it is current: +∞ where the model refuses the point.
  void ensure_value(PhaseBlock& z, LaneSteps dt);

  /// How often each lane was evaluated. Gradients and values are counted apart: they cost differently. A value that came
  /// with a gradient does not count.
  [[nodiscard]] std::span<const std::int64_t> gradient_evaluations() const noexcept { return gradient_evaluations_; }
  [[nodiscard]] std::span<const std::int64_t> value_evaluations() const noexcept { return value_evaluations_; }

 private:
  struct Wanted {
    bool value, gradient;
    bool in_single_precision = false;
  };
  /// Whether there was a lane to ask for.
  bool ask(ConstBatch q, LaneSteps dt, std::span<Status> status, Wanted wanted);
  void take_gradient(std::span<Status> status, Batch out);
  void take_value(std::span<double> out) const;
  /// The steps of the lanes that move and whose flag is not set.
  LaneSteps stale(LaneSteps dt, const LaneVector<std::uint8_t>& is_current);

  std::unique_ptr<Evaluator> evaluator_;
  GradientPrecision precision_;
  OwnedBatch gradient_;
  LaneVector<double> log_density_;
  LaneVector<double> not_finite_;  // NaN where a component of the gradient is not finite, 0 elsewhere
  LaneVector<Status> answered_;
  LaneVector<std::uint8_t> active_;
  LaneVector<double> asked_;  // 1 in the active lanes
  LaneVector<double> stale_;
  LaneVector<std::int64_t> gradient_evaluations_, value_evaluations_;
};

/// out[lane] += ½ pᵀp for every lane with a non-zero step.
void add_kinetic_energy(const PhaseBlock& z, LaneSteps dt, std::span<double> out);

/// H = U(q) + ½ pᵀp of every lane with a non-zero step; one value evaluation each. +∞ where U is not defined.
void total_energy(PhaseBlock& z, Potential& u, LaneSteps dt, std::span<double> out);

}  // namespace darboux
