#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "darboux/core/error.hpp"
#include "darboux/structure/recipes.hpp"
#include "model/start.hpp"
#include "run/run_config.hpp"
#include "run/tuning_file.hpp"
#include "sample/low_rank_estimate.hpp"
#include "sample/warm_up.hpp"
#include "structure/structure_json.hpp"

namespace darboux {

namespace {

/// What a name means, in a field that could also hold a file.
template <Enumeration E>
E chosen(std::string_view field, std::string_view what, const std::string& value) {
  try {
    return from_name<E>(what, value);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{} = {}: {}; or a file whose name ends in .json", field, value, e.what()));
  }
}

/// Before anything is allocated. What is counted is the least that a run needs, so nothing is refused that could work.
void require_room(const RunConfig& c, Index dim, Metric metric) {
  constexpr double most_rows = 1e12;
  const double rows = static_cast<double>(c.chains) * most_draws(c) / c.thin;
  if (rows > most_rows)
    throw InputError(fmt::format("chains = {}, {} = {}: {:.1g} rows in all, must be at most {:.0g}", c.chains,
                                 c.target_ess ? "max-draws" : "draws", most_draws(c), rows, most_rows));
  const auto n = static_cast<double>(dim);
  const bool dense_structure = c.structure != "canonical" && !c.structure.ends_with(".json");
  const double of_chains = 8.0 * n * static_cast<double>(c.chains);  // q, p, gradient, a copy of each, start, positions
  // Covariance, its factor, the factor's transpose and inverse, what goes to files; blocks, and those in normal form.
  const double matrices = (metric == Metric::dense ? 5.0 : 0.0) + (dense_structure ? 4.0 : 0.0);
  // Points and gradients, by rows and by columns; directions of the factor, its transpose and inverse, each twice.
  const auto points = static_cast<double>(LowRankEstimate::capacity(dim));
  constexpr auto directions = static_cast<double>(LowRankEstimate::most_directions);
  const double of_low_rank = metric == Metric::low_rank ? 6.0 * (points + directions) * n : 0.0;
  const double bytes = sizeof(double) * (of_chains + matrices * n * n + of_low_rank);
  const double here = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  if (bytes > here)
    throw InputError(
        fmt::format("dimension {}, chains = {}, metric = {}, structure = {}: at least {:.0f} GB of memory "
                    "are needed, must be at most the {:.0f} GB that this machine has",
                    dim, c.chains, name(metric), c.structure, bytes / 1e9, here / 1e9));
}

void check_stopping_rules(const RunConfig& c) {
  if (c.max_draws && !c.target_ess)
    throw InputError("max-draws is for target-ess, which is not given: --draws says how many draws there are to be");
  if (most_draws(c) < c.draws)
    throw InputError(fmt::format("max-draws = {}: must be at least draws = {}", *c.max_draws, c.draws));
}

/// Steps or a time that are given are meant. In coordinates whitened by a dense preconditioner a quarter turn is about best for
/// every target that was measured (docs/tuning.md), and looking for better only adds noise; otherwise warm-up has to find out.
TrajectoryRule choose_trajectory(const RunConfig& c, Metric metric) {
  const bool length_given = c.steps || c.trajectory_time;
  if (length_given && c.trajectory && *c.trajectory != TrajectoryRule::fixed)
    throw InputError(fmt::format("{} is for trajectories of a given length, but trajectory = {}",
                                 c.steps ? "steps" : "trajectory-time", name(*c.trajectory)));
  if (c.steps && c.trajectory_time)
    throw InputError("steps and trajectory-time are two ways to say one thing: give one of them");
  if (c.direction != DirectionMode::persistent && c.trajectory == TrajectoryRule::nuts)
    throw InputError(fmt::format("direction = {}: nuts goes both ways; leave one of them out", name(c.direction)));
  if (c.reverse_check != 1.0 && c.trajectory == TrajectoryRule::nuts)
    throw InputError(fmt::format("reverse-check = {}: must be 1 for nuts", c.reverse_check));
  const bool tunes = c.warmup > 0 && c.tuning.empty();
  if (c.trajectory == TrajectoryRule::chees && !tunes)
    throw InputError("trajectory = chees: needs warm-up; must be static or nuts without");
  const bool known = length_given || metric == Metric::dense || !tunes;
  const auto rule = c.trajectory.value_or(known ? TrajectoryRule::fixed : TrajectoryRule::chees);
  if (c.max_depth && rule != TrajectoryRule::nuts)
    throw InputError(fmt::format("max-depth is for nuts, but trajectory = {}", name(rule)));
  return rule;
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
  check("reverse-check", c.reverse_check != 1.0, implicit, "midpoint and split-midpoint");
  if (c.binding && c.angle) throw InputError("binding and angle are two ways to say one thing: give one of them");
}

/// What warm-up would use or find out.
void refuse_settings_of_warmup(const RunConfig& c, IntegratorKind kind) {
  if (c.warmup > 0 && c.tuning.empty()) return;
  const auto check = [&](std::string_view field, bool given) {
    if (given)
      throw InputError(fmt::format("{} is given, but {}: leave one of them out", field,
                                   c.tuning.empty() ? "warmup = 0" : "tuning decides it"));
  };
  check("metric", c.metric.value_or(Metric::identity) != Metric::identity || (c.metric && !c.tuning.empty()));
  if (!c.tuning.empty()) {
    check("step-size", c.step_size.has_value());
    check("steps", c.steps.has_value());
    check("trajectory-time", c.trajectory_time.has_value());
    check("copy-spread", c.copy_spread.has_value());
    check("angle", c.angle && kind == IntegratorKind::doubled);
  }
  check("target-acceptance", c.target_acceptance.has_value());
  check("save-warmup", c.save_warmup);
}

RunPlan planned(const RunConfig& c) {
  check_stopping_rules(c);
  RunPlan plan;
  ModelOptions model_options{.data = c.data,
                             .response = c.response,
                             .intercept = c.no_intercept ? std::optional(false) : std::nullopt,
                             .prior_scale = c.prior_scale,
                             .dimension = c.dimension};
  plan.model = make_model(c.model, model_options);
  const Index dim = plan.model->dim();

  SampleOptions& o = plan.options;
  constexpr Index largest_dense = 200;
  o.metric = c.metric.value_or(dim <= largest_dense ? Metric::dense : Metric::low_rank);
  require_room(c, dim, o.metric);
  o.chains = c.chains;
  o.warmup = c.tuning.empty() ? c.warmup : 0;
  o.draws = most_draws(c);
  o.max_seconds = c.max_seconds;
  o.seed = c.seed.value();
  o.threads = c.threads.value();
  o.structure = plan_structure(c, dim);
  o.integrator = c.integrator.value_or(cheapest_exact_integrator(*o.structure));
  check_integrator_settings(c, o.integrator);
  o.integrator_options.order = c.order;
  if (c.gradient_precision.value_or(GradientPrecision::full) != GradientPrecision::full &&
      !plan.model->traits().single_precision_gradients)
    throw InputError(
        fmt::format("gradient-precision = {}: model {} computes its gradients in full precision only; leave it out",
                    name(*c.gradient_precision), c.model));
  o.gradient_precision = c.gradient_precision;
  o.integrator_options.step_size = c.step_size.value_or(0.1);
  if (c.tolerance) {
    o.integrator_options.solver.tolerance = *c.tolerance;
    o.integrator_options.solver.reverse_threshold =
        std::max(o.integrator_options.solver.reverse_threshold, 100.0 * *c.tolerance);
  }
  if (c.binding) o.integrator_options.copies.binding = BindingStrength{*c.binding};
  if (c.angle) o.integrator_options.copies.binding = BindingAngle{*c.angle};
  o.fixed_steps = c.steps.has_value();
  o.kernel.steps = c.steps.value_or(10);
  o.kernel.direction = c.direction;
  o.kernel.persistence = c.refresh;
  o.kernel.copy_spread = c.copy_spread.value_or(o.kernel.copy_spread);
  o.kernel.reverse_check_rate = c.reverse_check;
  o.tune_copies = !c.angle && !c.copy_spread;
  o.trajectory = choose_trajectory(c, o.metric);
  o.kernel.max_depth = c.max_depth.value_or(o.kernel.max_depth);
  o.trajectory_time = c.trajectory_time.value_or(o.trajectory_time);
  o.target_acceptance = c.target_acceptance.value_or(default_target_acceptance(o.integrator, plan.model->traits()));
  if (c.refresh == 1.0)
    throw InputError(
        "refresh = 1: the momentum would never change and chains never forget where they began; choose less than 1");
  if (c.tuning.empty() && c.warmup == 0 && !c.step_size)
    throw InputError(
        "warmup = 0 leaves the step size open: give one with --step-size, or an earlier run's with --tuning");
  refuse_settings_of_warmup(c, o.integrator);
  if (!c.tuning.empty()) {
    plan.tuning = read_tuning(c.tuning, {.name = c.model, .dim = dim});
    o.metric = metric_of(plan.tuning->factor);
  }
  validate(o, dim);
  plan.starts = plan.tuning && c.init.empty()  // without warm-up, chains have to start where they belong
                    ? gaussian_starts(*whiten(plan.model, *plan.tuning), {.seed = *c.seed, .chains = c.chains})
                    : plan_starts(c, *plan.model);
  return plan;
}

}  // namespace

OwnedBatch plan_starts(const RunConfig& c, const Model& model) {
  StartOptions options{.seed = *c.seed, .chains = c.chains};
  if (c.init.ends_with(".json")) return read_starts(model, c.init, c.chains);
  if (!c.init.empty()) options.method = chosen<StartMethod>("init", "starting point", c.init);
  return draw_starts(model, options);
}

PoissonStructure plan_structure(const RunConfig& c, Index dim) {
  if (c.structure.ends_with(".json")) {
    if (c.strength || c.k || c.structure_seed)
      throw InputError("strength, k and structure-seed are for named structures, but structure is a file");
    PoissonStructure structure = read_structure(c.structure);
    if (structure.dim() != dim)
      throw InputError(fmt::format("{}: the structure has dimension {}: must be {}, as the model {}", c.structure,
                                   structure.dim(), dim, c.model));
    return structure;
  }
  if (c.strength && c.k) throw InputError("strength and k are two ways to say one thing: give one of them");
  const Recipe recipe = chosen<Recipe>("structure", "recipe", c.structure);
  if (recipe == Recipe::canonical && (c.strength || c.k || c.structure_seed))
    throw InputError(
        "strength, k and structure-seed have no meaning for the canonical structure: choose another with --structure");
  BlockSize size = SpectralStrength{c.strength.value_or(0.5)};
  if (c.k) size = Divisor{*c.k};
  return make_structure(recipe, dim, {.size = size, .seed = c.structure_seed.value_or(1), .A = {}});
}

IntegratorKind cheapest_exact_integrator(const PoissonStructure& structure) {
  if (!structure.E().is_zero()) return IntegratorKind::split_midpoint;
  return structure.G().is_zero() ? IntegratorKind::leapfrog : IntegratorKind::magnetic_leapfrog;
}

int most_draws(const RunConfig& c) noexcept {
  constexpr int rounds = 100, limit = 1'000'000'000;
  if (!c.target_ess) return c.draws;
  return c.max_draws.value_or(c.draws > limit / rounds ? limit : rounds * c.draws);
}

RunPlan make_plan(const RunConfig& c) {
  try {
    return planned(c);
  } catch (const std::bad_alloc&) {
    throw InputError(fmt::format("not enough memory for {} chains of model {}{}: must be fewer, or smaller", c.chains,
                                 c.model, c.dimension ? fmt::format(" with dimension {}", *c.dimension) : ""));
  }
}

}  // namespace darboux
