#include <gtest/gtest.h>

#include <darboux/core/random.hpp>
#include <experiments/paper_method.hpp>
#include <set>

#include "linalg/dense.hpp"
#include "model/gaussian.hpp"

namespace darboux::experiments {
namespace {

const std::atomic<bool> go_on{false};

PaperSetting small_setting() {
  return {.A = StructuredMatrix::from(Matrix{{2, 0.5, 0}, {0.5, 1, 0}, {0, 0, 1.5}}),
          .k = 2.0,
          .step_size = 0.05,
          .steps = 7,
          .draws = 20,
          .runs = 3,
          .seed = 5};
}

TEST(PaperMethods, AreSixAndTheirVariants) {
  std::set<std::string_view> names;
  int in_paper = 0;
  for (const PaperMethod& method : paper_methods()) {
    names.insert(method.name);
    in_paper += method.in_paper ? 1 : 0;
    EXPECT_EQ(&paper_method(method.name), &method);
  }
  EXPECT_EQ(in_paper, 6);
  EXPECT_EQ(names.size(), paper_methods().size());
}

TEST(PaperMethods, HaveThePapersStructures) {
  const PaperSetting setting = small_setting();
  const Matrix skew = random_skew(3, Divisor{2.0}, 5);
  for (const PaperMethod& method : paper_methods()) {
    SCOPED_TRACE(method.name);
    const PoissonStructure structure = options_for(method, setting).structure.value();
    const bool has_e = method.structure == Recipe::magnetic_momentum || method.structure == Recipe::coupled;
    const bool has_g = method.structure == Recipe::magnetic_position || method.structure == Recipe::coupled;
    EXPECT_EQ(structure.E().matrix(), has_e ? skew : Matrix(3, 3));
    EXPECT_EQ(structure.G().matrix(), has_g ? skew : Matrix(3, 3));
    EXPECT_EQ(structure.A(), setting.A);
  }
}

/// In N steps leapfrog takes N gradients, explicit in the paper's order 3N and in the other 2N, and one more where nothing is
/// left from the trajectory before.
TEST(PaperMethods, TakeTheGradientsThatTheyShould) {
  const PaperSetting setting = small_setting();
  const auto model = std::make_shared<const Gaussian>(Gaussian::standard(3));
  const OwnedBatch starts(3, setting.runs);
  for (const PaperMethod& method : paper_methods()) {
    if (method.integrator == IntegratorKind::midpoint) continue;
    SCOPED_TRACE(method.name);
    const FixedRun run = run_fixed(model, options_for(method, setting), starts, go_on);
    const double per_step = !method.is_approximate() ? 1.0 : method.sequence == CopySequence::paper ? 3.0 : 2.0;
    const double least = per_step * setting.steps * setting.draws;
    for (const double gradients : run.gradients) {
      EXPECT_GE(gradients, least);
      EXPECT_LE(gradients, least + setting.draws);
    }
  }
}

TEST(PaperMethods, SolveAsThePaperDoes) {
  const SamplerSettings options = options_for(paper_method("coupled-implicit"), small_setting());
  EXPECT_EQ(options.integrator, IntegratorKind::midpoint);
  EXPECT_EQ(options.solver.method, SolverMethod::fixed_point);
  EXPECT_EQ(options.solver.tolerance, 1e-6);
  EXPECT_EQ(options.solver.max_iterations, 100);
  EXPECT_EQ(options.kernel.reverse_check_rate, 0.0);
  EXPECT_EQ(options.kernel.direction, DirectionMode::persistent);
  EXPECT_EQ(options.kernel.momentum_kept, 0.0);
  const SamplerSettings by_copies = options_for(paper_method("coupled-explicit"), small_setting());
  EXPECT_EQ(std::get<BindingStrength>(by_copies.copies.binding).omega, 1.0);
}

TEST(PaperMethods, UseTheBasisThatTheyName) {
  const PaperSetting setting = small_setting();
  const auto norm = [&](std::string_view name) {
    const SamplerSettings options = options_for(paper_method(name), setting);
    EXPECT_LT(residual(options.copies.basis, *options.structure), 1e-9);
    return frobenius_norm(options.copies.basis.B);
  };
  const double least = norm("coupled-explicit-schur");
  EXPECT_GT(norm("coupled-explicit"), 1.01 * least);
  EXPECT_EQ(norm("coupled-explicit-schur-2"), least);
  EXPECT_NE(norm("magnetic-momentum-explicit-closed"), norm("magnetic-momentum-explicit-schur"));
}

TEST(PaperMethods, RowsOfRunsSayWhatRunsGave) {
  const PaperMethod& method = paper_method("canonical");
  constexpr std::size_t draws = 400;
  std::vector<double> values(2 * draws, 1.0);  // a chain that never moved, and one that swings to and fro
  RandomStream random({.seed = 1, .purpose = Purpose::data});
  for (std::size_t i = draws; i < 2 * draws; ++i) values[i] = random.normal() - 0.6 * values[i - 1];
  FixedRun run{.chains = 2,
               .draws = draws,
               .values = {values, values},
               .acceptance = {0.0, 1.0},
               .energy_error = {0.5, 0.25},
               .failures = {1, 0},
               .gradients = {40, 80},
               .cpu_seconds = 3.0};
  Table runs;
  append_runs(runs, {"set", "mine"}, method, run);
  EXPECT_EQ(texts(runs, "set"), (std::vector<std::string>{"mine", "mine"}));
  EXPECT_EQ(numbers(runs, "min_ess")[0], 1.0);     // never moved
  EXPECT_EQ(numbers(runs, "mean_ess")[1], draws);  // antithetic, but no more than drawn
  EXPECT_EQ(numbers(runs, "seconds")[0], 1.5);
  EXPECT_EQ(numbers(runs, "min_ess_per_1000_gradients")[0], 25.0);
  EXPECT_DOUBLE_EQ(numbers(runs, "min_ess_per_second")[0], 1.0 / 1.5);
}

TEST(FixedRun, JoinsChains) {
  const PaperSetting setting = small_setting();
  const auto model = std::make_shared<const Gaussian>(Gaussian::standard(3));
  const OwnedBatch starts(3, setting.runs);
  const SamplerSettings options = options_for(paper_method("canonical"), setting);
  FixedRun run = run_fixed(model, options, starts, go_on);
  const FixedRun again = run_fixed(model, options, starts, go_on);
  EXPECT_EQ(run.values, again.values);
  append(run, again);
  EXPECT_EQ(run.chains, 6);
  EXPECT_EQ(run.chain(2, 4)[7], again.chain(2, 1)[7]);
  EXPECT_EQ(run.gradients[5], again.gradients[2]);
}

}  // namespace
}  // namespace darboux::experiments
