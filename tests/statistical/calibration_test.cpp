#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <darboux/core/random.hpp>
#include <darboux/model/differentiate.hpp>
#include <vector>

#include "sample/result_in_words.hpp"
#include "sample/sample_plan.hpp"
#include "sample/sampler.hpp"

/// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman 2018): where a parameter is drawn from its prior
/// and data from the parameter, its rank among independent posterior draws is uniform. What is tested is all that a run at
/// default settings consists of: starting points, warm-up, preconditioner, bent coordinates, chosen steps, trajectories, acceptance.
namespace darboux {
namespace {

constexpr std::size_t groups = 5;

/// μ ~ N(0, 1), log τ ~ N(0, ½), θ_j = μ + τ η_j with η_j ~ N(0, 1), y_j ~ N(θ_j, 1). Coordinates are (μ, log τ, η).
struct World {
  double mu, log_tau;
  std::array<double, groups> eta, y;
};

World draw_world(std::uint64_t replication) {
  RandomStream random({.seed = 2018, .purpose = Purpose::data, .chain = replication});
  World world{.mu = random.normal(), .log_tau = 0.5 * random.normal(), .eta = {}, .y = {}};
  for (double& eta : world.eta) eta = random.normal();
  for (std::size_t j = 0; j < groups; ++j)
    world.y[j] = world.mu + std::exp(world.log_tau) * world.eta[j] + random.normal();
  return world;
}

std::shared_ptr<const Model> posterior_of(const World& world) {
  return std::make_shared<FunctionModel>(differentiate(2 + groups, [y = world.y](const auto& q) {
    using std::exp;
    using Scalar = ScalarOf<decltype(q)>;
    const Scalar tau = exp(q[1]);
    Scalar log_density = -0.5 * q[0] * q[0] - 2.0 * q[1] * q[1];
    for (std::size_t j = 0; j < groups; ++j) {
      const Scalar residual = y[j] - q[0] - tau * q[j + 2];
      log_density -= 0.5 * (residual * residual + q[j + 2] * q[j + 2]);
    }
    return log_density;
  }));
}

constexpr std::size_t bins = 20;
constexpr int kept = 99;  // so that there are 100 ranks, five to a bin

/// χ² of counts that should be equal.
double chi_square(const std::array<int, bins>& counts, int total) {
  const double expected = static_cast<double>(total) / bins;
  double sum = 0.0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Calibration, RanksOfTheTruthAreUniform) {
  if (std::getenv("DARBOUX_LONG") == nullptr) GTEST_SKIP() << "takes ten seconds: set DARBOUX_LONG";
  constexpr int replications = 400;
  constexpr int apart = 40;  // iterations between draws that count: 4 chains of 1000 have 100 of them, independent
  const auto quantities = [](std::span<const double> q) {
    return std::array{q[0], q[1], q[0] + std::exp(q[1]) * q[2]};  // μ, log τ, θ_1
  };
  std::array<std::array<int, bins>, 3> counts{};
  int chosen = 0, bent = 0;
  for (int r = 0; r < replications; ++r) {
    const World world = draw_world(static_cast<std::uint64_t>(r));
    const auto truth = quantities(std::array{world.mu, world.log_tau, world.eta[0]});
    const auto model = posterior_of(world);
    const SamplePlan plan = plan_sampling(model, {.seed = static_cast<std::uint64_t>(r) + 1, .threads = 1});
    std::array<int, 3> ranks{};
    int seen = 0;
    CallbackSink rank([&](const Draw& draw) {
      if (draw.phase == Phase::warmup || draw.iteration % apart != 0 || seen == kept) return;
      ++seen;
      const auto values = quantities(draw.values);
      for (std::size_t i = 0; i < 3; ++i) ranks[i] += values[i] < truth[i] ? 1 : 0;
    });
    const SampleResult result = Sampler(plan.model, plan.settings).run(plan.starts, rank);
    ASSERT_EQ(seen, kept);
    chosen += result.foreseen > 0.0 ? 1 : 0;
    bent += bent_coordinates(result.tuning) > 0 ? 1 : 0;
    for (std::size_t i = 0; i < 3; ++i) ++counts[i][static_cast<std::size_t>(ranks[i]) * bins / (kept + 1)];
  }
  EXPECT_GT(chosen, replications / 2) << "steps are chosen by default";
  EXPECT_GT(bent, 0) << "and coordinates bent";
  constexpr double threshold = 50.80;  // of χ² with 19 degrees of freedom at 10⁻⁴
  EXPECT_LT(chi_square(counts[0], replications), threshold) << "mu";
  EXPECT_LT(chi_square(counts[1], replications), threshold) << "log tau";
  EXPECT_LT(chi_square(counts[2], replications), threshold) << "theta_1";
}

}  // namespace
}  // namespace darboux
