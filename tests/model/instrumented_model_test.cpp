#include "support/instrumented_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/skewed.hpp"
#include "support/model_evaluation.hpp"

namespace darboux::testing {
namespace {

class Instrumented : public ::testing::Test {
 protected:
  InstrumentedModel model{std::make_shared<const Skewed>(2)};
  std::unique_ptr<Evaluator> evaluator = model.make_evaluator();
  OwnedBatch q{2, 3};
};

TEST_F(Instrumented, CountsPerActiveLane) {
  const std::vector<std::uint8_t> mask{1, 0, 1};
  evaluate(*evaluator, q);
  evaluate(*evaluator, q, {.value = false, .active = mask});
  evaluate(*evaluator, q, {.gradient = false, .active = mask});
  EXPECT_EQ(model.gradients(0), 2);
  EXPECT_EQ(model.gradients(1), 1);
  EXPECT_EQ(model.values_only(0), 1);
  EXPECT_EQ(model.values_only(1), 0);
  EXPECT_EQ(model.values(2), 2);
  EXPECT_EQ(model.gradients(17), 0);
  EXPECT_EQ(model.calls(), 3);
  model.reset();
  EXPECT_EQ(model.gradients(0), 0);
}

TEST_F(Instrumented, InjectsEachFaultOnceAndInOneLane) {
  using Kind = Fault::Kind;
  model.inject({.kind = Kind::nan_gradient, .lane = 0, .call = 2});
  model.inject({.kind = Kind::infinite_gradient, .lane = 1, .call = 1});
  model.inject({.kind = Kind::model_error, .lane = 2, .call = 3});
  model.inject({.kind = Kind::nan_value, .lane = 1, .call = 3});
  evaluate(*evaluator, q, {.gradient = false});  // counts as a value, not as a gradient
  for (int call = 1; call <= 4; ++call) {
    const Evaluated got = evaluate(*evaluator, q);
    EXPECT_EQ(std::isnan(got.gradient(0, 0)), call == 2);
    EXPECT_EQ(std::isinf(got.gradient(1, 1)), call == 1);
    EXPECT_EQ(got.status[2] == Status::model_error, call == 3);
    EXPECT_EQ(std::isnan(got.log_density[1]), call == 2);
    EXPECT_EQ(got.status[0], Status::ok);
  }
}

}  // namespace
}  // namespace darboux::testing
