#include "sample/sampler_settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

void require_suitable(GradientPrecision precision, const IntegratorTraits& integrator,
                      const TrajectoryTraits& trajectory) {
  if (precision == GradientPrecision::single && !integrator.accepts_any_field)
    throw InputError(fmt::format(
        "gradient-precision = single: {} moves positions along the gradient, and only a true gradient keeps "
        "volumes then; use leapfrog, magnetic-leapfrog or doubled, or mixed precision",
        integrator.name));
  if (precision == GradientPrecision::single && trajectory.needs_values)
    throw InputError(fmt::format(
        "gradient-precision = single: {} needs the log density, in full precision, at every step; use trajectories "
        "of a given length, or full precision",
        name(trajectory.kind)));
  if (precision == GradientPrecision::mixed && integrator.is_explicit)
    throw InputError(
        fmt::format("gradient-precision = mixed is for integrators that solve equations, but {} solves none "
                    "with this structure; use single or full, or leave it out",
                    integrator.name));
}

}  // namespace

void validate(const SamplerSettings& s, Index dim) {
  const auto at_least = [](std::string_view field, auto value, auto least) {
    if (value < least) throw InputError(fmt::format("{} = {}: must be at least {}", field, value, least));
  };
  const auto positive = [](std::string_view field, double value) {
    if (!(value > 0.0 && std::isfinite(value)))
      throw InputError(fmt::format("{} = {}: must be a positive number", field, value));
  };
  at_least("chains", s.chains, 1);
  at_least("draws", s.draws, 0);
  at_least("warmup", s.warmup, 0);
  at_least("threads", s.threads, 1);
  const TrajectoryLength& length = s.trajectory.length();
  at_least("most steps", length.most_steps, 1);
  at_least("steps", length.steps.value_or(1), 1);
  positive("trajectory-time", length.time);
  if (s.target_acceptance && !(*s.target_acceptance > 0.0 && *s.target_acceptance < 1.0))
    throw InputError(fmt::format("target-acceptance = {}: must be between 0 and 1", *s.target_acceptance));
  positive("max-seconds", s.max_seconds.value_or(1.0));
  if (s.structure && s.structure->dim() != dim)
    throw InputError(fmt::format("structure is for {} dimensions: must be {}, as the model", s.structure->dim(), dim));
  const PoissonStructure structure = s.structure.value_or(PoissonStructure::canonical(dim));
  Integrator integrator = make_integrator(s, structure, s.first);
  if (s.gradient_precision) require_suitable(*s.gradient_precision, integrator.traits(), s.trajectory.traits());
  if (s.first.motion == MotionKind::microcanonical && s.trajectory.traits().goes_both_ways)
    throw InputError(fmt::format(
        "motion = microcanonical: volumes change, which the choice of a point by {} does not reckon with; use "
        "jittered or chees trajectories",
        name(s.trajectory.kind())));
  (void)s.trajectory.mover({.integrator = std::move(integrator),
                            .structure = structure,
                            .kernel = s.kernel,
                            .tuning = s.first,
                            .seed = s.seed});
}

Integrator make_integrator(const SamplerSettings& settings, const PoissonStructure& structure, const Tuning& tuning) {
  IntegratorOptions options{.step_size = tuning.step_size,
                            .order = settings.order,
                            .stages = tuning.stages,
                            .motion = tuning.motion,
                            .solver = settings.solver,
                            .copies = settings.copies};
  if (traits_of(settings.integrator).random_offset) {
    options.copies.binding = BindingAngle{tuning.binding_angle};
    // Composition needs a strength that does not change with the length of its stages.
    if (options.order == 4) options.copies.binding = BindingStrength{0.5 * tuning.binding_angle / tuning.step_size};
  }
  return Integrator(settings.integrator, structure, options);
}

bool is_approximate(const SamplerSettings& settings) {
  const PoissonStructure structure = settings.structure.value_or(PoissonStructure::canonical(2));
  const Exactness exactness = make_integrator(settings, structure, settings.first).traits().exactness;
  return exactness == Exactness::approximate ||
         (exactness == Exactness::with_reverse_check && settings.kernel.reverse_check_rate < 1.0);
}

Tuning untuned(const SamplerSettings& settings) {
  Tuning tuning = settings.first;
  tuning.steps = settings.trajectory.length().mean_steps(tuning.step_size);
  return tuning;
}

double default_target_acceptance(IntegratorKind kind, const ModelTraits& traits) {
  if (traits_of(kind).random_offset) return 0.7;
  return traits.log_concave ? 0.8 : 0.9;
}

Metric metric_of(const StructuredMatrix& factor) noexcept {
  switch (factor.kind()) {
    case StructuredMatrix::Kind::zero:
    case StructuredMatrix::Kind::identity: return Metric::identity;
    case StructuredMatrix::Kind::diagonal: return Metric::diagonal;
    case StructuredMatrix::Kind::low_rank: return Metric::low_rank;
    case StructuredMatrix::Kind::dense: return Metric::dense;
  }
  return Metric::dense;
}

std::shared_ptr<const Whitened> whiten(std::shared_ptr<const Model> model, const Tuning& tuning) {
  const Index n = model->dim();
  std::vector<double> center = tuning.center.empty() ? std::vector<double>(at(n), 0.0) : tuning.center;
  StructuredMatrix factor = tuning.factor.dim() == 0 ? StructuredMatrix::identity(n) : tuning.factor;
  return std::make_shared<const Whitened>(std::move(model), std::move(center), std::move(factor), tuning.shapes);
}

}  // namespace darboux
