#pragma once

// What a run came to: what warm-up settled on, what it cost, and what ended it.

#include <cstdint>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/core/choices.hpp"
#include "darboux/sample/tuning.hpp"

namespace darboux {

enum class SampleEnd {
  complete,     ///< all was drawn that was asked for
  interrupted,  ///< by the stop flag, before all was drawn
  out_of_time   ///< by max_seconds, before all was drawn
};

template <>
inline constexpr auto names_of<SampleEnd> = std::to_array<Named<SampleEnd>>({{SampleEnd::complete, "complete"},
                                                                             {SampleEnd::interrupted, "interrupted"},
                                                                             {SampleEnd::out_of_time, "out-of-time"}});

struct SampleResult {
  Tuning tuning;
  GradientPrecision gradient_precision = GradientPrecision::full;  ///< that draws were made with
  bool single_precision_is_too_rough = false;                      ///< it is full for that reason
  std::vector<Index> late_chains{};                                ///< that warm-up had to bring where the others were
  std::vector<Index>
      absent_chains{};  ///< that were not where the others were when warm-up ended: in a mode of their own, or stuck
  double target_acceptance = 0.0;  ///< that the step size was chosen for; 0 without warm-up
  double hopeless = 0.0;  ///< if above 0, the share of late proposals of warm-up that made it choose shorter steps
  double narrow = 0.0;    ///< if above 0, the share of them for which it tried no longer steps
  double refused =
      0.0;  ///< if above 0, the share of proposals that ended where the model refuses, however short the steps
  /// Where nothing is adapted, the frequency of the fastest direction around the starting points, in the coordinates in which chains
  /// move; 0 where it is not known.
  double fastest = 0.0;
  int order = 2;  ///< of the integrator, whose steps may be so long
  /// Effective draws per gradient that warm-up foresaw for the trajectories that it chose, and for steps as the target acceptance
  /// alone has them; 0 where it had no choice.
  double foreseen = 0.0, foreseen_otherwise = 0.0;
  /// Variance of the log density in warm-up over that of a Gaussian, by which the motion was chosen; 0 where there was no choice.
  double scatter = 0.0;
  std::int64_t warmup_gradients = 0;  ///< with those for finding starting points, and log densities there
  std::int64_t start_gradients = 0;   ///< of these, for finding starting points
  std::int64_t late_gradients = 0;    ///< of these, for bringing late chains to the others
  std::int64_t sampling_gradients = 0;
  double warmup_seconds = 0.0;        ///< likewise
  double warmup_cpu_seconds = 0.0;    ///< of all threads
  double sampling_cpu_seconds = 0.0;  ///< likewise
  double sampling_seconds = 0.0;      ///< without what was done between looks
  int draws = 0;                      ///< of each chain, after warm-up
  SampleEnd end = SampleEnd::complete;
};

}  // namespace darboux
