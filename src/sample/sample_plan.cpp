#include "sample/sample_plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "darboux/core/error.hpp"
#include "model/parallel_lanes.hpp"
#include "model/start.hpp"
#include "sample/longest_step.hpp"
#include "sample/low_rank_estimate.hpp"

namespace darboux {

namespace {

using Asked = SampleOptions;

bool warms_up(const Asked& a) { return a.warmup != 0 && !a.tuning; }

void check_stopping_rules(const Asked& a) {
  if (a.max_draws && !a.target_ess)
    throw InputError("max-draws is for target-ess, which is not given: --draws says how many draws there are to be");
  if (a.max_draws && *a.max_draws < a.draws)
    throw InputError(fmt::format(
        "max-draws = {}: must be at least draws = {}, the least that target-ess draws; give fewer draws too",
        *a.max_draws, a.draws));
}

/// What is found out by all chains together would be another thing in every part.
void check_part(const Asked& a) {
  if (!a.first_chain) return;
  if (*a.first_chain < 0) throw InputError(fmt::format("first-chain = {}: must be at least 0", *a.first_chain));
  const std::string_view rule = "chain-ids is given, for a part of a run";
  if (!a.tuning)
    throw InputError(fmt::format(
        "{}, but no tuning: parts have one in common. Run once without chain-ids, a few chains do, and give every part "
        "the tuning.json of that run with --tuning",
        rule));
  if (a.start == StartMethod::paths)
    throw InputError(fmt::format(
        "{}, but init = paths, where starting points depend on how many chains there are: leave one of them "
        "out",
        rule));
  if (a.target_ess)
    throw InputError(fmt::format(
        "{}, but target-ess, after which parts would end at different numbers of draws: use --draws", rule));
}

void check_trajectory(const Asked& a, const TrajectoryTraits& rule) {
  const std::string_view chosen = name(rule.kind);
  if (a.steps && a.trajectory_time)
    throw InputError("steps and trajectory-time are two ways to say one thing: give one of them");
  if ((a.steps || a.trajectory_time) && !rule.takes_length)
    throw InputError(fmt::format("{} is for trajectories of a given length, but trajectory = {}",
                                 a.steps ? "steps" : "trajectory-time", chosen));
  if (a.direction != DirectionMode::persistent && rule.goes_both_ways)
    throw InputError(
        fmt::format("direction = {}: {} goes both ways; leave one of them out", name(a.direction), chosen));
  if (a.reverse_check != 1.0 && rule.goes_both_ways)
    throw InputError(fmt::format("reverse-check = {}: must be 1 for {}", a.reverse_check, chosen));
  if (rule.needs_warmup && !warms_up(a))
    throw InputError(fmt::format("trajectory = {}: needs warm-up; must be jittered or nuts without", chosen));
  if (a.max_depth && !rule.takes_depth)
    throw InputError(fmt::format("max-depth is for nuts, but trajectory = {}", chosen));
}

/// Steps or a time that are given are meant. In coordinates whitened by a dense preconditioner a quarter turn is about best for
/// every target that was measured (docs/tuning.md), and looking for better only adds noise; otherwise warm-up has to find out.
TrajectoryRule choose_trajectory(const Asked& a, Metric metric) {
  const bool known = a.steps || a.trajectory_time || metric == Metric::dense || !warms_up(a);
  const TrajectoryKind kind = a.trajectory.value_or(known ? TrajectoryKind::jittered : TrajectoryKind::chees);
  check_trajectory(a, traits_of(kind));
  TrajectoryLength length{.steps = a.steps};
  length.time = a.trajectory_time.value_or(length.time);
  return TrajectoryRule::of(kind, length, a.max_depth.value_or(10));
}

void check_integrator_settings(const Asked& a, const IntegratorTraits& integrator) {
  const auto check = [&](std::string_view field, bool given, bool meant, std::string_view whom) {
    if (given && !meant)
      throw InputError(fmt::format("{} is for {}, but the integrator is {}", field, whom, integrator.name));
  };
  const bool solves = !integrator.is_explicit;
  check("tolerance", a.tolerance.has_value(), solves, "midpoint and split-midpoint");
  check("binding", a.binding.has_value(), integrator.doubled_space && !integrator.random_offset,
        "explicit (doubled is bound by an angle: --angle)");
  check("angle", a.angle.has_value(), integrator.doubled_space, "explicit and doubled");
  check("copy-spread", a.copy_spread.has_value(), integrator.random_offset, "doubled");
  check("reverse-check", a.reverse_check != 1.0, solves, "midpoint and split-midpoint");
  if (a.binding && a.angle) throw InputError("binding and angle are two ways to say one thing: give one of them");
}

/// What warm-up would use or find out.
void refuse_settings_of_warmup(const Asked& a, const IntegratorTraits& integrator) {
  if (warms_up(a)) return;
  const auto check = [&](std::string_view field, bool given) {
    if (given)
      throw InputError(fmt::format("{} is given, but {}: leave one of them out", field,
                                   a.tuning ? "tuning decides it" : "warmup = 0"));
  };
  check("map", a.map == MarginalMap::sinh_arcsinh || (a.map && a.tuning));
  check("metric", a.metric.value_or(Metric::identity) != Metric::identity || (a.metric && a.tuning));
  if (a.tuning) {
    check("step-size", a.step_size.has_value());
    check("steps", a.steps.has_value());
    check("trajectory-time", a.trajectory_time.has_value());
    check("stages", a.stages.has_value());
    check("copy-spread", a.copy_spread.has_value());
    check("motion", a.motion.has_value());
    check("angle", a.angle && integrator.random_offset);
  }
  check("target-acceptance", a.target_acceptance.has_value());
  check("save-warmup", a.save_warmup && a.warmup == 0);
  if (!a.tuning && !a.step_size)
    throw InputError(
        "warmup = 0 leaves the step size open: give one with --step-size, or an earlier run's with --tuning");
}

void set_integrator(const Asked& a, SamplerSettings& s) {
  s.integrator = a.integrator.value_or(cheapest_exact_integrator(*s.structure));
  const IntegratorTraits& traits = traits_of(s.integrator);
  check_integrator_settings(a, traits);
  s.order = a.order;
  if (a.tolerance) {
    s.solver.tolerance = *a.tolerance;
    s.solver.reverse_threshold = std::max(s.solver.reverse_threshold, 100.0 * *a.tolerance);
  }
  if (a.binding) s.copies.binding = BindingStrength{*a.binding};
  if (a.angle && !traits.random_offset) s.copies.binding = BindingAngle{*a.angle};
  if (a.angle && traits.random_offset) s.first.binding_angle = *a.angle;
  s.first.copy_spread = a.copy_spread.value_or(s.first.copy_spread);
  s.tune_copies = !a.angle && !a.copy_spread;
  s.kernel.reverse_check_rate = a.reverse_check;
}

/// Coordinates are bent where that was measured to help: chains that move canonically, with a preconditioner of their own.
void set_map(const Asked& a, SamplerSettings& s) {
  if (a.map == MarginalMap::sinh_arcsinh && s.metric == Metric::identity)
    throw InputError(
        "map = sinh-arcsinh bends coordinates that a preconditioner made, but metric = identity: use another");
  const bool is_usual = s.structure->A().is_identity() && s.structure->E().is_zero() && s.structure->G().is_zero() &&
                        s.integrator == IntegratorKind::leapfrog;
  const bool may = warms_up(a) && s.metric != Metric::identity && (a.map || is_usual);
  s.map = may ? a.map : MarginalMap::none;
}

void set_precision(const Asked& a, const Model& model, SamplerSettings& s) {
  if (a.gradient_precision.value_or(GradientPrecision::full) != GradientPrecision::full &&
      !model.traits().single_precision_gradients)
    throw InputError(
        fmt::format("gradient-precision = {}: this model computes its gradients in full precision only; leave it out",
                    name(*a.gradient_precision)));
  s.gradient_precision = a.gradient_precision;
}

/// Optimisation paths tell scales and correlations before warm-up begins, which then needs half the time to know them better.
int default_warmup(const Asked& a, const Model& model) {
  const bool knows_scales = !a.starts && a.start.value_or(model.traits().start) == StartMethod::paths;
  return knows_scales ? 500 : 1000;
}

/// Runs with a given tuning have random numbers of their own. With those of the run that found it, iteration by iteration the same,
/// chains of the two would meet and stay together, and count twice where both are used.
std::uint64_t random_seed(const Asked& a) {
  if (!a.tuning) return a.seed.value();
  std::uint64_t hash = 0xcbf29ce484222325U ^ a.seed.value();  // FNV-1a, over the numbers that tell tunings apart
  const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3U; };
  add(a.tuning->step_size);
  add(a.tuning->steps);
  for (const double x : a.tuning->center) add(x);
  return hash ^ (hash >> 32U);
}

/// With a tuning, chains that begin with the Gaussian that it stands for need a while to get to the target itself.
constexpr int default_burn_in = 100;

/// Where nothing that is given decides them, and the theory that warm-up judges them by holds.
void leave_steps_to_warmup(const Asked& a, SamplerSettings& s) {
  const bool is_plain = s.integrator == IntegratorKind::leapfrog && s.structure->A().is_identity() && s.order == 2;
  s.chooses_steps = warms_up(a) && !a.trajectory && !a.steps && is_plain && s.metric != Metric::identity &&
                    a.direction == DirectionMode::persistent;
  s.keeps_stages = a.stages.has_value();
  s.keeps_refreshment = a.momentum_kept.has_value();
  s.keeps_time = a.trajectory_time.has_value();
  s.chooses_motion = s.chooses_steps && !a.motion;
}

SamplerSettings decide(const Asked& a, const Model& model) {
  SamplerSettings s;
  s.metric = a.tuning ? metric_of(a.tuning->factor) : a.metric.value_or(default_metric(model.dim()));
  s.chains = a.chains;
  s.first_chain = a.first_chain.value_or(0);
  s.warmup = a.warmup.value_or(a.tuning ? default_burn_in : default_warmup(a, model));
  s.draws = most_draws(a);
  s.max_seconds = a.max_seconds;
  s.seed = random_seed(a);
  s.threads = a.threads.value();
  s.structure = a.structure.value_or(PoissonStructure::canonical(model.dim()));
  s.first.motion = a.tuning ? a.tuning->motion : a.motion.value_or(s.first.motion);
  s.first.step_size = a.step_size.value_or(s.first.step_size);
  set_integrator(a, s);
  set_map(a, s);
  set_precision(a, model, s);
  s.kernel.direction = a.direction;
  s.first.momentum_kept = a.momentum_kept.value_or(0.0);
  if (s.first.momentum_kept == 1.0)
    throw InputError(
        "momentum-kept = 1: the momentum would never change and chains never forget where they began; choose less "
        "than 1");
  s.first.stages = a.stages.value_or(1);
  s.trajectory = choose_trajectory(a, a.metric.value_or(default_metric(model.dim())));
  s.target_acceptance = a.target_acceptance.value_or(default_target_acceptance(s.integrator, model.traits()));
  s.acceptance_may_rise = !a.target_acceptance;
  refuse_settings_of_warmup(a, traits_of(s.integrator));
  leave_steps_to_warmup(a, s);
  validate(s, model.dim());
  return s;
}

void check_tuning(const Tuning& tuning, Index dim) {
  if (!tuning.shapes.empty() && std::ssize(tuning.shapes) != dim)
    throw InputError(fmt::format("tuning: has shapes of {} coordinates: must be {}, as the model, or none",
                                 tuning.shapes.size(), dim));
  const Index found = tuning.center.empty() ? tuning.factor.dim() : std::ssize(tuning.center);
  if (found != 0 && found != dim)
    throw InputError(fmt::format(
        "tuning: is of dimension {}: must be {}, as the model; a tuning serves the model that it was found for", found,
        dim));
}

/// It was found for one integrator, and another may not do with it.
void check_steps_of_tuning(const Tuning& tuning, const SamplerSettings& s) {
  const auto refuse = [](std::string_view why) {
    throw InputError(
        fmt::format("tuning: {}; a tuning serves the integrator and structure that it was found for", why));
  };
  constexpr double most_steps = 1e6;  // as of the setting
  if (!(tuning.steps >= 0.0 && tuning.steps <= most_steps))
    throw InputError(fmt::format("tuning: steps = {}: must be at most {}", tuning.steps, most_steps));
  try {
    const IntegratorTraits traits = make_integrator(s, *s.structure, tuning).traits();
    if (tuning.step_spread > 0.0 && !traits.takes_any_step_size)
      refuse(fmt::format("its step sizes vary, and {} is made for one", traits.name));
  } catch (const InputError& e) {
    if (std::string_view(e.what()).starts_with("tuning: ")) throw;
    refuse(e.what());
  }
}

SamplePlan planned(std::shared_ptr<const Model> model, SampleOptions asked, StartsAre starts) {
  check_ranges(asked);
  if (asked.tuning) check_tuning(*asked.tuning, model->dim());
  check_stopping_rules(asked);
  check_part(asked);
  if (!asked.seed) asked.seed = std::random_device{}();
  if (!asked.threads) asked.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const bool is_dense = asked.structure && !(asked.structure->E().is_diagonal() && asked.structure->G().is_diagonal());
  require_room(asked, model->dim(), is_dense ? "dense" : "canonical", is_dense);
  SamplePlan plan{.model = std::move(model), .asked = std::move(asked), .settings = {}, .starts = {}, .tuning = {}};
  plan.settings = decide(plan.asked, *plan.model);
  plan.tuning = plan.asked.tuning;
  if (plan.tuning) check_steps_of_tuning(*plan.tuning, plan.settings);
  if (plan.tuning) plan.tuning->momentum_kept = plan.asked.momentum_kept.value_or(plan.tuning->momentum_kept);
  if (starts == StartsAre::known)
    plan.starts.q = OwnedBatch(plan.model->dim(), plan.settings.chains);
  else {
    plan.starts = plan_starts(plan.asked, *plan.model);
    look_for_the_fastest_turn(plan.model, plan.settings, plan.tuning, plan.starts);
  }
  return plan;
}

}  // namespace

void check_ranges(const SampleOptions& a) {
  const auto at_least_one = [](std::string_view field, auto value) {
    if (value < 1) throw InputError(fmt::format("{} = {}: must be at least 1", field, value));
  };
  at_least_one("chains", a.chains);
  if (a.warmup.value_or(0) < 0) throw InputError(fmt::format("warmup = {}: must be at least 0", *a.warmup));
  at_least_one("draws", a.draws);
  if (a.first_chain && !a.seed)
    throw InputError("chain-ids is given, but no seed: parts of a run have one in common; give every part the same");
  at_least_one("thin", a.thin);
  at_least_one("max-draws", a.max_draws.value_or(1));
  at_least_one("threads", a.threads.value_or(1));
  if (a.target_ess && !(*a.target_ess > 0.0 && std::isfinite(*a.target_ess)))
    throw InputError(fmt::format("target-ess = {}: must be a number greater than 0", *a.target_ess));
}

Metric default_metric(Index dim) noexcept {
  constexpr Index largest_dense = 200;
  return dim <= largest_dense ? Metric::dense : Metric::low_rank;
}

IntegratorKind cheapest_exact_integrator(const PoissonStructure& structure) {
  if (!structure.E().is_zero()) return IntegratorKind::split_midpoint;
  return structure.G().is_zero() ? IntegratorKind::leapfrog : IntegratorKind::magnetic_leapfrog;
}

Starts plan_starts(const SampleOptions& asked, const Model& model) {
  const Stopwatch watch;
  Starts starts;
  if (asked.starts) {
    starts.q = *asked.starts;
    if (starts.q.rows() != model.dim() || starts.q.lanes() != asked.chains)
      throw InputError(fmt::format("starts are {} × {}: must be {} × {}, one lane per chain", starts.q.rows(),
                                   starts.q.lanes(), model.dim(), asked.chains));
    require_finite_starts(model, starts.q, "starts: ");
    return starts;
  }
  StartOptions options{
      .seed = random_seed(asked), .chains = asked.chains, .first_chain = asked.first_chain.value_or(0)};
  if (!asked.start && asked.tuning) {  // nothing will be adapted: chains start where they are likely to belong
    const std::shared_ptr<const Model> unowned(std::shared_ptr<const Model>(), &model);
    starts.q = gaussian_starts(*whiten(unowned, *asked.tuning), options);
  } else {
    options.method = asked.start;
    starts = find_starts(ParallelLanes(model, asked.threads.value_or(1)), options);
  }
  starts.taken = watch.elapsed();
  return starts;
}

int most_draws(const SampleOptions& asked) noexcept {
  constexpr int rounds = 100, limit = 1'000'000'000;
  if (!asked.target_ess) return asked.draws;
  return asked.max_draws.value_or(asked.draws > limit / rounds ? limit : rounds * asked.draws);
}

int first_look(const SampleOptions& asked) noexcept {
  constexpr int early = 1000;
  return std::min(std::max(asked.draws, early), most_draws(asked));
}

void require_room(const SampleOptions& a, Index dim, std::string_view structure, bool is_dense) {
  constexpr double most_rows = 1e12;
  const double rows = static_cast<double>(a.chains) * most_draws(a) / a.thin;
  if (rows > most_rows)
    throw InputError(fmt::format("chains = {}, {} = {}: {:.1g} rows in all, must be at most {:.0g}", a.chains,
                                 a.target_ess ? "max-draws" : "draws", most_draws(a), rows, most_rows));
  const Metric metric = a.metric.value_or(default_metric(dim));
  const auto n = static_cast<double>(dim);
  const double of_chains = 8.0 * n * static_cast<double>(a.chains);  // q, p, gradient, a copy of each, start, positions
  // Covariance, its factor, the factor's transpose and inverse, what goes to files; blocks, and those in normal form.
  const double matrices = (metric == Metric::dense ? 5.0 : 0.0) + (is_dense ? 4.0 : 0.0);
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
                    dim, a.chains, name(metric), structure, bytes / 1e9, here / 1e9));
}

SamplePlan plan_sampling(std::shared_ptr<const Model> model, SampleOptions asked, StartsAre starts) {
  if (!model) throw InputError("there is no model to sample from");
  const Index dim = model->dim(), chains = asked.chains;
  try {
    return planned(std::move(model), std::move(asked), starts);
  } catch (const std::bad_alloc&) {
    throw InputError(
        fmt::format("not enough memory for {} chains of dimension {}: must be fewer, or smaller", chains, dim));
  }
}

}  // namespace darboux
