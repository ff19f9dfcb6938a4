#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/archive.hpp"
#include "model/start.hpp"
#include "sample/archived_types.hpp"
#include "sample/sampler_settings.hpp"

namespace darboux {

/// How long the steps of warm-up may get.
///
/// Of steps of one stage and order 2 fewer are accepted the longer they are, which bounds them. Those of more stages or of order 4,
/// and implicit ones are accepted until shortly before they are not stable, or for ever:
/// an acceptance that is aimed at is then found at the edge only, now on this side and now beyond. They turn the fastest direction by at
/// most a quarter (after half a turn squares are as they were), where it is known how fast that is: with frequency 1 in coordinates that
/// a metric made, and without metric as points that chains have come to tell. In the former an implicit step of one stage may be a whole
/// trajectory, of any length, and no step is longer.
///
/// Where the time of trajectories is given, and coordinates in which it means something, none is longer than that.
///
/// Beside a wall acceptance says little, since long steps are refused and do not count: there a trajectory has at least three.
class LongestStep {
 public:
  explicit LongestStep(const SamplerSettings& settings);

  struct Circumstances {
    int stages = 1;
    double time = 1.5;        ///< of trajectories
    bool has_scales = false;  ///< chains move in coordinates that are made, or there are to be none
    bool has_walls = false;
  };
  [[nodiscard]] double in(const Circumstances& here) const;

  /// Whether it depends on how fast directions turn, and nobody knows.
  [[nodiscard]] bool depends_on_turns(const Circumstances& here) const;
  /// At the median of these points.
  void look_for_turns(const Model& model, ConstBatch points, double step_size);
  [[nodiscard]] std::int64_t gradients() const noexcept { return gradients_; }

  template <class Archive>
  void archive(Archive& fields) {
    fields(turn_, gradients_);
    require_sense(turn_ >= 0.0 && is_count(gradients_, most_gradients), "directions turn as none does");
  }

 private:
  [[nodiscard]] double whatever_the_time(const Circumstances& here) const;
  [[nodiscard]] bool is_bounded_by_acceptance(const Circumstances& here) const;

  const SamplerSettings& settings_;
  double of_integrator_;
  double turn_ = 0.0;  // frequency of the fastest direction; 0 where it is not known
  std::int64_t gradients_ = 0;
};

/// Of steps that nobody adapts, in coordinates whose scales nobody knows or that a file has: puts the frequency of the fastest direction
/// into the starts, where a step of the integrator may be beyond what is stable (all on phase space itself but the midpoint rule). On a
/// structure that is not canonical it is the frequency at which canonical motion is stable for as long steps.
void look_for_the_fastest_turn(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                               const std::optional<Tuning>& given, Starts& starts);

}  // namespace darboux
