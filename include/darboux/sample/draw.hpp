#pragma once

// A draw: its values, what the sampler says about how it came about, and which one it is.

#include <cstdint>
#include <span>

#include "darboux/core/batch.hpp"
#include "darboux/core/enumeration.hpp"
#include "darboux/core/status.hpp"

namespace darboux {

enum class Phase { warmup, sampling };
template <>
inline constexpr auto names_of<Phase> =
    std::to_array<Named<Phase>>({{Phase::warmup, "warmup"}, {Phase::sampling, "sampling"}});

/// What the sampler says about the transition that led to a draw.
struct Transition {
  double log_density = 0.0;             ///< at the draw, up to a constant
  double step_size = 0.0;               ///< of the integrator
  double energy_error = 0.0;            ///< ΔH of the proposal; +∞ where it failed
  double acceptance_probability = 0.0;  ///< min(1, e^{−ΔH}); 0 where it failed
  double energy = 0.0;                  ///< H of the state after the transition
  double direction = 0.0;               ///< ±1: of the proposal in time
  bool accepted = false;
  Status status = Status::ok;  ///< of the proposal; anything but ok was rejected
  std::int64_t gradients = 0;
  std::int64_t solver_iterations = 0;  ///< of implicit steps
  int steps = 0;                       ///< of the integrator
  int tree_depth = 0;                  ///< of NUTS; 0 for others

  friend bool operator==(const Transition&, const Transition&) = default;
};

/// One draw as it happens.
struct Draw {
  std::span<const double> values;  ///< the model's own (Model::names), valid during the call only
  const Transition& transition;    ///< likewise
  Index chain = 0;
  int iteration = 0;  ///< from 0, within its phase
  Phase phase = Phase::sampling;
};

}  // namespace darboux
