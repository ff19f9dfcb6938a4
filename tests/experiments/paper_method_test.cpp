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
          .chains = 3,
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
  const OwnedBatch starts(3, setting.chains);
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

/// Each run has a structure, starting points and momenta of its own, and the same for every method.
TEST(PaperMethods, HaveAStructureForEveryRun) {
  const auto model = std::make_shared<const Gaussian>(Gaussian::standard(3));
  const PaperSetting setting = small_setting();
  std::set<std::uint64_t> seeds;
  const auto starts = [&](const PaperSetting& own) {
    seeds.insert(own.seed);
    EXPECT_NE(options_for(paper_method("coupled-implicit"), own).structure->E().matrix(),
              options_for(paper_method("coupled-implicit"), setting).structure->E().matrix());
    return OwnedBatch(3, own.chains);
  };
  const Reference reference{.values = std::vector<Moments>(3),
                            .squares = std::vector<Moments>(3, {.mean = 1.0, .variance = 2.0}),
                            .log_density = {.mean = -1.5, .variance = 1.5}};
  for (const char* name : {"coupled-implicit", "canonical"}) {
    Table table;
    const FixedRun all =
        run_method(paper_method(name), setting, {model, starts, reference}, 4, table, {"set", "mine"}, go_on);
    EXPECT_EQ(all.chains, 12);
    EXPECT_EQ(numbers(table, "run"), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(seeds, (std::set<std::uint64_t>{5001, 5002, 5003, 5004}));
    for (Index c = 1; c < all.chains; ++c) EXPECT_NE(all.chain(0, c)[0], all.chain(0, 0)[0]) << name << ' ' << c;
  }
}

TEST(PaperMethods, RowsOfRunsSayWhatRunsGave) {
  const FixedRun run{.chains = 2,
                     .draws = 400,
                     .values = {},
                     .log_density = {},
                     .acceptance = {0.0, 1.0},
                     .energy_error = {0.5, 0.25},
                     .failures = {1, 0},
                     .gradients = {40, 80},
                     .cpu_seconds = 3.0};
  Table runs;
  append_run(runs, {"set", "mine"}, paper_method("canonical"), 7, run,
             {.mean_of_means = 24.0, .least_of_means = 12.0, .least_of_squares = 6.0, .of_log_density = 3.0});
  EXPECT_EQ(texts(runs, "set"), (std::vector<std::string>{"mine"}));
  EXPECT_EQ(numbers(runs, "run")[0], 7.0);
  EXPECT_EQ(numbers(runs, "mean_ess")[0], 24.0);
  EXPECT_EQ(numbers(runs, "min_ess")[0], 12.0);
  EXPECT_EQ(numbers(runs, "min_square_ess")[0], 6.0);
  EXPECT_EQ(numbers(runs, "log_density_ess")[0], 3.0);
  EXPECT_EQ(numbers(runs, "seconds")[0], 1.5);  // of one chain
  EXPECT_EQ(numbers(runs, "min_ess_per_1000_gradients")[0], 200.0);
  EXPECT_EQ(numbers(runs, "min_ess_per_second")[0], 8.0);
  EXPECT_EQ(numbers(runs, "acceptance")[0], 0.5);
}

TEST(FixedRun, JoinsChains) {
  const PaperSetting setting = small_setting();
  const auto model = std::make_shared<const Gaussian>(Gaussian::standard(3));
  const OwnedBatch starts(3, setting.chains);
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
