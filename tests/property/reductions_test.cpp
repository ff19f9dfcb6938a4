#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

Variant plain(IntegratorKind kind, double step_size) {
  Variant v{.label = "", .kind = kind, .options = {}};
  v.options.step_size = step_size;
  return v;
}

TEST(Reductions, MagneticLeapfrogWithoutGIsLeapfrog) {
  EXPECT_TRUE(rc::check("with G = 0 magnetic-leapfrog is leapfrog", [] {
    const Index n = *rc::gen::inRange<Index>(1, 21);
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
    const PoissonStructure structure = random_structure(n, Shape::canonical_any_A, seed);
    const FunctionModel model = rippled_model(n);
    RandomStream random({.seed = seed});
    const State start = random_state(2 * n, random);
    TrajectoryMap magnetic(plain(IntegratorKind::magnetic_leapfrog, 0.2), structure, model);
    TrajectoryMap leapfrog(plain(IntegratorKind::leapfrog, 0.2), structure, model);
    RC_ASSERT(magnetic(start, -1.0, 4) == leapfrog(start, -1.0, 4));

    // And it depends on G continuously: the branch for G = 0 is the limit of the other one.
    const Matrix tiny = 1e-9 * random_skew(n, Divisor{}, seed);
    const auto nearly = PoissonStructure::from_blocks(Matrix(n, n), structure.A().matrix(), tiny);
    TrajectoryMap limit(plain(IntegratorKind::magnetic_leapfrog, 0.2), nearly, model);
    RC_ASSERT(distance(limit(start, 1.0, 4), leapfrog(start, 1.0, 4)) < 1e-6);
  }));
}

/// Drift-kick-drift with the flows of magnetic-leapfrog, written out.
TEST(Reductions, SplitMidpointWithoutEIsDriftKickDrift) {
  EXPECT_TRUE(rc::check("with E = 0 split-midpoint is kinetic flow, kick, kinetic flow", [] {
    const Index n = *rc::gen::inRange<Index>(1, 21);
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
    const PoissonStructure structure = random_structure(n, Shape::magnetic_position, seed);
    const FunctionModel model = rippled_model(n);
    RandomStream random({.seed = seed});
    const State start = random_state(2 * n, random);
    const double step_size = 0.2;
    TrajectoryMap split(plain(IntegratorKind::split_midpoint, step_size), structure, model);
    RC_ASSERT(split.traits().is_explicit);

    KineticFlow half_kinetic(structure, step_size, 0.5);
    KickFlow kick(structure);
    Potential u(model, 1);
    PhaseBlock z(n, 1);
    set_lane(z, 0, start);
    const std::vector<double> dt{step_size};
    for (int i = 0; i < 3; ++i) {
      half_kinetic(z, dt);
      u.refresh_gradient(z, dt, false);
      kick(z, dt, 1.0);
      half_kinetic(z, dt);
    }
    RC_ASSERT(distance(split(start, 1.0, 3), get_lane(z, 0, start.size())) < 1e-12);
  }));
}

/// Kick-drift-kick and drift-kick-drift are the same flows in another order: half a kinetic flow apart, not equal.
TEST(Reductions, SplitMidpointIsNotMagneticLeapfrogStepByStep) {
  const PoissonStructure structure = random_structure(3, Shape::magnetic_position, 4);
  const FunctionModel model = rippled_model(3);
  const State start{0.3, -0.8, 0.5, 1.1, 0.2, -0.4};
  const State dkd = TrajectoryMap(plain(IntegratorKind::split_midpoint, 0.2), structure, model)(start, 1.0, 1);
  const State kdk = TrajectoryMap(plain(IntegratorKind::magnetic_leapfrog, 0.2), structure, model)(start, 1.0, 1);
  EXPECT_GT(distance(dkd, kdk), 1e-5);
}

/// All integrators approach the same motion: a structure that all of them accept, small steps, the same end.
TEST(Reductions, AllIntegratorsFollowTheSameMotion) {
  const PoissonStructure structure = random_structure(4, Shape::canonical_any_A, 11);
  const FunctionModel model = rippled_model(4);
  RandomStream random({.seed = 3});
  State start = random_state(8, random);
  const State reference = TrajectoryMap(plain(IntegratorKind::leapfrog, 1e-3), structure, model)(start, 1.0, 1000);
  start.resize(16, 0.0);
  for (const Variant& v : all_variants()) {
    Variant fine = v;
    fine.options.step_size = 2e-3;
    if (std::holds_alternative<BindingAngle>(v.options.copies.binding)) continue;  // only of first order there
    State end = TrajectoryMap(fine, structure, model)(start, 1.0, 500);
    end.resize(8);
    EXPECT_LT(distance(end, reference), 1e-4) << v.label;
  }
}

}  // namespace
}  // namespace darboux::testing
