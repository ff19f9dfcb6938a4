#include "integrate/motion_check.hpp"

#include <gtest/gtest.h>

#include "model/gaussian.hpp"
#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

PhaseBlock normal_block(Index n, Index lanes) {
  PhaseBlock z(n, lanes);
  RandomStream random({.seed = 4, .purpose = Purpose::start});
  for (OwnedBatch* part : {&z.q, &z.p})
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < lanes; ++l) (*part)(j, l) = random.normal();
  return z;
}

MotionCheck leapfrog_on_a_gaussian(double step_size, int steps) {
  Integrator integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(3),
                        {.step_size = step_size, .solver = {}, .copies = {}});
  const Gaussian model = Gaussian::standard(3);
  Potential u(model, 8);
  return check_motion(integrator, u, normal_block(3, 8), {.steps = steps});
}

TEST(MotionCheck, counts_gradients_and_comes_back) {
  const MotionCheck check = leapfrog_on_a_gaussian(0.1, 10);
  EXPECT_EQ(check.gradients, 1.1);  // one more than steps
  EXPECT_LT(check.return_error, 1e-14);
  EXPECT_EQ(check.failed, 0);
  EXPECT_NEAR(check.energy_error / leapfrog_on_a_gaussian(0.05, 20).energy_error, 4.0, 0.1);
}

/// Leapfrog on a standard Gaussian conserves ½ p² + ½ q² (1 − ε²/4), so that ΔH is ε²/8 times the change of q².
TEST(MotionCheck, the_energy_error_is_that_of_the_formula) {
  constexpr double dt = 0.2;
  Integrator integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(1),
                        {.step_size = dt, .solver = {}, .copies = {}});
  const Gaussian model = Gaussian::standard(1);
  Potential u(model, 1);
  PhaseBlock z(1, 1);
  z.q(0, 0) = 1.5;
  z.p(0, 0) = -0.4;
  const MotionCheck check = check_motion(integrator, u, z, {.steps = 3});
  const std::vector<double> forward{dt};
  integrator.run(z, u, forward, 3);
  EXPECT_NEAR(check.energy_error, std::abs(dt * dt / 8.0 * (z.q(0, 0) * z.q(0, 0) - 1.5 * 1.5)), 1e-15);
}

TEST(MotionCheck, explicit_does_not_come_back_and_doubled_does) {
  const auto structure = make_structure(Recipe::coupled, 2, {.size = SpectralStrength{0.8}, .seed = 1, .A = {}});
  const FunctionModel model = FunctionModel(2, [](std::span<const double> q, std::span<double> g) {
    for (std::size_t j = 0; j < g.size(); ++j) g[j] = 1.0 - std::exp(q[j]);
    return q[0] - std::exp(q[0]) + q[1] - std::exp(q[1]);
  });
  Potential u(model, 4);
  PhaseBlock z = normal_block(2, 4);
  for (Index j = 0; j < 4; ++j)
    for (Index l = 0; l < 4; ++l) z.offset(j, l) = 0.1;
  IntegratorOptions options{.step_size = 0.2, .solver = {}, .copies = {}};
  Integrator approximate(IntegratorKind::explicit_copies, structure, options);
  EXPECT_GT(check_motion(approximate, u, z).return_error, 1e-4);
  Integrator exact(IntegratorKind::doubled, structure, options);
  EXPECT_LT(check_motion(exact, u, z).return_error, 1e-11);
}

TEST(MotionCheck, chains_that_fail_are_counted_apart) {
  const FunctionModel model = FunctionModel(1, [](std::span<const double> q, std::span<double> g) {
    if (!g.empty()) g[0] = q[0] > 3.0 ? std::nan("") : -q[0];
    return -0.5 * q[0] * q[0];
  });
  Integrator integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(1),
                        {.step_size = 0.1, .solver = {}, .copies = {}});
  Potential u(model, 2);
  PhaseBlock z(1, 2);
  z.q(0, 0) = 2.9;
  z.p(0, 0) = 2.0;  // runs out of where the model answers
  z.q(0, 1) = 0.5;
  const MotionCheck check = check_motion(integrator, u, z);
  EXPECT_EQ(check.failed, 1);
  EXPECT_GT(check.energy_error, 0.0);
  EXPECT_LT(check.energy_error, 1e-3);
}

}  // namespace
}  // namespace darboux::testing
