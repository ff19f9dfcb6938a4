#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/model/logistic_regression.hpp>

#include "sample/kernel.hpp"

namespace darboux::testing {
namespace {

#ifdef DARBOUX_SANITIZED
constexpr int replications = 200;  // sanitizers look at the code, not at the statistics
#else
constexpr int replications = 30000;
#endif

/// Geweke's joint-distribution test. Draw β from the prior and labels y given β; then go round: transitions of the kernel on
/// β given y, new labels given β. If likelihood, prior, gradient and kernel agree with the simulation of y, β keeps the law
/// of the prior, N(0, s²I), whatever happened in between.
TEST(Geweke, LogisticRegressionAndKernelAgreeWithTheSimulation) {
  constexpr Index rows = 8;
  constexpr Index features = 2;
  constexpr Index dim = features + 1;
  constexpr double prior_scale = 1.4;
  Matrix x(rows, features);
  RandomStream design({.seed = 1});
  design.fill_normal({x.data(), static_cast<std::size_t>(rows * features)});
  Kernel kernel(Integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(dim),
                           {.step_size = 0.7, .solver = {}, .copies = {}}),
                {});

  std::vector<double> sum(2 * dim), squares(2 * dim);
  double acceptance = 0.0;
  constexpr int rounds = 3;
  for (std::uint64_t r = 0; r < replications; ++r) {
    RandomStream random({.seed = 2, .purpose = Purpose::data, .chain = r});
    ChainBlock block(dim, 1, 3, r);
    for (Index j = 0; j < dim; ++j) block.z.q(j, 0) = prior_scale * random.normal();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::vector<double> y;
      for (Index i = 0; i < rows; ++i) {
        double eta = block.z.q(0, 0);
        for (Index j = 0; j < features; ++j) eta += x(i, j) * block.z.q(j + 1, 0);
        y.push_back(random.uniform() < 1.0 / (1.0 + std::exp(-eta)) ? 1.0 : 0.0);
      }
      const LogisticRegression model(x, y, {.intercept = true, .prior_scale = prior_scale});
      Potential u(model, 1);
      if (round == 0) Kernel::draw_direction_and_momentum(block);
      Kernel::evaluate(block, u);
      std::vector<Transition> info(1);
      for (std::uint64_t t = 0; t < 2; ++t) {
        kernel.transition(block, u, 2 * round + t, 3, info);
        acceptance += info[0].acceptance_probability / (2.0 * rounds * replications);
      }
    }
    for (Index j = 0; j < dim; ++j) {
      const double q = block.z.q(j, 0) / prior_scale;
      const auto k = static_cast<std::size_t>(2 * j);
      sum[k] += q;
      squares[k] += q * q;
      sum[k + 1] += q * q;
      squares[k + 1] += q * q * q * q;
    }
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const double mean = sum[k] / replications;
    const double error = std::sqrt((squares[k] / replications - mean * mean) / replications);
    const double truth = k % 2 == 0 ? 0.0 : 1.0;
    EXPECT_LT(std::abs(mean - truth) / error, 4.0) << "moment " << k << ": " << mean << " ± " << error;
  }
  EXPECT_GT(acceptance, 0.5);
  EXPECT_LT(acceptance, 0.98);
}

}  // namespace
}  // namespace darboux::testing
