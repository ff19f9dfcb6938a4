#include <fmt/format.h>

#include <algorithm>

#include "darboux/core/error.hpp"
#include "darboux/model/start.hpp"
#include "darboux/sample/run_config.hpp"
#include "darboux/sample/tuning_file.hpp"
#include "darboux/sample/warm_up.hpp"
#include "darboux/structure/recipes.hpp"
#include "darboux/structure/structure_json.hpp"

namespace darboux {

namespace {

PoissonStructure choose_structure(const RunConfig& c, Index dim) {
  if (c.structure.ends_with(".json")) {
    if (c.strength || c.k) throw InputError("strength and k are for named structures, but structure is a file");
    PoissonStructure structure = read_structure(c.structure);
    if (structure.dim() != dim)
      throw InputError(fmt::format("{}: the structure has dimension {}, but model {} has {}", c.structure,
                                   structure.dim(), c.model, dim));
    return structure;
  }
  if (c.strength && c.k) throw InputError("strength and k are two ways to say one thing: give one of them");
  const Recipe recipe = recipe_from_name(c.structure);
  if (recipe == Recipe::canonical && (c.strength || c.k))
    throw InputError("strength and k have no meaning for the canonical structure: choose another with --structure");
  BlockSize size = SpectralStrength{c.strength.value_or(1.0)};
  if (c.k) size = Divisor{*c.k};
  return make_structure(recipe, dim, {.size = size, .seed = c.structure_seed, .A = {}});
}

/// The cheapest exact integrator for a structure.
IntegratorKind choose_integrator(const PoissonStructure& structure) {
  if (!structure.E().is_zero()) return IntegratorKind::split_midpoint;
  return structure.G().is_zero() ? IntegratorKind::leapfrog : IntegratorKind::magnetic_leapfrog;
}

OwnedBatch choose_starts(const RunConfig& c, const Model& model) {
  StartOptions options{.seed = *c.seed, .chains = c.chains};
  if (c.init.ends_with(".json")) return read_starts(model, c.init, c.chains);
  if (!c.init.empty()) options.method = start_method_from_name(c.init);
  return draw_starts(model, options);
}

void check_integrator_settings(const RunConfig& c, IntegratorKind kind) {
  const bool copies = kind == IntegratorKind::explicit_copies || kind == IntegratorKind::doubled;
  const bool implicit = kind == IntegratorKind::midpoint || kind == IntegratorKind::split_midpoint;
  const auto check = [&](std::string_view field, bool given, bool meant, std::string_view whom) {
    if (given && !meant)
      throw InputError(fmt::format("{} is for {}, but the integrator is {}", field, whom, name(kind)));
  };
  check("tolerance", c.tolerance.has_value(), implicit, "midpoint and split-midpoint");
  check("binding", c.binding.has_value(), kind == IntegratorKind::explicit_copies,
        "explicit (doubled is bound by an angle: --angle)");
  check("angle", c.angle.has_value(), copies, "explicit and doubled");
  check("copy-spread", c.copy_spread.has_value(), kind == IntegratorKind::doubled, "doubled");
  if (c.binding && c.angle) throw InputError("binding and angle are two ways to say one thing: give one of them");
}

}  // namespace

RunPlan make_plan(const RunConfig& c) {
  RunPlan plan;
  ModelOptions model_options{.data = c.data,
                             .response = c.response,
                             .intercept = c.no_intercept ? std::optional(false) : std::nullopt,
                             .prior_scale = c.prior_scale,
                             .dimension = c.dimension};
  plan.model = make_model(c.model, model_options);
  const Index dim = plan.model->dim();

  SampleOptions& o = plan.options;
  o.chains = c.chains;
  o.warmup = c.tuning.empty() ? c.warmup : 0;
  o.draws = c.draws;
  o.seed = c.seed.value();
  o.threads = c.threads.value();
  o.structure = choose_structure(c, dim);
  o.integrator = c.integrator.value_or(choose_integrator(*o.structure));
  check_integrator_settings(c, o.integrator);
  o.integrator_options.order = c.order;
  if (c.gradient_precision == GradientPrecision::single && !plan.model->traits().single_precision_gradients)
    throw InputError(
        fmt::format("gradient-precision = single: model {} computes its gradients in full precision only", c.model));
  o.gradient_precision = c.gradient_precision;
  o.integrator_options.step_size = c.step_size.value_or(0.1);
  if (c.tolerance) {
    o.integrator_options.solver.tolerance = *c.tolerance;
    o.integrator_options.solver.reverse_threshold =
        std::max(o.integrator_options.solver.reverse_threshold, 100.0 * *c.tolerance);
  }
  if (c.binding) o.integrator_options.copies.binding = BindingStrength{*c.binding};
  if (c.angle) o.integrator_options.copies.binding = BindingAngle{*c.angle};
  constexpr Index largest_dense = 200;
  o.metric = c.metric.value_or(dim <= largest_dense ? Metric::dense : Metric::diagonal);
  o.fixed_steps = c.steps.has_value();
  o.kernel.steps = c.steps.value_or(10);
  o.kernel.direction = c.direction;
  o.kernel.persistence = c.refresh;
  o.kernel.copy_spread = c.copy_spread.value_or(o.kernel.copy_spread);
  o.tune_copies = !c.angle && !c.copy_spread;
  o.trajectory_time = c.trajectory_time.value_or(o.trajectory_time);
  o.target_acceptance = c.target_acceptance.value_or(default_target_acceptance(o.integrator, plan.model->traits()));
  if (c.refresh == 1.0)
    throw InputError(
        "refresh = 1: the momentum would never change and chains never forget where they began; choose less than 1");
  if (c.tuning.empty() && c.warmup == 0 && !c.step_size)
    throw InputError(
        "warmup = 0 leaves the step size open: give one with --step-size, or an earlier run's with --tuning");
  if (!c.tuning.empty()) plan.tuning = read_tuning(c.tuning, dim);
  validate(o, dim);
  plan.starts = choose_starts(c, *plan.model);
  return plan;
}

}  // namespace darboux
