#include <gtest/gtest.h>

#include <cmath>
#include <darboux/model/function_model.hpp>
#include <darboux/structure/recipes.hpp>

#include "integrate/splitting.hpp"
#include "model/banana.hpp"
#include "model/fastest_turn.hpp"
#include "model/fitzhugh_nagumo.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "sample/result_in_words.hpp"
#include "sample/sample_plan.hpp"
#include "sample/stable_step.hpp"
#include "support/expect.hpp"

/// Step sizes that nobody tunes, and how long they may be.
namespace darboux::testing {
namespace {

std::shared_ptr<const Model> gaussian_of_scales(const std::vector<double>& scales) {
  return std::make_shared<Gaussian>(Gaussian::from_scales(std::vector<double>(scales.size(), 0.0), scales));
}

TEST(FastestTurn, IsTheSquareRootOfTheLargestEigenvalue) {
  const Matrix precision{{4.0, 1.0, 0.0}, {1.0, 3.0, 0.5}, {0.0, 0.5, 1.0}};
  const auto model = std::make_shared<Gaussian>(Gaussian::from_precision({1.0, 2.0, 3.0}, precision));
  OwnedBatch points(3, 2);
  for (Index j = 0; j < 3; ++j) points(j, 1) = 5.0;
  const FastestTurn found = fastest_turn(*model, points.view(), 1e-3);
  EXPECT_NEAR(found.frequency * found.frequency, 4.6377, 0.02);  // of x³ − 8x² + 17.75x − 10
  EXPECT_EQ(found.gradients, 2 * 12 * 2);
}

TEST(FastestTurn, IsThatOfTheFastestChainAndOfTheMedianOne) {
  const FunctionModel quartic(1, [](std::span<const double> q, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = -q[0] * q[0] * q[0];
    return -0.25 * std::pow(q[0], 4.0);
  });
  OwnedBatch points(1, 3);
  points(0, 1) = 2.0;
  points(0, 2) = -1.0;
  EXPECT_NEAR(fastest_turn(quartic, points.view(), 1e-4).frequency, std::sqrt(12.0), 1e-3);
  EXPECT_NEAR(fastest_turn(quartic, points.view(), 1e-4).typical, std::sqrt(3.0), 1e-3);
}

/// Its potential bends down.
FunctionModel hill() {
  return FunctionModel(2, [](std::span<const double> q, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = q[0], gradient[1] = q[1];
    return 0.5 * (q[0] * q[0] + q[1] * q[1]);
  });
}

/// It has no answer.
FunctionModel nowhere() {
  return FunctionModel(2, [](std::span<const double>, std::span<double> gradient) {
    for (double& g : gradient) g = std::nan("");
    return std::nan("");
  });
}

/// Neither where potentials bend down, nor where there is no answer.
TEST(FastestTurn, IsNoneWhereNothingTurns) {
  const OwnedBatch points(2, 4);
  EXPECT_EQ(fastest_turn(hill(), points.view(), 1e-3).frequency, 0.0);
  EXPECT_EQ(fastest_turn(hill(), points.view(), 1e-3).typical, 0.0);
  EXPECT_EQ(fastest_turn(nowhere(), points.view(), 1e-3).frequency, 0.0);
}

class Acceptance final : public DrawSink {
 public:
  void draw(const Draw& draw) override { sum_ += draw.transition.acceptance_probability, ++count_; }
  [[nodiscard]] double mean() const { return sum_ / count_; }

 private:
  double sum_ = 0.0;
  int count_ = 0;
};

/// It is told before the run, and after; and it is true.
TEST(Instability, IsToldWhereStepsAreBeyondTheLimit) {
  const auto model =
      gaussian_of_scales({0.5, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0});  // the fastest turns with 2
  for (const MotionKind motion : {MotionKind::hamiltonian, MotionKind::microcanonical})
    for (const int stages : {1, 2, 3})
      for (const double part : {0.8, 1.1}) {
        const double step_size = part * stability_limit(stages) / 2.0;
        const SamplePlan plan = plan_sampling(model, {.warmup = 0,
                                                      .draws = 100,
                                                      .seed = 1,
                                                      .threads = 1,
                                                      .stages = stages,
                                                      .motion = motion,
                                                      .step_size = step_size,
                                                      .steps = 20});
        EXPECT_NEAR(plan.starts.fastest, 2.0, 0.05);
        const std::string before = instability_in_words(plan.starts.fastest, plan.settings.first, 2);
        EXPECT_EQ(before.empty(), part < 1.0) << stages << ' ' << before;
        Acceptance seen;
        const SampleResult result = Sampler(plan.model, plan.settings).run(plan.starts, seen, {});
        EXPECT_EQ(instability_in_words(result.fastest, result.tuning, result.order), before);
        EXPECT_EQ(remarks_on_warm_up(result, 0).size(), before.empty() ? 0U : 1U);
        if (part < 1.0) {
          EXPECT_GT(seen.mean(), 0.1) << stages;
        } else if (motion == MotionKind::hamiltonian) {
          EXPECT_LT(seen.mean(), 0.05) << stages;
          EXPECT_TRUE(mentions(before, {"its energy grows and proposals are refused"}));
        } else {
          EXPECT_FALSE(mentions(before, {"energy grows"}));
          EXPECT_TRUE(mentions(before, {"holds of hamiltonian motion", "may be accepted or not"}));
          if (stages == 1) {
            EXPECT_LT(seen.mean(), 0.3);
          } else if (stages == 2) {
            EXPECT_GT(seen.mean(), 0.15) << "its energies grow no more than that";
          }
        }
      }
}

Integrator with_step(IntegratorKind kind, const PoissonStructure& structure, double step_size) {
  IntegratorOptions options;
  options.step_size = step_size;
  return {kind, structure, options};
}

/// On a structure steps may be stable for less long. For a round target whose momenta rotate at the rate g, the trace of a magnetic step of
/// one stage is 2 cos θ − h²w² sin θ/θ with θ = gh/2, beyond −2 from (hw/2)² = ½ θ cot(θ/2) on.
TEST(StableStep, IsWhatTheTraceSaysOfAMagneticStep) {
  const Matrix J{{0.0, 1.0}, {-1.0, 0.0}}, zero(2, 2), one = Matrix::identity(2);
  for (const double w : {1.0, 2.0})
    for (const double g : {0.0, 1.0, 3.0}) {
      const auto model = gaussian_of_scales({1.0 / w, 1.0 / w});
      const auto structure = PoissonStructure::from_blocks(zero, one, g * J);
      const auto integrator = [&](double h) { return with_step(IntegratorKind::magnetic_leapfrog, structure, h); };
      double h = 2.0 / w;
      for (int i = 0; i < 200 && g > 0.0; ++i) {
        const double theta = 0.5 * g * h;
        h = 0.5 * (h + 2.0 / w * std::sqrt(0.5 * theta / std::tan(0.5 * theta)));
      }
      EXPECT_EQ(longest_stable_step(*model, {1.0, 2.0}, 1e-3, 0.97 * h, integrator).step_size, 0.97 * h) << w << g;
      const StableStep found = longest_stable_step(*model, {1.0, 2.0}, 1e-3, 1.2 * h, integrator);
      EXPECT_NEAR(found.step_size / h, 1.0, 0.02) << w << ' ' << g;
      EXPECT_GT(found.gradients, 60);
    }
}

/// Neither where potentials bend down, nor where there is no answer.
TEST(StableStep, IsAnyWhereNothingTurns) {
  const auto integrator = [](double h) {
    return with_step(IntegratorKind::leapfrog, PoissonStructure::canonical(2), h);
  };
  for (const double h : {0.1, 1.0, 5.0}) {
    EXPECT_EQ(longest_stable_step(hill(), {0.0, 1.0}, 1e-3, h, integrator).step_size, h);
    EXPECT_EQ(longest_stable_step(nowhere(), {0.0, 1.0}, 1e-3, h, integrator).step_size, h);
  }
}

/// Of steps on structures, too; and it is true.
TEST(Instability, IsToldOnStructures) {
  const auto model = gaussian_of_scales({0.5, 0.5, 0.5, 0.5});
  const Matrix zero(4, 4), one = Matrix::identity(4), skew = plane_rotations(4, {{0, 2}, {1, 3}}, 1.0);
  struct Case {
    const char* label;
    IntegratorKind integrator;
    PoissonStructure structure;
    double too_long, more;  // steps, and than the longest ones that are stable; both over the limit of canonical motion
    int most_stages = 2;
  };
  const Case cases[] = {
      {"a little E", IntegratorKind::split_midpoint, PoissonStructure::from_blocks(0.1 * skew, one, zero), 1.1, 1.01},
      {"E and G", IntegratorKind::split_midpoint, PoissonStructure::from_blocks(0.5 * skew, one, 0.5 * skew), 1.2, 1.1},
      {"G, solved by nobody", IntegratorKind::split_midpoint, PoissonStructure::from_blocks(zero, one, skew), 1.1,
       0.99},
      {"strong G", IntegratorKind::magnetic_leapfrog, PoissonStructure::from_blocks(zero, one, 3.0 * skew), 1.0, 0.95,
       1},
  };
  for (const Case& c : cases)
    for (int stages = 1; stages <= c.most_stages; ++stages) {
      const auto options = [&](double step_size) {
        return SampleOptions{.warmup = 0,
                             .draws = 100,
                             .seed = 1,
                             .threads = 1,
                             .structure = c.structure,
                             .integrator = c.integrator,
                             .stages = stages,
                             .step_size = step_size,
                             .steps = 30};
      };
      const double canonical = stability_limit(stages) / 2.0;
      const double fastest = plan_sampling(model, options(c.too_long * canonical)).starts.fastest;
      ASSERT_GT(fastest, 0.0) << c.label;
      const double limit = stability_limit(stages) / fastest;
      EXPECT_LT(limit, c.more * canonical) << c.label << ' ' << stages;
      EXPECT_GT(limit, 0.5 * canonical) << c.label << ' ' << stages;
      for (const double part : {0.7, 1.07}) {
        const SamplePlan plan = plan_sampling(model, options(part * limit));
        Acceptance seen;
        const SampleResult result = Sampler(plan.model, plan.settings).run(plan.starts, seen, {});
        EXPECT_EQ(told_by(*model, result).size(), part < 1.0 ? 0U : 1U) << c.label << ' ' << stages;
        if (part < 1.0) {
          EXPECT_GT(seen.mean(), 0.1) << c.label << ' ' << stages;
        } else {
          EXPECT_LT(seen.mean(), 0.05) << c.label << ' ' << stages;
        }
      }
    }
}

/// Of order 4, too; energies of three stages grow hardly at all just beyond.
TEST(Instability, IsToldOfOrderFour) {
  const auto model = gaussian_of_scales({0.5, 1.0, 1.0, 2.0});
  for (const int stages : {1, 2, 3})
    for (const double part : {0.8, 1.1}) {
      const double step_size = part * stability_limit(stages, 4) / 2.0;
      const SamplePlan plan = plan_sampling(model, {.warmup = 0,
                                                    .draws = 100,
                                                    .seed = 1,
                                                    .threads = 1,
                                                    .order = 4,
                                                    .stages = stages,
                                                    .step_size = step_size,
                                                    .steps = 20});
      Acceptance seen;
      const SampleResult result = Sampler(plan.model, plan.settings).run(plan.starts, seen, {});
      EXPECT_EQ(remarks_on_warm_up(result, 0).size(), part < 1.0 ? 0U : 1U) << stages << ' ' << part;
      if (part < 1.0) {
        EXPECT_GT(seen.mean(), 0.5) << stages;
      } else if (stages == 1) {
        EXPECT_LT(seen.mean(), 0.05);
      }
    }
}

/// A file of an earlier run may have been changed. Frequencies are those in its coordinates, and one chain that begins in a narrow place
/// does not make steps too long that a warm-up has found.
TEST(Instability, IsToldOfTheStepsOfATuning) {
  const auto model = gaussian_of_scales({0.01, 100.0, 1.0});
  const auto told_with = [&](const SamplePlan& plan) {
    Acceptance seen;
    return told_by(*model, Sampler(plan.model, plan.settings).run(plan.starts, seen, {.tuning = plan.tuning}));
  };
  const SamplePlan plan = plan_sampling(model, {.draws = 20, .seed = 1, .threads = 1});
  Acceptance seen;
  Tuning tuning = Sampler(plan.model, plan.settings).run(plan.starts, seen, {}).tuning;
  for (const bool is_edited : {false, true}) {
    if (is_edited) tuning.step_size = 1.1 * stability_limit(tuning.stages);
    const SamplePlan again = plan_sampling(model, {.draws = 20, .seed = 1, .threads = 1, .tuning = tuning});
    EXPECT_NEAR(again.starts.fastest, 1.0, 0.1);
    EXPECT_EQ(instability_in_words(again.starts.fastest, *again.tuning, 2).empty(), !is_edited);
    const std::vector<std::string> told = told_with(again);
    ASSERT_EQ(told.size(), is_edited ? 1U : 0U);
    if (is_edited) {
      EXPECT_TRUE(mentions(told.front(), {"step-size = ", "in the coordinates of the metric"}));
    }
  }
}

TEST(Instability, IsNotToldOfTuningsThatWarmUpFound) {
  const std::shared_ptr<const Model> narrowing[] = {std::make_shared<Funnel>(5), std::make_shared<Banana>(),
                                                    std::make_shared<FitzHughNagumo>()};
  for (const auto& model : narrowing)
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const SamplePlan plan = plan_sampling(model, {.draws = 20, .seed = seed, .threads = 1});
      Acceptance seen;
      const Tuning tuning = Sampler(plan.model, plan.settings).run(plan.starts, seen, {}).tuning;
      const SamplePlan again = plan_sampling(model, {.draws = 20, .seed = seed, .threads = 1, .tuning = tuning});
      EXPECT_GT(again.starts.fastest, 0.0);
      EXPECT_EQ(instability_in_words(again.starts.fastest, tuning, 2), "") << seed;
    }
}

TEST(Instability, SaysWhatTheLimitIs) {
  const auto told = [](double fastest, double step_size, int order = 2) {
    Tuning tuning;
    tuning.step_size = step_size;
    tuning.stages = 2;
    return instability_in_words(fastest, tuning, order);
  };
  EXPECT_EQ(told(0.0, 100.0), "");
  EXPECT_EQ(told(1.0, 2.6), "");
  EXPECT_TRUE(
      mentions(told(2.0, 1.4), {"step-size = 1.4", "2 stages are stable up to 2.63/w", "w = 2 ", "Beyond 1.32"}));
  EXPECT_EQ(told(2.0, 1.4, 4), "");
  EXPECT_TRUE(mentions(told(2.0, 1.6, 4), {"2 stages and order 4 are stable up to 3.13/w", "Beyond 1.56"}));
}

/// Where warm-up finds the step size nothing has to be looked for.
TEST(Instability, IsNotLookedForBeforeAWarmUp) {
  const auto model = gaussian_of_scales({0.5, 1.0});
  EXPECT_EQ(plan_sampling(model, {.seed = 1, .stages = 2, .step_size = 100.0}).starts.fastest, 0.0);
  EXPECT_EQ(plan_sampling(model, {.warmup = 0, .seed = 1, .integrator = IntegratorKind::midpoint, .step_size = 100.0})
                .starts.fastest,
            0.0);
}

}  // namespace
}  // namespace darboux::testing
