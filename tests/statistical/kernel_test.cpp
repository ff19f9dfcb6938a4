#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/random.hpp>
#include <iterator>
#include <numbers>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "model/skewed.hpp"
#include "model/whitened.hpp"
#include "sample/nuts.hpp"

/// Exactness, tested where it can fail: many independent chains start in the target's own law with fair directions, make some
/// transitions with coarse steps, and must still have that law. The target is skewed, because a symmetric one cannot see a
/// wrong direction, and momentum is refreshed fully, partly, or not at all, because full refreshment hides wrong momenta.
namespace darboux::testing {
namespace {

constexpr Index dim = 2;
constexpr Index lanes = 16;
#ifdef DARBOUX_SANITIZED
constexpr int blocks = 100;  // sanitizers look at the code, not at the statistics
#else
constexpr int blocks = 7000;  // 112,000 chains: the Monte Carlo error of a mean of q is 1.2825/√112000 = 0.0038
#endif

const Matrix J{{0, 1}, {-1, 0}};

struct Method {
  std::string label;
  IntegratorKind kind = IntegratorKind::leapfrog;
  PoissonStructure structure = PoissonStructure::canonical(dim);
  IntegratorOptions integrator;
  KernelOptions kernel;
  int steps = 3;
  double copy_spread = 0.2;
  enum class Length { fixed, varied, nuts } length = Length::fixed;   // of trajectories
  StructuredMatrix preconditioner = StructuredMatrix::identity(dim);  // NOLINT(readability-redundant-member-init)
  std::vector<MarginalShape> shapes{};                                // NOLINT(readability-redundant-member-init)
  bool refuses_half = false;                                          // of its proposals

  friend std::ostream& operator<<(std::ostream& out, const Method& m) { return out << m.label; }
};

PoissonStructure structure(double e, double g) {
  return PoissonStructure::from_blocks(e * J, Matrix::identity(dim), g * J);
}

Method method(const std::string& label, IntegratorKind kind, const PoissonStructure& s, double step_size, int steps) {
  Method m{.label = label, .kind = kind, .structure = s, .integrator = {}, .kernel = {}};
  m.integrator.step_size = step_size;
  m.integrator.solver.max_iterations = 25;
  m.steps = steps;
  return m;
}

std::string refreshment(double momentum_kept) {
  return momentum_kept == 0.0 ? "_full" : momentum_kept == 1.0 ? "_none" : "_partial";
}

void add_in_other_coordinates(const std::vector<Method>& methods, std::vector<Method>& all) {
  // In the coordinates of a preconditioner, as it stays after warm-up.
  for (Method m : methods) {
    m.preconditioner = StructuredMatrix::from(
        LowRankMatrix({.after = {0.9, 0.5}, .directions = {{0.6, 0.8}}, .stretches = {1.5}, .before = {1.0, 1.0}}));
    m.kernel.momentum_kept = 0.7;
    m.label += "_low_rank";
    all.push_back(m);
    m.length = Method::Length::nuts;
    m.label = "nuts_" + m.label;
    all.push_back(m);
  }
  // In coordinates that are bent, one of them the wrong way: half of the proposals are refused.
  for (Method m : methods) {
    m.shapes = {{-0.3, 1.2, -0.5, 1.1}, {0.2, 0.9, 0.6, 0.8}};
    m.kernel.momentum_kept = 0.7;
    m.label += "_bent";
    all.push_back(m);
    m.length = Method::Length::nuts;
    m.label = "nuts_" + m.label;
    all.push_back(m);
  }
}

/// Steps of more stages, and microcanonical motion, so long that half of the proposals are refused: a wrong rule shows most there.
std::vector<Method> methods_of_stages() {
  using enum IntegratorKind;
  std::vector<Method> all;
  for (const auto& [label, kind, of, stages, step_size, steps] :
       std::vector<std::tuple<std::string, IntegratorKind, PoissonStructure, int, double, int>>{
           {"leapfrog_two_stages", leapfrog, structure(0, 0), 2, 2.7, 1},
           {"leapfrog_three_stages", leapfrog, structure(0, 0), 3, 3.6, 1},
           {"magnetic_leapfrog_two_stages", magnetic_leapfrog, structure(0, 2), 2, 2.2, 2},
           {"magnetic_leapfrog_three_stages", magnetic_leapfrog, structure(0, 2), 3, 3.1, 2},
           {"split_midpoint_two_stages", split_midpoint, structure(2, 1.5), 2, 0.95, 2},
           {"split_midpoint_three_stages", split_midpoint, structure(2, 1.5), 3, 1.2, 2}}) {
    for (const double momentum_kept : {0.0, 0.5}) {
      Method m = method(label + refreshment(momentum_kept), kind, of, step_size, steps);
      m.integrator.stages = stages;
      m.kernel.momentum_kept = momentum_kept;
      all.push_back(m);
    }
  }
  for (const int stages : {1, 2}) {
    for (const double momentum_kept : {0.0, 0.3, 0.7, 1.0}) {
      for (const DirectionMode direction : all_values<DirectionMode>()) {
        Method m = method("microcanonical_" + std::to_string(stages) + refreshment(momentum_kept), leapfrog,
                          structure(0, 0), stages == 1 ? 1.25 : 2.8, 3 / stages);
        if (momentum_kept == 0.3) m.label += "_little";
        m.label += "_" + std::string(name(direction));
        m.integrator.motion = MotionKind::microcanonical;
        m.integrator.stages = stages;
        m.kernel.momentum_kept = momentum_kept;
        m.kernel.direction = direction;
        all.push_back(m);
      }
    }
  }
  return all;
}

std::vector<Method> exact_methods() {
  using enum IntegratorKind;
  std::vector<Method> methods{method("leapfrog", leapfrog, structure(0, 0), 0.9, 3),
                              method("magnetic_leapfrog", magnetic_leapfrog, structure(0, 2), 0.8, 3),
                              method("midpoint", midpoint, structure(2, 0), 0.6, 3),
                              method("midpoint_coupled", midpoint, structure(2, 1.5), 0.6, 3),
                              method("split_midpoint", split_midpoint, structure(2, 0), 0.6, 3),
                              method("split_midpoint_coupled", split_midpoint, structure(2, 1.5), 0.6, 3),
                              method("split_midpoint_without_E", split_midpoint, structure(0, 2), 0.8, 3),
                              method("doubled_angle", doubled, structure(1, 0), 0.25, 8),
                              method("doubled_coupled", doubled, structure(0.8, 0.8), 0.6, 3),
                              method("doubled_paper_order", doubled, structure(1, 0), 0.3, 4)};
  methods[7].integrator.copies.binding = BindingAngle{0.5};
  methods[8].copy_spread = 0.5;  // wide copies and coarse steps: their energy must count
  methods[9].integrator.copies.sequence = CopySequence::paper;
  std::vector<Method> all;
  for (const Method& base : methods) {
    for (const double momentum_kept : {0.0, 0.7, 1.0}) {
      for (const DirectionMode direction : all_values<DirectionMode>()) {
        Method m = base;
        m.kernel.momentum_kept = momentum_kept;
        m.kernel.direction = direction;
        m.label += refreshment(momentum_kept) + "_" + std::string(name(direction));
        all.push_back(m);
      }
    }
  }
  // As a tuned sampler runs them, with lengths that vary from one iteration to the next.
  for (Method m : {methods[1], methods[5], methods[8]}) {
    m.length = Method::Length::varied;
    m.kernel.momentum_kept = 0.7;
    m.label += "_varied";
    all.push_back(m);
  }
  for (Method m : methods_of_stages()) {
    m.refuses_half = true;
    all.push_back(m);
  }
  for (Method m : {methods[0], methods[1], methods[3], methods[4], methods[5]}) {
    m.length = Method::Length::nuts;
    m.label = "nuts_" + m.label;
    for (const double momentum_kept : {0.0, 0.7, 1.0}) {
      m.kernel.momentum_kept = momentum_kept;
      all.push_back(m);
      all.back().label += refreshment(momentum_kept);
    }
  }
  add_in_other_coordinates({methods[0], methods[1], methods[5]}, all);
  return all;
}

/// The mean of a quantity over independent chains. Its error comes from the target's own variance, not from the sample's: where
/// a sample misses the long tail, its mean and its variance are too small together, and their quotient is far off at z = 3.
struct Moment {
  std::string label;
  double truth = 0.0;
  double variance = 0.0;
  double sum = 0.0;
  std::int64_t count = 0;

  void add(double x) {
    sum += x;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  [[nodiscard]] double error() const { return std::sqrt(variance / static_cast<double>(count)); }
  [[nodiscard]] double z() const { return (mean() - truth) / error(); }
};

struct Outcome {
  std::vector<Moment> moments;
  double acceptance = 0.0;

  [[nodiscard]] double worst_z() const {
    double worst = 0.0;
    for (const Moment& m : moments) worst = std::max(worst, std::abs(m.z()));
    return worst;
  }
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  out << "acceptance " << outcome.acceptance;
  for (const Moment& m : outcome.moments)
    out << "\n  " << m.label << ": " << m.mean() << " ± " << m.error() << ", truth " << m.truth << ", z = " << m.z();
  return out;
}

/// Moments of q_i = log of an exponential variable, by its cumulants −γ, π²/6, −2ζ(3), π⁴/15, and of p: normal, or uniform on the
/// circle of radius √2, where p_i² = 1 + cos of an angle.
std::vector<Moment> moments_of_target(MotionKind motion) {
  const double variance_of_square = motion == MotionKind::hamiltonian ? 2.0 : 0.5;
  constexpr double pi = std::numbers::pi;
  constexpr double k1 = -std::numbers::egamma, k2 = pi * pi / 6.0, k4 = pi * pi * pi * pi / 15.0;
  const double k3 = -2.0 * std::riemann_zeta(3.0);
  const double second = k2 + k1 * k1;
  const double fourth = k4 + 4.0 * k3 * k1 + 3.0 * k2 * k2 + 6.0 * k2 * k1 * k1 + k1 * k1 * k1 * k1;
  std::vector<Moment> moments;
  for (const std::string coordinate : {"1", "2"}) {
    moments.push_back({.label = "q" + coordinate, .truth = k1, .variance = k2});
    moments.push_back({.label = "q²" + coordinate, .truth = second, .variance = fourth - second * second});
    moments.push_back({.label = "p" + coordinate, .truth = 0.0, .variance = 1.0});
    moments.push_back({.label = "p²" + coordinate, .truth = 1.0, .variance = variance_of_square});
  }
  moments.push_back({.label = "q1 q2", .truth = k1 * k1, .variance = second * second - k1 * k1 * k1 * k1});
  moments.push_back({.label = "q1 p2", .truth = 0.0, .variance = second});
  moments.push_back({.label = "q2 p1", .truth = 0.0, .variance = second});
  return moments;
}

/// The law of (q, p) after `transitions`, started in the target.
Outcome run(const Method& m, int transitions, int block_count = blocks) {
  Outcome outcome{.moments = moments_of_target(m.integrator.motion)};

  const Whitened model(std::make_shared<Skewed>(dim), std::vector<double>(dim, 0.0), m.preconditioner, m.shapes);
  const Integrator integrator(m.kind, m.structure, m.integrator);
  Kernel kernel(integrator, m.kernel, m.copy_spread);
  std::optional<Nuts> nuts;
  if (m.length == Method::Length::nuts) nuts.emplace(integrator, m.structure, m.kernel, 10);
  Potential u(model, lanes);
  std::vector<Transition> info(static_cast<std::size_t>(lanes));
  for (int b = 0; b < block_count; ++b) {
    ChainBlock block(dim, lanes, 20, static_cast<std::uint64_t>(b * lanes));
    for (Index l = 0; l < lanes; ++l) {
      RandomStream random({.seed = 20, .purpose = Purpose::start, .chain = block.chain_of(l)});
      std::vector<double> q;
      for (Index j = 0; j < dim; ++j) q.push_back(std::log(-std::log(random.uniform())));
      const std::vector<double> x = model.from_inner(q);
      for (Index j = 0; j < dim; ++j) block.z.q(j, l) = x[static_cast<std::size_t>(j)];
    }
    Kernel::draw_direction_and_momentum(block);
    Kernel::evaluate(block, u);
    if (nuts)
      nuts->run(
          block, u, {.first = 0, .count = transitions},
          [&](Index lane, const Transition& t, const JumpSums&) { info[at(lane)] = t; }, [] { return false; });
    for (int t = 0; t < transitions && !nuts; ++t) {
      const int steps = m.length == Method::Length::varied ? 1 + t % m.steps : m.steps;
      kernel.transition(block, u, static_cast<std::uint64_t>(t), steps, info);
    }
    for (Index l = 0; l < lanes; ++l) {
      const std::vector<double> at = model.to_inner(std::vector{block.z.q(0, l), block.z.q(1, l)});
      for (Index j = 0; j < dim; ++j) {
        const double q = at[static_cast<std::size_t>(j)];
        const double p = block.z.p(j, l);
        auto* moment = &outcome.moments[static_cast<std::size_t>(4 * j)];
        for (const double x : {q, q * q, p, p * p}) (moment++)->add(x);
      }
      outcome.moments[8].add(at[0] * at[1]);
      outcome.moments[9].add(at[0] * block.z.p(1, l));
      outcome.moments[10].add(at[1] * block.z.p(0, l));
      outcome.acceptance +=
          info[static_cast<std::size_t>(l)].acceptance_probability / static_cast<double>(block_count * lanes);
    }
  }
  return outcome;
}

class ExactKernel : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Every, ExactKernel, ::testing::ValuesIn(exact_methods()),
                         [](const auto& test) { return test.param.label; });

TEST_P(ExactKernel, LeavesTheTargetInvariant) {
  const Outcome outcome = run(GetParam(), 5);
  EXPECT_LT(outcome.worst_z(), 4.0) << outcome;
#ifndef DARBOUX_SANITIZED
  EXPECT_LE(outcome.moments[0].error(), 0.004);
#endif
  EXPECT_GT(outcome.acceptance, 0.2);   // it does move
  EXPECT_LT(outcome.acceptance, 0.98);  // and rejects often enough for a wrong rule to show
  if (GetParam().refuses_half) {
    EXPECT_NEAR(outcome.acceptance, 0.5, 0.1);
  }
}

#ifndef DARBOUX_SANITIZED

/// The paper's explicit integrator, started and read as the paper does: visibly wrong at coarse steps, right in the limit.
TEST(ExplicitKernel, IsBiasedAtCoarseStepsAndLessSoAtFineOnes) {
  for (const CopySequence sequence : {CopySequence::paper, CopySequence::two_gradient}) {
    Method coarse = method("explicit", IntegratorKind::explicit_copies, structure(1, 0), 0.5, 4);
    coarse.integrator.copies = {.sequence = sequence, .binding = BindingStrength{1.0}, .basis = {}};
    const Outcome biased = run(coarse, 10, 3 * blocks);
    EXPECT_GT(biased.worst_z(), 20.0) << name(sequence) << ' ' << biased;

    Method fine = coarse;
    fine.integrator.step_size = 0.1;
    fine.steps = 20;
    const Outcome right = run(fine, 10);
    EXPECT_LT(right.worst_z(), 4.0) << name(sequence) << ' ' << right;
  }
}

#endif

}  // namespace
}  // namespace darboux::testing
