#include "run/model_check.hpp"

#include <algorithm>
#include <cmath>

#include "darboux/core/random.hpp"

namespace darboux {

namespace {

constexpr int warmup = 300;
constexpr int most_steps = 50;
constexpr int most_halvings = 3;

/// Points from the posterior, in the coordinates of a tuning, with momenta and offsets drawn for them.
struct Posterior {
  Tuning tuning;
  std::shared_ptr<const Whitened> model;
  PhaseBlock block;
};

Posterior warmed_up(const SamplePlan& plan) {
  SamplerSettings settings = plan.settings;
  settings.warmup = plan.tuning ? 0 : warmup;
  settings.draws = 1;
  settings.max_seconds.reset();
  const Index n = plan.model->dim();
  const Index chains = settings.chains;
  OwnedBatch q(n, chains);
  CallbackSink last([&](const Draw& draw) {
    if (draw.phase == Phase::warmup) return;
    std::vector<double> inner(at(n));
    plan.model->unconstrain(draw.values.first(at(plan.model->natural_size())), inner);
    for (Index j = 0; j < n; ++j) q(j, draw.chain) = inner[at(j)];
  });
  const SampleResult result = Sampler(plan.model, settings).run(plan.starts, last, {.tuning = plan.tuning});
  Posterior at{.tuning = result.tuning, .model = whiten(plan.model, result.tuning), .block = PhaseBlock(n, chains)};
  for (Index lane = 0; lane < chains; ++lane) {
    RandomStream random(
        {.seed = settings.seed, .purpose = Purpose::first_momentum, .chain = static_cast<std::uint64_t>(lane)});
    std::vector<double> inner;
    for (Index j = 0; j < n; ++j) inner.push_back(q(j, lane));
    const std::vector<double> x = at.model->from_inner(inner);
    for (Index j = 0; j < n; ++j) {
      at.block.q(j, lane) = x[static_cast<std::size_t>(j)];
      at.block.p(j, lane) = random.normal();
    }
    if (result.tuning.motion == MotionKind::microcanonical) fix_speed(at.block, lane);
    for (Index j = 0; j < 2 * n; ++j) at.block.offset(j, lane) = result.tuning.copy_spread * random.normal();
  }
  return at;
}

}  // namespace

std::optional<double> ModelCheck::observed_order() const {
  if (motions.size() < 2) return std::nullopt;
  const double coarse = motions[motions.size() - 2].seen.energy_error;
  const double fine = motions.back().seen.energy_error;
  if (!(coarse > 0.0 && fine > 0.0)) return std::nullopt;
  return std::log2(coarse / fine);
}

double ModelCheck::return_error() const {
  double largest = 0.0;
  for (const Motion& motion : motions) largest = std::max(largest, motion.seen.return_error);
  return largest;
}

bool ModelCheck::passed() const {
  if (!gradient.passed()) return false;
  return integrator.exactness == Exactness::approximate || return_error() <= return_threshold;
}

ModelCheck check_model(const SamplePlan& plan) {
  ModelCheck check{.gradient = check_gradient(*plan.model, plan.starts.q), .motions = {}, .integrator = {}};
  const SamplerSettings& s = plan.settings;
  const PoissonStructure structure = s.structure.value_or(PoissonStructure::canonical(plan.model->dim()));
  check.integrator = make_integrator(s, structure, s.first).traits();
  if (!check.gradient.passed()) return check;

  const Posterior at = warmed_up(plan);
  Potential u(*at.model, at.block.lanes());
  for (int halvings = 0; halvings <= most_halvings; ++halvings) {
    Tuning tuning = at.tuning;
    tuning.step_size = std::ldexp(tuning.step_size, -halvings);
    const int steps = std::clamp(static_cast<int>(std::lround(at.tuning.steps)), 1, most_steps) << halvings;
    Integrator integrator = make_integrator(s, structure, tuning);
    check.motions.push_back(
        {.step_size = tuning.step_size,
         .steps = steps,
         .seen = check_motion(integrator, u, at.block, {.steps = steps, .copy_spread = at.tuning.copy_spread})});
  }
  return check;
}

}  // namespace darboux
