#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <vector>

#include "integrate/gaussian_flow.hpp"
#include "linalg/dense.hpp"
#include "model/gaussian.hpp"
#include "model/skewed.hpp"
#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;

std::string refusal(IntegratorKind kind, const PoissonStructure& structure, const IntegratorOptions& options = {}) {
  try {
    const Integrator integrator(kind, structure, options);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Integrator, NamesGoBothWays) {
  for (const IntegratorKind kind : all_values<IntegratorKind>())
    EXPECT_EQ(from_name<IntegratorKind>("integrator", name(kind)), kind);
  try {
    (void)from_name<IntegratorKind>("integrator", "split-midpont");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean \"split-midpoint\""));
  }
}

TEST(Integrator, RefusesStructuresThatDoNotSuit) {
  const PoissonStructure with_g = random_structure(3, Shape::magnetic_position, 1);
  const PoissonStructure with_e = random_structure(3, Shape::magnetic_momentum, 1);
  EXPECT_THAT(refusal(IntegratorKind::leapfrog, with_g), HasSubstr("leapfrog needs a structure with G = 0, but G("));
  EXPECT_THAT(refusal(IntegratorKind::leapfrog, with_e), HasSubstr("leapfrog needs a structure with E = 0, but E("));
  EXPECT_THAT(refusal(IntegratorKind::magnetic_leapfrog, with_e), HasSubstr("use split-midpoint, midpoint or doubled"));
  EXPECT_EQ(refusal(IntegratorKind::magnetic_leapfrog, with_g), "accepted");

  const Matrix j{{0, 1}, {-1, 0}};
  const auto singular = PoissonStructure::from_blocks(j, Matrix::identity(2), j);  // det = (1 − 1)² = 0
  for (const auto kind : {IntegratorKind::explicit_copies, IntegratorKind::doubled})
    EXPECT_THAT(refusal(kind, singular), HasSubstr("eigenvalue"));
  for (const auto kind : {IntegratorKind::midpoint, IntegratorKind::split_midpoint})
    EXPECT_EQ(refusal(kind, singular), "accepted");
}

TEST(Integrator, RefusesBadOptionsByName) {
  const PoissonStructure canonical = PoissonStructure::canonical(2);
  const auto with = [&](IntegratorKind kind, auto change) {
    IntegratorOptions options;
    change(options);
    return refusal(kind, canonical, options);
  };
  using O = IntegratorOptions;
  EXPECT_THAT(with(IntegratorKind::leapfrog, [](O& o) { o.step_size = 0; }), HasSubstr("step_size = 0"));
  EXPECT_THAT(with(IntegratorKind::leapfrog, [](O& o) { o.step_size = NAN; }), HasSubstr("step_size = nan"));
  EXPECT_THAT(with(IntegratorKind::leapfrog, [](O& o) { o.order = 3; }), HasSubstr("order = 3"));
  EXPECT_THAT(with(IntegratorKind::doubled, [](O& o) { o.copies.binding = BindingAngle{4.0}; }),
              HasSubstr("angle = 4"));
  EXPECT_THAT(with(IntegratorKind::doubled, [](O& o) { o.copies.binding = BindingStrength{20}; }),
              HasSubstr("below π"));
  EXPECT_THAT(with(IntegratorKind::doubled, [](O& o) { o.copies.binding = BindingStrength{-1}; }),
              HasSubstr("omega = -1"));
  EXPECT_THAT(with(IntegratorKind::doubled, [](O& o) { o.copies.basis.B = o.copies.basis.F = Matrix(2, 2); }),
              HasSubstr("basis B is 2 × 2: must be 4 × 4"));
  EXPECT_THAT(with(IntegratorKind::explicit_copies,
                   [](O& o) {
                     o.order = 4;
                     o.copies.binding = BindingAngle{0.5};
                   }),
              HasSubstr("order = 4 needs a binding strength"));
}

TEST(Integrator, RefusesABasisThatIsNotTheStructures) {
  const PoissonStructure structure = random_structure(2, Shape::general, 1);
  const auto with = [&](auto change) {
    IntegratorOptions options;
    options.copies.basis = schur_basis(structure);
    change(options.copies.basis);
    return refusal(IntegratorKind::doubled, structure, options);
  };
  EXPECT_EQ(with([](DarbouxBasis&) {}), "accepted");
  EXPECT_THAT(with([](DarbouxBasis& b) { b.B = b.F = Matrix(4, 4); }), HasSubstr("does not belong to the structure"));
  EXPECT_THAT(with([](DarbouxBasis& b) { b.F *= 1.01; }), HasSubstr("F must be the inverse"));
  EXPECT_THAT(with([](DarbouxBasis& b) { b.F = Matrix(4, 3); }), HasSubstr("basis F is 4 × 3"));
}

TEST(Integrator, RefusesBlocksOfAnotherSize) {
  const FunctionModel model = rippled_model(2);
  Integrator integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(2), {});
  PhaseBlock other(3, 2), z(2, 2);
  Potential u(model, 2), wide(model, 4);
  const std::vector<double> dt(2, integrator.step_size());
  EXPECT_THROW(integrator.run(other, u, dt, 1), InputError);
  EXPECT_THROW(integrator.run(z, wide, dt, 1), InputError);
}

TEST(Integrator, RefusesStepsItWasNotMadeFor) {
  const PoissonStructure canonical = PoissonStructure::canonical(2);
  const FunctionModel model = rippled_model(2);
  Integrator integrator(IntegratorKind::leapfrog, canonical, {.step_size = 0.1, .solver = {}, .copies = {}});
  PhaseBlock z(2, 2);
  Potential u(model, 2);
  EXPECT_THROW(integrator.run(z, u, std::vector<double>{0.1, 0.2}, 1), InputError);
  EXPECT_THROW(integrator.run(z, u, std::vector<double>{0.1}, 1), InputError);
  EXPECT_NO_THROW(integrator.run(z, u, std::vector<double>{0.1, -0.1}, 1));
}

TEST(Integrator, AStateThatOverflowsIsDiverged) {
  const Skewed model(1);  // U grows like e^q
  for (const IntegratorKind kind : all_values<IntegratorKind>()) {
    Integrator integrator(kind, PoissonStructure::canonical(1), {.step_size = 0.5, .solver = {}, .copies = {}});
    PhaseBlock z(1, 2);
    z.q(0, 1) = 800.0;  // e^800 overflows
    Potential u(model, 2);
    integrator.run(z, u, std::vector<double>{0.5, 0.5}, 3);
    EXPECT_EQ(z.status[0], Status::ok) << name(kind);
    EXPECT_NE(z.status[1], Status::ok) << name(kind);
  }
}

TEST(Integrator, OnlyTheExplicitOneIsApproximate) {
  for (const IntegratorKind kind : all_values<IntegratorKind>()) {
    const Integrator integrator(kind, PoissonStructure::canonical(2), {});
    EXPECT_EQ(integrator.traits().exactness == Exactness::approximate, kind == IntegratorKind::explicit_copies);
    EXPECT_EQ(integrator.traits().name, name(kind));
  }
}

/// What those rely on who plan a run, on a structure on which an integrator has to do all that it can.
TEST(Integrator, EveryKindClaimsWhatItIs) {
  struct Claim {
    IntegratorKind kind;
    Exactness exactness;
    bool is_explicit, doubled_space, random_offset, accepts_any_field;
  };
  using enum Exactness;
  const std::vector<Claim> claims{{IntegratorKind::leapfrog, exact, true, false, false, true},
                                  {IntegratorKind::magnetic_leapfrog, exact, true, false, false, true},
                                  {IntegratorKind::midpoint, with_reverse_check, false, false, false, false},
                                  {IntegratorKind::split_midpoint, with_reverse_check, false, false, false, false},
                                  {IntegratorKind::explicit_copies, approximate, true, true, false, false},
                                  {IntegratorKind::doubled, exact, true, true, true, true}};
  EXPECT_EQ(claims.size(), all_values<IntegratorKind>().size());
  for (const Claim& claim : claims) {
    const IntegratorTraits& traits = traits_of(claim.kind);
    EXPECT_EQ(traits.name, name(claim.kind));
    EXPECT_EQ(traits.exactness, claim.exactness) << traits.name;
    EXPECT_EQ(traits.is_explicit, claim.is_explicit) << traits.name;
    EXPECT_EQ(traits.doubled_space, claim.doubled_space) << traits.name;
    EXPECT_EQ(traits.random_offset, claim.random_offset) << traits.name;
    EXPECT_EQ(traits.accepts_any_field, claim.accepts_any_field) << traits.name;
  }
}

/// A strength ω is the angle θ = 2εω, and the angle changes sign with the direction.
TEST(Binding, StrengthAndAngleAreTwoNamesForOneThing) {
  const PoissonStructure structure = random_structure(2, Shape::general, 2);
  const FunctionModel model = rippled_model(2);
  RandomStream random({.seed = 1});
  const State start = random_state(8, random);
  Variant strength{.label = "", .kind = IntegratorKind::doubled, .options = {}};
  strength.options.step_size = 0.1;
  strength.options.copies.binding = BindingStrength{1.5};
  Variant angle = strength;
  angle.options.copies.binding = BindingAngle{0.3};
  for (const double direction : {1.0, -1.0})
    EXPECT_LT(distance(TrajectoryMap(strength, structure, model)(start, direction, 3),
                       TrajectoryMap(angle, structure, model)(start, direction, 3)),
              1e-14);
}

TEST(TotalEnergy, IsPotentialPlusKineticAndCountsOneValue) {
  const Gaussian model = Gaussian::standard(2);
  PhaseBlock z(2, 3);
  set_lane(z, 0, {1, 2, 3, 4});
  set_lane(z, 1, {0, 0, 1, 0});
  set_lane(z, 2, {5, 5, 5, 5});
  Potential u(model, 3);
  std::vector<double> energy(3, -7.0);
  total_energy(z, u, std::vector<double>{0.1, -0.1, 0.0}, energy);
  EXPECT_DOUBLE_EQ(energy[0], 15.0);
  EXPECT_DOUBLE_EQ(energy[1], 0.5);
  EXPECT_EQ(energy[2], -7.0);  // a lane that is not asked for
  EXPECT_EQ(u.value_evaluations()[0], 1);
  EXPECT_EQ(u.value_evaluations()[2], 0);
  EXPECT_EQ(u.gradient_evaluations()[0], 0);

  z.offset(0, 0) = 0.6;
  z.offset(3, 0) = 0.8;
  add_offset_energy(z, 0.5, std::vector<double>{0.1, -0.1, 0.0}, energy);
  EXPECT_DOUBLE_EQ(energy[0], 15.0 + 1.0 / (2.0 * 0.25));
  EXPECT_DOUBLE_EQ(energy[1], 0.5);
}

/// The extended energy that `doubled` accepts on is nearly conserved, and better so at smaller steps at a fixed angle.
TEST(Doubled, NearlyConservesItsExtendedEnergy) {
  const PoissonStructure structure =
      PoissonStructure::from_blocks(Matrix{{0, 1}, {-1, 0}}, Matrix::identity(2), Matrix(2, 2));
  const Skewed model(2);
  constexpr double spread = 0.2;
  constexpr Index lanes = 400;
  const auto mean_error = [&](double step_size, int steps) {
    IntegratorOptions options{.step_size = step_size, .solver = {}, .copies = {}};
    options.copies.binding = BindingAngle{0.5};
    Integrator integrator(IntegratorKind::doubled, structure, options);
    PhaseBlock z(2, lanes);
    RandomStream random({.seed = 4});
    for (Index l = 0; l < lanes; ++l) {
      set_lane(z, l, random_state(4, random));
      for (Index j = 0; j < 4; ++j) z.offset(j, l) = spread * random.normal();
    }
    const std::vector<double> dt(lanes, step_size);
    Potential u(model, lanes);
    std::vector<double> before(lanes), after(lanes);
    total_energy(z, u, dt, before);
    add_offset_energy(z, spread, dt, before);
    integrator.run(z, u, dt, steps);
    total_energy(z, u, dt, after);
    add_offset_energy(z, spread, dt, after);
    double sum = 0.0;
    for (std::size_t l = 0; l < before.size(); ++l) sum += std::min(1.0, std::abs(after[l] - before[l]));
    return sum / lanes;
  };
  EXPECT_LT(mean_error(0.25, 8), 0.4);
  EXPECT_LT(mean_error(0.02, 100), 0.5 * mean_error(0.25, 8));
}

TEST(GaussianFlow, IsAGroupAndConservesEnergy) {
  const PoissonStructure structure = random_structure(3, Shape::general, 8);
  const Matrix precision{{2, 0.3, 0}, {0.3, 1, 0.1}, {0, 0.1, 0.5}};
  const GaussianFlow flow(structure, precision, {1, -1, 0.5});
  EXPECT_LT(max_abs(flow.propagator(0.7) * flow.propagator(0.5) - flow.propagator(1.2)), 1e-13);
  const Gaussian model = Gaussian::from_precision({1, -1, 0.5}, precision);
  PhaseBlock z(3, 1);
  set_lane(z, 0, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  Potential u(model, 1);
  std::vector<double> before(1), after(1);
  const std::vector<double> dt{1.0};
  total_energy(z, u, dt, before);
  flow.advance(z, 3.0);
  total_energy(z, u, dt, after);
  EXPECT_NEAR(before[0], after[0], 1e-12);
}

}  // namespace
}  // namespace darboux::testing
