#include <gtest/gtest.h>

#include "support/instrumented_model.hpp"
#include "support/integrator_cases.hpp"
#include "support/synthetic_logistic.hpp"

/// Implicit solves that begin with gradients in single precision must end where those in double end.
namespace darboux::testing {
namespace {

constexpr Index features = 6;

class MixedPrecision : public ::testing::TestWithParam<IntegratorKind> {
 protected:
  static Variant variant(double tolerance) {
    Variant v{.label = std::string(name(GetParam())), .kind = GetParam(), .options = {}};
    v.options.step_size = 0.3;
    v.options.solver.tolerance = tolerance;
    return v;
  }
  static std::vector<State> starts(std::size_t count) {
    RandomStream random({.seed = 4});
    std::vector<State> states;
    for (std::size_t i = 0; i < count; ++i) states.push_back(random_state(2 * (features + 1), random));
    return states;
  }

  InstrumentedModel model{synthetic_logistic(200, features).whitened};
  PoissonStructure structure = random_structure(features + 1, Shape::general, 5);
};
INSTANTIATE_TEST_SUITE_P(Implicit, MixedPrecision,
                         ::testing::Values(IntegratorKind::midpoint, IntegratorKind::split_midpoint),
                         [](const auto& test) {
                           return test.param == IntegratorKind::midpoint ? "midpoint" : "split_midpoint";
                         });

TEST_P(MixedPrecision, FindsTheRootsOfFullPrecision) {
  const auto states = starts(16);
  TrajectoryMap map(variant(1e-12), structure, model);
  const auto full = map(states, {1.0}, 3);
  ASSERT_EQ(map.status, std::vector<Status>(16, Status::ok));
  EXPECT_EQ(model.single_gradients(0), 0);
  map.precision = GradientPrecision::mixed;
  const auto mixed = map(states, {1.0}, 3);
  EXPECT_EQ(map.status, std::vector<Status>(16, Status::ok));
  // Gradients in single precision are wrong by 1e-7 and more: only those in double lead here.
  for (std::size_t l = 0; l < states.size(); ++l) EXPECT_LT(distance(full[l], mixed[l]), 1e-10);
}

TEST_P(MixedPrecision, BeginsInSingleAndEndsInDouble) {
  Variant unchecked = variant(1e-6);
  unchecked.check_reverse = false;
  unchecked.options.solver.reverse_threshold = 1e-4;  // of no account, but never below 100 tolerances
  TrajectoryMap map(unchecked, structure, model);
  map.precision = GradientPrecision::mixed;
  map(starts(16), {1.0}, 1);
  for (Index l = 0; l < 16; ++l) {
    EXPECT_GT(model.single_gradients(l), 0);
    EXPECT_LE(model.gradients(l) - model.single_gradients(l), 2) << "evaluations in double that single precision saves";
    EXPECT_FALSE(model.ended_in_single(l));
  }
}

/// Every row has the predictor β₁ + β₂, of size 1, while β₁ and β₂ are of size 10⁶ and known to 0.06 in single precision: there,
/// updates never get small.
TEST_P(MixedPrecision, GoesOnWhereSinglePrecisionLeadsNoFurther) {
  const auto regression =
      std::make_shared<const LogisticRegression>(Matrix(8, 2, 1.0), std::vector<double>{1, 1, 0, 0, 0, 0, 0, 0},
                                                 LogisticOptions{.intercept = false, .prior_scale = 1e6, .names = {}});
  const Whitened rough(regression, {0.0, 0.0}, StructuredMatrix::from({{0.4, 7e5}, {0.4, -7e5}}));
  RandomStream random({.seed = 4});
  std::vector<State> states;
  for (int i = 0; i < 64; ++i) states.push_back(random_state(4, random));
  TrajectoryMap map(variant(1e-10), random_structure(2, Shape::general, 5), rough);
  const auto full = map(states, {1.0}, 1);
  const auto status = map.status;
  map.precision = GradientPrecision::mixed;
  const auto mixed = map(states, {1.0}, 1);
  EXPECT_EQ(map.status, status);
  for (std::size_t l = 0; l < states.size(); ++l) EXPECT_LT(distance(full[l], mixed[l]), 1e-8);
}

TEST_P(MixedPrecision, ALaneDoesNotDependOnItsNeighbours) {
  const auto states = starts(16);
  TrajectoryMap map(variant(1e-8), structure, model);
  map.precision = GradientPrecision::mixed;
  const auto together = map(states, {1.0}, 3);
  for (std::size_t l = 0; l < states.size(); ++l) EXPECT_EQ(map(states[l], 1.0, 3), together[l]);
}

}  // namespace
}  // namespace darboux::testing
