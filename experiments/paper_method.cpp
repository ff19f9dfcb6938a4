#include "paper_method.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "darboux/diagnose/rhat.hpp"
#include "diagnose/describe.hpp"

namespace darboux::experiments {

namespace {

using enum Recipe;
using enum IntegratorKind;
using enum BasisMethod;

constexpr std::array methods{
    PaperMethod{"canonical", "Can.", canonical, leapfrog},
    PaperMethod{"magnetic-position", "Mag. Pos.", magnetic_position, magnetic_leapfrog},
    PaperMethod{"magnetic-momentum-implicit", "Mag. Mom. Imp.", magnetic_momentum, midpoint},
    PaperMethod{"magnetic-momentum-implicit-random", "Mag. Mom. Imp., random direction", magnetic_momentum, midpoint,
                schur, CopySequence::paper, false, DirectionMode::random},
    PaperMethod{"magnetic-momentum-implicit-turned", "Mag. Mom. Imp., turned on acceptance", magnetic_momentum,
                midpoint, schur, CopySequence::paper, false, DirectionMode::alternating},
    PaperMethod{"magnetic-momentum-explicit", "Mag. Mom. Exp.", magnetic_momentum, explicit_copies, gram_schmidt,
                CopySequence::paper},
    PaperMethod{"magnetic-momentum-explicit-closed", "Mag. Mom. Exp., closed form", magnetic_momentum, explicit_copies,
                closed_form, CopySequence::paper, false},
    PaperMethod{"magnetic-momentum-explicit-schur", "Mag. Mom. Exp., Schur", magnetic_momentum, explicit_copies, schur,
                CopySequence::paper, false},
    PaperMethod{"magnetic-momentum-explicit-schur-2", "Mag. Mom. Exp., Schur, 2 grad.", magnetic_momentum,
                explicit_copies, schur, CopySequence::two_gradient, false},
    PaperMethod{"coupled-implicit", "C. Mag. Imp.", coupled, midpoint},
    PaperMethod{"coupled-explicit", "C. Mag. Exp.", coupled, explicit_copies, gram_schmidt, CopySequence::paper},
    PaperMethod{"coupled-explicit-schur", "C. Mag. Exp., Schur", coupled, explicit_copies, schur, CopySequence::paper,
                false},
    PaperMethod{"coupled-explicit-schur-2", "C. Mag. Exp., Schur, 2 grad.", coupled, explicit_copies, schur,
                CopySequence::two_gradient, false}};

}  // namespace

std::span<const PaperMethod> paper_methods() { return methods; }

const PaperMethod& paper_method(std::string_view name) {
  const auto* const found =
      std::find_if(methods.begin(), methods.end(), [&](const PaperMethod& m) { return m.name == name; });
  if (found == methods.end()) throw std::logic_error("no such method");
  return *found;
}

SamplerSettings options_for(const PaperMethod& method, const PaperSetting& setting) {
  const RecipeOptions recipe{.size = Divisor{setting.k}, .seed = setting.seed, .A = setting.A};
  const PoissonStructure structure = make_structure(method.structure, setting.A.dim(), recipe);
  SamplerSettings o = fixed_settings({.chains = setting.chains,
                                      .draws = setting.draws,
                                      .seed = setting.seed,
                                      .step_size = setting.step_size,
                                      .steps = setting.steps},
                                     structure);
  o.integrator = method.integrator;
  o.kernel.direction = method.direction;
  o.kernel.reverse_check_rate = 0.0;
  o.solver = {.method = SolverMethod::fixed_point,
              .tolerance = 1e-6,
              .max_iterations = 100,
              .reverse_threshold = 1e-4,
              .precision = {}};
  if (method.is_approximate())
    o.copies = {.sequence = method.sequence,
                .binding = BindingStrength{1.0},
                .basis = experiment_basis(structure, method.basis, setting.seed)};
  return o;
}

FixedRun run_method(const PaperMethod& method, const PaperSetting& setting, const PaperTask& task, int runs,
                    Table& table, const Entry& of, const std::atomic<bool>& stop) {
  std::optional<FixedRun> all;
  for (int number = 1; number <= runs; ++number) {
    PaperSetting own = setting;
    own.seed = 1000 * setting.seed + static_cast<std::uint64_t>(number);
    const FixedRun run = run_fixed(task.model, options_for(method, own), task.starts(own), stop);
    append_run(table, of, method, number, run, effective_sizes(run, task.reference));
    if (all)
      append(*all, run);
    else
      all = run;
  }
  return all.value();
}

void append_run(Table& table, const Entry& of, const PaperMethod& method, int number, const FixedRun& run,
                const EffectiveSizes& sizes) {
  const double seconds = run.cpu_seconds / static_cast<double>(run.chains);
  const double gradients = mean(run.gradients);
  append_row(table, {of,
                     {"method", method.name},
                     {"run", number},
                     {"mean_ess", sizes.mean_of_means},
                     {"min_ess", sizes.least_of_means},
                     {"min_square_ess", sizes.least_of_squares},
                     {"log_density_ess", sizes.of_log_density},
                     {"min_ess_per_second", sizes.least_of_means / seconds},
                     {"min_ess_per_1000_gradients", 1000.0 * sizes.least_of_means / gradients},
                     {"acceptance", mean(run.acceptance)},
                     {"energy_error", mean(run.energy_error)},
                     {"failures", mean(run.failures)},
                     {"gradients", gradients},
                     {"seconds", seconds}});
}

void append_coordinates(Table& table, const Entry& of, const PaperMethod& method, const FixedRun& run,
                        std::span<const std::string> names) {
  for (std::size_t j = 0; j < run.values.size(); ++j) {
    const ChainDraws draws(run.values[j], static_cast<std::size_t>(run.chains));
    append_row(table, {of,
                       {"method", method.name},
                       {"coordinate", names[j]},
                       {"rhat_1992", rhat_1992(draws)},
                       {"rhat", rhat(draws)},
                       {"mean", darboux::mean(draws)},
                       {"sd", sd(draws)},
                       {"median", quantile(draws, 0.5)}});
  }
}

}  // namespace darboux::experiments
