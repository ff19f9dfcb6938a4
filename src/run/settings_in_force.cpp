#include "run/settings_in_force.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "darboux/structure/recipes.hpp"

namespace darboux {

namespace {

class SettingsInForce {
 public:
  SettingsInForce(const RunPlan& plan, const ValueTree& asked, ValueTree& decided)
      : config_(plan.config), sample_(plan.sample), settings_(plan.sample.settings), asked_(asked), decided_(decided) {}

  void add_all() {
    add("dimension", sample_.model->dim());
    if (!sample_.asked.starts) add("init", init());
    add_structure();
    add_integrator();
    add_trajectory();
    add("map", settings_.map ? ValueTree(name(*settings_.map)) : in_warmup());
    add("gradient-precision", settings_.gradient_precision ? ValueTree(name(*settings_.gradient_precision))
                              : sample_.model->traits().single_precision_gradients
                                  ? in_warmup()
                                  : ValueTree(name(GradientPrecision::full)));
    if (config_.model == "logistic") add("shard", name(Sharding::none));
    add("format", name(DrawFormat::csv));
  }

 private:
  static ValueTree in_warmup() { return left_to_warmup; }
  [[nodiscard]] bool warms_up() const { return settings_.warmup > 0 && !sample_.tuning; }
  [[nodiscard]] const Tuning& first() const { return sample_.tuning ? *sample_.tuning : settings_.first; }

  void add(const std::string& flag, ValueTree value) {
    if (asked_.find(flag) != nullptr) return;
    std::string key = flag;
    std::ranges::replace(key, '-', '_');
    decided_.set(std::move(key), std::move(value));
  }

  /// With a tuning, chains start where it says that the target is.
  [[nodiscard]] ValueTree init() const {
    if (!sample_.asked.start && sample_.tuning) return "tuning";
    return name(sample_.asked.start.value_or(sample_.model->traits().start));
  }

  void add_structure() {
    const auto recipe = find_name<Recipe>(config_.structure_source);
    if (!recipe || *recipe == Recipe::canonical) return;
    if (!config_.k) add("strength", 0.5);
    add("structure-seed", 1);
  }

  void add_integrator() {
    const IntegratorTraits& traits = traits_of(settings_.integrator);
    const bool chooses = settings_.chooses_steps && warms_up();
    add("motion", settings_.chooses_motion && warms_up() ? in_warmup() : ValueTree(name(first().motion)));
    add("stages", chooses && !settings_.keeps_stages ? in_warmup() : ValueTree(first().stages));
    add("momentum-kept", chooses && !settings_.keeps_refreshment ? in_warmup() : ValueTree(first().momentum_kept));
    add("step-size", warms_up() ? in_warmup() : ValueTree(first().step_size));
    if (!traits.is_explicit) add("tolerance", settings_.solver.tolerance);
    if (traits.random_offset) {
      const bool is_open = warms_up() && settings_.tune_copies;
      add("copy-spread", is_open ? in_warmup() : ValueTree(first().copy_spread));
      add("angle", is_open ? in_warmup() : ValueTree(first().binding_angle));
    } else if (traits.doubled_space && !config_.angle) {
      if (const auto* const binding = std::get_if<BindingStrength>(&settings_.copies.binding))
        add("binding", binding->omega);
    }
  }

  void add_trajectory() {
    const TrajectoryTraits traits = settings_.trajectory.traits();
    const TrajectoryLength& length = settings_.trajectory.length();
    if (traits.takes_depth) add("max-depth", NutsTrajectory().max_depth);
    if (traits.goes_both_ways) return;
    const bool finds_length = warms_up() && (traits.needs_warmup || (settings_.chooses_steps && !settings_.keeps_time));
    if (!length.steps) add("trajectory-time", finds_length ? in_warmup() : ValueTree(length.time));
    if (!length.steps)
      add("steps", warms_up() ? in_warmup() : ValueTree(sample_.tuning ? first().steps : untuned(settings_).steps));
  }

  const RunConfig& config_;
  const SamplePlan& sample_;
  const SamplerSettings& settings_;
  const ValueTree& asked_;
  ValueTree& decided_;
};

}  // namespace

void add_settings_in_force(const RunPlan& plan, const ValueTree& asked, ValueTree& decided) {
  SettingsInForce(plan, asked, decided).add_all();
}

}  // namespace darboux
