#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

class Reversibility : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Reversibility, ::testing::ValuesIn(all_variants()), variant_label);

/// A variant with a random step size, a random structure that suits it, and some random states.
struct Draw {
  Variant variant;
  PoissonStructure structure;
  std::vector<State> states;
  std::vector<double> directions;
};

Draw draw_case(const Variant& variant) {
  const Index n = *rc::gen::inRange<Index>(1, 21);
  const auto shape = *rc::gen::elementOf(shapes_for(variant));
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
  Draw draw{.variant = variant, .structure = random_structure(n, shape, seed), .states = {}, .directions = {}};
  RandomStream random({.seed = seed});
  draw.variant.options.step_size = 0.02 + 0.2 * random.uniform();
  for (int lane = 0; lane < 5; ++lane) {
    draw.states.push_back(random_state(state_dim(variant, draw.structure), random, 0.7));
    draw.directions.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
  }
  return draw;
}

std::vector<double> negated(std::vector<double> v) {
  for (double& x : v) x = -x;
  return v;
}

TEST_P(Reversibility, BackwardUndoesForward) {
  EXPECT_TRUE(rc::check("backward after forward is the identity", [] {
    const Draw draw = draw_case(GetParam());
    const FunctionModel model = rippled_model(draw.structure.dim());
    TrajectoryMap map(draw.variant, draw.structure, model);
    const auto ends = map(draw.states, draw.directions, 3);
    RC_ASSERT(map.status == std::vector<Status>(draw.states.size(), Status::ok));
    const auto back = map(ends, negated(draw.directions), 3);
    for (std::size_t l = 0; l < back.size(); ++l) {
      RC_ASSERT(distance(draw.states[l], ends[l]) > 1e-3);  // it did move
      RC_ASSERT(distance(draw.states[l], back[l]) < 1e-9);
    }
  }));
}

/// Φ of the reversed structure is S ∘ Φ⁻¹ ∘ S. For the integrators on two copies this also needs the basis S B S.
TEST_P(Reversibility, ReversedStructureAndFlippedMomentumUndoForward) {
  EXPECT_TRUE(rc::check("flip, reversed structure, flip undoes a trajectory", [] {
    const Draw draw = draw_case(GetParam());
    const Index n = draw.structure.dim();
    const FunctionModel model = rippled_model(n);
    TrajectoryMap map(draw.variant, draw.structure, model);
    Variant reversed = draw.variant;
    if (map.traits().doubled_space) {
      DarbouxBasis basis = schur_basis(draw.structure);
      for (Index i = 0; i < 2 * n; ++i)
        for (Index j = 0; j < 2 * n; ++j)
          if ((i < n) != (j < n)) basis.B(i, j) = -basis.B(i, j), basis.F(i, j) = -basis.F(i, j);
      reversed.options.copies.basis = basis;
    }
    TrajectoryMap reversed_map(reversed, draw.structure.reversed(), model);
    auto ends = map(draw.states, draw.directions, 3);
    for (State& end : ends) end = momentum_flipped(end, n);
    const auto back = reversed_map(ends, draw.directions, 3);
    for (std::size_t l = 0; l < back.size(); ++l)
      RC_ASSERT(distance(draw.states[l], momentum_flipped(back[l], n)) < 1e-9);
  }));
}

TEST_P(Reversibility, FlippedMomentumAloneFailsWhereEOrGIsNotZero) {
  EXPECT_TRUE(rc::check("a momentum flip alone reverses E = G = 0 only", [] {
    const Draw draw = draw_case(GetParam());
    const Index n = draw.structure.dim();
    const bool canonical = draw.structure.E().is_zero() && draw.structure.G().is_zero();
    const FunctionModel model = rippled_model(n);
    TrajectoryMap map(draw.variant, draw.structure, model);
    RC_PRE(!(canonical && map.traits().doubled_space));  // the offset would need a flip in this basis, too
    std::vector<double> forward(draw.states.size(), 1.0);
    auto ends = map(draw.states, forward, 3);
    for (State& end : ends) end = momentum_flipped(end, n);
    const auto back = map(ends, forward, 3);
    double worst = 0.0;
    for (std::size_t l = 0; l < back.size(); ++l)
      worst = std::max(worst, distance(draw.states[l], momentum_flipped(back[l], n)));
    if (canonical)
      RC_ASSERT(worst < 1e-9);
    else
      RC_ASSERT(worst > 1e-4);
  }));
}

/// The paper's use of its explicit integrator: equal copies at the start, the first copy returned, the second forgotten.
TEST(ExplicitAsInThePaper, IsNotReversible) {
  for (const CopySequence sequence : {CopySequence::paper, CopySequence::two_gradient}) {
    const PoissonStructure structure =
        PoissonStructure::from_blocks(Matrix{{0, 1}, {-1, 0}}, Matrix::identity(2), Matrix(2, 2));
    Variant variant{.label = "explicit", .kind = IntegratorKind::explicit_copies, .options = {}};
    variant.options.copies.sequence = sequence;
    const FunctionModel model = rippled_model(2);
    const auto defect = [&](double step_size, int steps) {
      variant.options.step_size = step_size;
      TrajectoryMap map(variant, structure, model);
      const State start{0.3, -0.8, 0.5, 1.1, 0, 0, 0, 0};
      State end = map(start, 1.0, steps);
      std::fill(end.begin() + 4, end.end(), 0.0);  // forget the second copy
      State back = map(end, -1.0, steps);
      std::fill(back.begin() + 4, back.end(), 0.0);
      return distance(start, back);
    };
    EXPECT_GT(defect(0.5, 4), 1e-3) << name(sequence);
    EXPECT_LT(defect(0.0125, 160), defect(0.5, 4) / 100.0) << name(sequence);  // it vanishes with the step size
  }
}

}  // namespace
}  // namespace darboux::testing
