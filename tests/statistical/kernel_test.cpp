#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <proofs/method.hpp>
#include <string>
#include <tuple>
#include <vector>

/// Exactness, tested where it can fail: many independent chains start in the target's own law with fair directions, make some
/// transitions with coarse steps, and must still have that law. The target is skewed, because a symmetric one cannot see a
/// wrong direction, and momentum is refreshed fully, partly, or not at all, because full refreshment hides wrong momenta.
namespace darboux::testing {
namespace {

using proofs::Length;
using proofs::Method;
using proofs::Outcome;

#ifdef DARBOUX_SANITIZED
constexpr int blocks = 100;  // sanitizers look at the code, not at the statistics
#else
constexpr int blocks = 7000;  // 112,000 chains: the Monte Carlo error of a mean of q is 1.2825/√112000 = 0.0038
#endif

const Matrix J{{0, 1}, {-1, 0}};

PoissonStructure structure(double e, double g) {
  return PoissonStructure::from_blocks(e * J, Matrix::identity(2), g * J);
}

Method method(const std::string& label, IntegratorKind kind, const PoissonStructure& s, double step_size, int steps) {
  Method m{.label = label, .kind = kind, .structure = s};
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
    m.length = Length::nuts;
    m.label = "nuts_" + m.label;
    all.push_back(m);
  }
  // In coordinates that are bent, one of them the wrong way, by steps so long that half of the proposals are refused; and as warm-up
  // may have it, with two stages.
  std::vector<Method> bent = methods;
  for (Method& m : bent)
    if (m.kind != IntegratorKind::split_midpoint) m.integrator.step_size = 1.18;
  bent.push_back(method("leapfrog_two_stages", IntegratorKind::leapfrog, structure(0, 0), 2.8, 1));
  bent.back().integrator.stages = 2;
  for (Method m : bent) {
    m.shapes = {{-0.3, 1.2, -0.5, 1.1}, {0.2, 0.9, 0.6, 0.8}};
    m.kernel.momentum_kept = 0.7;
    m.label += "_bent";
    all.push_back(m);
    m.length = Length::nuts;
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
  for (const int stages : {1, 2, 3}) {
    for (const double momentum_kept : {0.0, 0.3, 0.7, 1.0}) {
      for (const DirectionMode direction : all_values<DirectionMode>()) {
        Method m =
            method("microcanonical_" + std::to_string(stages) + refreshment(momentum_kept), leapfrog, structure(0, 0),
                   stages == 1   ? 1.25
                   : stages == 2 ? 2.8
                                 : 3.7,
                   3 / stages);
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
    m.length = Length::numbers;
    m.kernel.momentum_kept = 0.7;
    m.label += "_varied";
    all.push_back(m);
  }
  std::ranges::copy(methods_of_stages(), std::back_inserter(all));
  for (Method m : {methods[0], methods[1], methods[3], methods[4], methods[5]}) {
    m.length = Length::nuts;
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

/// Chains that were started in the law of two independent skewed coordinates.
Outcome run(const Method& m, int transitions, int block_count = blocks) {
  static const proofs::KnownLaw law = proofs::known_law("skewed");
  return outcome_of(m, law, {.blocks = block_count, .transitions = transitions, .seed = 20});
}

class ExactKernel : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Every, ExactKernel, ::testing::ValuesIn(exact_methods()),
                         [](const auto& test) { return test.param.label; });

TEST_P(ExactKernel, LeavesTheTargetInvariant) {
  const Outcome outcome = run(GetParam(), 5);
  EXPECT_LT(outcome.worst_z(), 4.0) << outcome;
  EXPECT_LT(outcome.rejected, 0.8);   // it does move
  EXPECT_GT(outcome.rejected, 0.02);  // and rejects often enough for a wrong rule to show
  const IntegratorOptions& steps = GetParam().integrator;
  const bool is_bent = !GetParam().shapes.empty();
  if (GetParam().length != Length::nuts &&
      (is_bent || steps.stages > 1 || steps.motion == MotionKind::microcanonical)) {
    EXPECT_NEAR(outcome.rejected, 0.5, 0.1);
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
