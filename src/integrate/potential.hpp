#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/model/model.hpp"
#include "integrate/phase_block.hpp"

namespace darboux {

/// In what precision a model that offers both computes gradients. Values, by which proposals are accepted, are always in double.
enum class GradientPrecision : std::uint8_t {
  full,  ///< all in double
  mixed,  ///< implicit solves begin in single precision and end in double: the roots are those of the gradients in double
  single  ///< they only steer: for integrators that are exact with any deterministic field (accepts_any_field)
};
template <>
inline constexpr auto names_of<GradientPrecision> = std::to_array<Named<GradientPrecision>>(
    {{GradientPrecision::full, "full"}, {GradientPrecision::mixed, "mixed"}, {GradientPrecision::single, "single"}});

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

  /// Whether refresh_gradient is to compute z.potential as well, which costs less than asking for it later.
  void want_values(bool wanted) noexcept { values_wanted_ = wanted; }
  [[nodiscard]] bool values_wanted() const noexcept { return values_wanted_; }
  /// Computes z.gradient in the lanes that move.
  void refresh_gradient(PhaseBlock& z, LaneSteps dt);
  /// The same, but only in the lanes where it is not current.
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
  bool values_wanted_ = false;
  LaneVector<std::int64_t> gradient_evaluations_, value_evaluations_;
};

/// out[lane] += ½ pᵀp for every lane with a non-zero step.
void add_kinetic_energy(const PhaseBlock& z, LaneSteps dt, std::span<double> out);

/// H = U(q) + ½ pᵀp of every lane with a non-zero step; one value evaluation each. +∞ where U is not defined.
void total_energy(PhaseBlock& z, Potential& u, LaneSteps dt, std::span<double> out);

}  // namespace darboux
