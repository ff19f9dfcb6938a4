#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/model/logistic_regression.hpp>
#include <vector>

#include "model/whitened.hpp"
#include "sample/kernel.hpp"

/// Gradients in single precision must not bias the draws, however wrong they are. Here they are wrong in the second digit: the
/// predictor of every row is β₁ + β₂, a number of size 1, while β₁ and β₂ are of size 10⁶ and known to single precision only.
namespace darboux::testing {
namespace {

constexpr Index lanes = 16;
#ifdef DARBOUX_SANITIZED
constexpr int blocks = 50;  // sanitizers look at the code, not at the statistics
#else
constexpr int blocks = 5000;
#endif
constexpr int successes = 2, failures = 6;
constexpr double prior_scale = 1e6, width = 0.6;

/// β = (w x₁ + s x₂, w x₁ − s x₂)/√2 with s the prior scale: then x₂ is standard normal, and x₁ has the law of width_law.
std::shared_ptr<const Model> badly_scaled() {
  Matrix ones(successes + failures, 2, 1.0);
  std::vector<double> y(successes + failures, 0.0);
  std::fill_n(y.begin(), successes, 1.0);
  auto model = std::make_shared<const LogisticRegression>(
      ones, y, LogisticOptions{.intercept = false, .prior_scale = prior_scale, .names = {}});
  const double w = width / std::sqrt(2.0), s = prior_scale / std::sqrt(2.0);
  return std::make_shared<const Whitened>(model, std::vector<double>{0.0, 0.0},
                                          StructuredMatrix::from({{w, s}, {w, -s}}));
}

/// The density of x₁, σ(t)² σ(−t)⁶ with t = √2 w x₁, on a grid: for draws by inversion, and for its moments.
struct LawOfPredictor {
  static constexpr int cells = 200'000;
  static constexpr double edge = 25.0;
  std::vector<double> cumulative{0.0};
  double mean = 0.0, square = 0.0;

  LawOfPredictor() {
    for (int i = 0; i < cells; ++i) {
      const double t = std::sqrt(2.0) * width * at(i);
      const double density = std::exp(-successes * std::log1p(std::exp(-t)) - failures * std::log1p(std::exp(t)));
      cumulative.push_back(cumulative.back() + density);
      mean += density * at(i);
      square += density * at(i) * at(i);
    }
    mean /= cumulative.back();
    square /= cumulative.back();
  }
  static double at(double i) { return edge * (2.0 * (i + 0.5) / cells - 1.0); }
  [[nodiscard]] double draw(RandomStream& random) const {
    const double u = random.uniform() * cumulative.back();
    const auto next = std::upper_bound(cumulative.begin(), cumulative.end(), u);
    return at(static_cast<double>(next - cumulative.begin()) - 1.5 + random.uniform());
  }
};

struct Moment {
  double truth, sum = 0.0, squares = 0.0;
  void add(double x) { sum += x, squares += x * x; }
  [[nodiscard]] double z(double count) const {
    const double mean = sum / count;
    return (mean - truth) / std::sqrt((squares / count - mean * mean) / count);
  }
};

struct Method {
  const char* label;
  IntegratorKind kind;
  PoissonStructure structure;
  double step_size;
  int order = 2;
  MotionKind motion = MotionKind::hamiltonian;
  int stages = 1;
};

const Matrix J{{0, 1}, {-1, 0}}, none(2, 2);

/// All that may use single precision.
std::vector<Method> all_methods() {
  using enum MotionKind;
  const PoissonStructure magnetic = PoissonStructure::from_blocks(none, Matrix::identity(2), J);
  const PoissonStructure position = PoissonStructure::from_blocks(J, Matrix::identity(2), none);
  return {{"leapfrog", IntegratorKind::leapfrog, PoissonStructure::canonical(2), 0.9},
          {"leapfrog, two stages", IntegratorKind::leapfrog, PoissonStructure::canonical(2), 1.5, 2, hamiltonian, 2},
          {"leapfrog, order 4", IntegratorKind::leapfrog, PoissonStructure::canonical(2), 1.3, 4},
          {"microcanonical, two stages", IntegratorKind::leapfrog, PoissonStructure::canonical(2), 1.2, 2,
           microcanonical, 2},
          {"magnetic-leapfrog", IntegratorKind::magnetic_leapfrog, magnetic, 0.9},
          {"magnetic-leapfrog, three stages", IntegratorKind::magnetic_leapfrog, magnetic, 2.2, 2, hamiltonian, 3},
          {"magnetic-leapfrog, order 4", IntegratorKind::magnetic_leapfrog, magnetic, 1.3, 4},
          {"split-midpoint", IntegratorKind::split_midpoint, magnetic, 0.9},
          {"split-midpoint, two stages", IntegratorKind::split_midpoint, magnetic, 1.5, 2, hamiltonian, 2},
          {"doubled", IntegratorKind::doubled, position, 0.4}};
}

Integrator make(const Method& method) {
  IntegratorOptions options;
  options.step_size = method.step_size;
  options.order = method.order;
  options.motion = method.motion;
  options.stages = method.stages;
  return {method.kind, method.structure, options};
}

TEST(SinglePrecision, GradientsAreVisiblyWrongHere) {
  const auto model = badly_scaled();
  PhaseBlock z(2, lanes);
  RandomStream random({.seed = 3});
  for (Index l = 0; l < lanes; ++l) z.q(0, l) = random.normal(), z.q(1, l) = random.normal();
  const std::vector<double> dt(lanes, 1.0);
  OwnedBatch full(2, lanes), single(2, lanes);
  Potential(*model, lanes).gradient(z.q, dt, z.status, full);
  Potential(*model, lanes, GradientPrecision::single).gradient(z.q, dt, z.status, single);
  double worst = 0.0;
  for (Index l = 0; l < lanes; ++l) worst = std::max(worst, std::abs(full(0, l) - single(0, l)));
  EXPECT_GT(worst, 0.01);
  EXPECT_LT(worst, 0.5);
}

/// As transitions run them: with the value, and a gradient in double, at the end of the last step.
TEST(SinglePrecision, TrajectoriesCanBeUndone) {
  const auto model = badly_scaled();
  for (const Method& method : all_methods()) {
    Integrator integrator = make(method);
    Potential u(*model, lanes, GradientPrecision::single);
    PhaseBlock z(2, lanes);
    RandomStream random({.seed = 3});
    for (Index l = 0; l < lanes; ++l)
      for (Index j = 0; j < 2; ++j) z.q(j, l) = random.normal(), z.p(j, l) = random.normal();
    for (Index l = 0; l < lanes && method.motion == MotionKind::microcanonical; ++l) fix_speed(z, l);
    const PhaseBlock start = z;
    for (const double direction : {1.0, -1.0}) {
      const std::vector<double> dt(lanes, direction * method.step_size);
      z.forget_gradient(dt);
      integrator.start(z, u, dt);
      for (int i = 1; i <= 3; ++i) {
        integrator.step(z, u, dt, i == 3);
      }
      integrator.finish(z, dt);
    }
    for (Index l = 0; l < lanes; ++l)
      for (Index j = 0; j < 2; ++j) {
        EXPECT_NEAR(z.q(j, l), start.q(j, l), 1e-9) << method.label;
        EXPECT_NEAR(z.p(j, l), start.p(j, l), 1e-9) << method.label;
      }
  }
}

TEST(SinglePrecision, LeavesABadlyScaledTargetInvariant) {
  const LawOfPredictor law;
  const auto model = badly_scaled();
  for (const Method& method : all_methods()) {
    Kernel kernel(make(method), {.momentum_kept = 0.7});
    Potential u(*model, lanes, GradientPrecision::single);
    std::vector<Moment> moments{{law.mean}, {law.square}, {0.0}, {1.0}, {0.0}, {1.0}, {0.0}};
    std::vector<Transition> info(static_cast<std::size_t>(lanes));
    double acceptance = 0.0;
    for (int b = 0; b < blocks; ++b) {
      ChainBlock block(2, lanes, 20, static_cast<std::uint64_t>(b * lanes));
      for (Index l = 0; l < lanes; ++l) {
        RandomStream random({.seed = 20, .purpose = Purpose::start, .chain = block.chain_of(l)});
        block.z.q(0, l) = law.draw(random);
        block.z.q(1, l) = random.normal();
      }
      Kernel::draw_direction_and_momentum(block);
      Kernel::evaluate(block, u);
      for (std::uint64_t t = 0; t < 5; ++t) kernel.transition(block, u, t, 4, info);
      for (Index l = 0; l < lanes; ++l) {
        const double x = block.z.q(0, l), v = block.z.q(1, l), p = block.z.p(0, l);
        std::size_t k = 0;
        for (const double value : {x, x * x, v, v * v, p, p * p, x * p}) moments[k++].add(value);
        acceptance += info[static_cast<std::size_t>(l)].acceptance_probability / (blocks * lanes);
      }
    }
    for (const Moment& m : moments) EXPECT_LT(std::abs(m.z(blocks * lanes)), 4.0) << method.label;
    EXPECT_GT(acceptance, 0.2) << method.label;
    EXPECT_LT(acceptance, 0.99) << method.label;
  }
}

}  // namespace
}  // namespace darboux::testing
