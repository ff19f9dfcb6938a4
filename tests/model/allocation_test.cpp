/// Evaluators own their memory: after the first block they allocate nothing.
#include <gtest/gtest.h>

#include "model_cases.hpp"
#include "support/count_allocations.hpp"

namespace darboux::testing {
namespace {

TEST(Allocation, NoneAfterTheFirstBlock) {
  for (const ModelCase& which : model_cases()) {
    const Index dim = which.model->dim();
    const OwnedBatch q(dim, 16);
    OwnedBatch gradient(dim, 16);
    std::vector<double> log_density(16);
    std::vector<Status> status(16);
    const auto evaluator = which.model->make_evaluator();
    const auto evaluate = [&](Index lanes, bool with_gradient) {
      const auto size = static_cast<std::size_t>(lanes);
      evaluator->evaluate(
          {.q = {q.view().row(0), dim, lanes, 16}, .active = {}, .value = true, .gradient = with_gradient},
          {.log_density = {log_density.data(), size},
           .gradient = {gradient.view().row(0), dim, lanes, 16},
           .status = {status.data(), size}});
    };
    evaluate(16, true);
    evaluate(16, false);
    const long before = allocations;
    for (int repetition = 0; repetition < 3; ++repetition)
      for (const Index lanes : {16, 3, 1}) {
        evaluate(lanes, true);
        evaluate(lanes, false);
      }
    EXPECT_EQ(allocations, before) << which.name;
  }
  EXPECT_GT(allocations, 0) << "the counter is not in use";
}

}  // namespace
}  // namespace darboux::testing
