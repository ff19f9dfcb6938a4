#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/core/status.hpp"

namespace darboux {

/// What the sampler says about one draw, beside its values.
struct DrawStatistics {
  double log_density = 0.0;            ///< at the draw, up to a constant
  double acceptance = 0.0;             ///< probability with which the proposal was to be accepted
  double step_size = 0.0;              ///< of the integrator
  double energy = 0.0;                 ///< H of the state after the transition
  double energy_error = 0.0;           ///< ΔH of the proposal; +∞ where it failed
  std::int64_t tree_depth = 0;         ///< 0 for trajectories of fixed length
  std::int64_t steps = 0;              ///< of the integrator
  std::int64_t solver_iterations = 0;  ///< of implicit steps
  std::int64_t gradients = 0;          ///< evaluated
  int direction = 1;                   ///< of the trajectory in time, ±1
  bool accepted = false;
  Status status = Status::ok;  ///< of the proposal

  friend bool operator==(const DrawStatistics&, const DrawStatistics&) = default;
};

enum class DrawPhase { warmup, sampling };
template <>
inline constexpr auto names_of<DrawPhase> =
    std::to_array<Named<DrawPhase>>({{DrawPhase::warmup, "warmup"}, {DrawPhase::sampling, "sampling"}});

/// The shape of the matrix that the momenta are scaled with, named as in Stan's files.
enum class MetricShape { unit, diagonal, dense };
template <>
inline constexpr auto names_of<MetricShape> = std::to_array<Named<MetricShape>>(
    {{MetricShape::unit, "unit_e"}, {MetricShape::diagonal, "diag_e"}, {MetricShape::dense, "dense_e"}});

/// What warm-up settled on for one chain.
struct Adaptation {
  double step_size = 0.0;
  MetricShape metric = MetricShape::unit;
  // NOLINTNEXTLINE(readability-redundant-member-init): so designated initialisers may leave it out without a warning
  std::vector<double> inverse_metric{};  ///< n numbers if diagonal, n² by rows if dense, none if unit
};

struct ElapsedSeconds {
  double warmup = 0.0;
  double sampling = 0.0;
};

/// Where the draws of ONE chain go: each chain has a sink of its own, so that chains on different threads share nothing.
/// Calls come from one thread at a time, in this order:
///
///     draw …  (warm-up draws, only where those are wanted)
///     end_warmup
///     draw …
///     finish  (also after an interrupt, which may come at any point)
///
/// A sink that is destroyed without finish(), because something threw, keeps what it was given.
class DrawSink {
 public:
  DrawSink() = default;
  DrawSink(const DrawSink&) = delete;
  DrawSink& operator=(const DrawSink&) = delete;
  virtual ~DrawSink() = default;

  /// The next draw that is kept. `values` has one entry per output of the model and is not held on to.
  virtual void draw(std::span<const double> values, const DrawStatistics& statistics) = 0;
  /// Draws from here on count.
  virtual void end_warmup(const Adaptation& adaptation) = 0;
  /// Makes what was given so far visible to other processes.
  virtual void flush() {}
  virtual void finish(const ElapsedSeconds& elapsed) = 0;
};

}  // namespace darboux
