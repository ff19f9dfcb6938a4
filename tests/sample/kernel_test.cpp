#include "sample/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <memory>

#include "model/skewed.hpp"
#include "support/instrumented_model.hpp"
#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

/// A kernel at work on a few chains, with the model instrumented.
struct Bench {
  struct Setting {
    int steps = 1;
    Index chains = 5;
    double step_size = 0.3;
    KernelOptions options = {};
  };
  Bench(IntegratorKind kind, const PoissonStructure& structure, const Setting& s)
      : model(std::make_shared<Skewed>(structure.dim())),
        kernel(Integrator(kind, structure, {.step_size = s.step_size, .solver = {}, .copies = {}}), s.options),
        block(structure.dim(), s.chains, 3, 0),
        u(model, s.chains),
        info(at(s.chains)),
        steps(s.steps) {
    for (Index l = 0; l < s.chains; ++l) {
      RandomStream random({.seed = 3, .purpose = Purpose::start, .chain = block.chain_of(l)});
      for (Index j = 0; j < block.z.dim(); ++j) block.z.q(j, l) = 0.5 * random.normal();
    }
    Kernel::draw_direction_and_momentum(block);
    Kernel::evaluate(block, u);
  }
  void transition(std::uint64_t iteration) { kernel.transition(block, u, iteration, steps, info); }

  InstrumentedModel model;
  Kernel kernel;
  ChainBlock block;
  Potential u;
  std::vector<Transition> info;
  int steps;
};

const PoissonStructure coupled =
    make_structure(Recipe::coupled, 2, {.size = SpectralStrength{0.8}, .seed = 1, .A = {}});

TEST(Kernel, DirectionsStartFairAndTurnOnRejectionOnly) {
  int forward = 0;
  for (std::uint64_t first = 0; first < 1000; ++first) {
    ChainBlock block(1, 1, 5, first);
    Kernel::draw_direction_and_momentum(block);
    EXPECT_EQ(std::abs(block.direction[0]), 1.0);
    forward += block.direction[0] > 0.0;
  }
  EXPECT_NEAR(forward, 500, 4 * std::sqrt(250.0));

  Bench bench(IntegratorKind::split_midpoint, coupled, {.steps = 3, .chains = 8, .step_size = 0.8});
  int rejected = 0, accepted = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto before = bench.block.direction;
    bench.transition(i);
    for (std::size_t l = 0; l < 8; ++l) {
      EXPECT_EQ(bench.block.direction[l], bench.info[l].accepted ? before[l] : -before[l]);
      ++(bench.info[l].accepted ? accepted : rejected);
    }
  }
  EXPECT_GT(rejected, 20);
  EXPECT_GT(accepted, 20);
}

TEST(Kernel, AlternatingDirectionsTurnOnAcceptanceOnly) {
  Bench bench(IntegratorKind::split_midpoint, coupled,
              {.steps = 3, .chains = 8, .step_size = 0.8, .options = {.direction = DirectionMode::alternating}});
  int rejected = 0, accepted = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto before = bench.block.direction;
    bench.transition(i);
    for (std::size_t l = 0; l < 8; ++l) {
      EXPECT_EQ(bench.block.direction[l], bench.info[l].accepted ? -before[l] : before[l]);
      ++(bench.info[l].accepted ? accepted : rejected);
    }
  }
  EXPECT_GT(rejected, 20);
  EXPECT_GT(accepted, 20);
}

TEST(Kernel, RandomDirectionsAreDrawnAnew) {
  Bench bench(IntegratorKind::split_midpoint, coupled,
              {.steps = 2, .chains = 8, .step_size = 0.2, .options = {.direction = DirectionMode::random}});
  int changes = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto before = bench.block.direction;
    bench.transition(i);
    for (std::size_t l = 0; l < 8; ++l) changes += bench.block.direction[l] != before[l];
  }
  EXPECT_NEAR(changes, 400, 4 * std::sqrt(200.0));
}

TEST(Kernel, ARejectedChainKeepsItsPositionMomentumAndEnergy) {
  // No refreshment: the momentum must come back as it was, not negated.
  Bench bench(IntegratorKind::split_midpoint, coupled,
              {.steps = 3, .chains = 8, .step_size = 0.9, .options = {.momentum_kept = 1.0}});
  int rejected = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const PhaseBlock before = bench.block.z;
    bench.transition(i);
    for (Index l = 0; l < 8; ++l) {
      if (bench.info[static_cast<std::size_t>(l)].accepted) continue;
      ++rejected;
      EXPECT_EQ(get_lane(bench.block.z, l, 4), get_lane(before, l, 4));
    }
    std::vector<double> energy(8);
    Potential fresh(bench.model, 8);
    PhaseBlock now = bench.block.z;
    std::fill(now.status.begin(), now.status.end(), Status::ok);
    total_energy(now, fresh, bench.block.direction, energy);
    for (std::size_t l = 0; l < 8; ++l) EXPECT_NEAR(energy[l], bench.info[l].energy, 1e-12);
  }
  EXPECT_GT(rejected, 20);
}

/// Draws depend on (seed, chain, iteration) only: a chain does the same in another block.
TEST(Kernel, AChainDoesNotDependOnItsBlock) {
  for (const IntegratorKind kind : {IntegratorKind::split_midpoint, IntegratorKind::doubled}) {
    Bench together(kind, coupled, {.steps = 3, .chains = 8});
    const Skewed model(2);
    Kernel kernel(Integrator(kind, coupled, {.step_size = 0.3, .solver = {}, .copies = {}}), {});
    ChainBlock other(2, 3, 3, 5);  // chains 5, 6 and 7
    Potential u(model, 3);
    for (Index l = 0; l < 3; ++l)
      for (Index j = 0; j < 2; ++j) other.z.q(j, l) = together.block.z.q(j, l + 5);
    Kernel::draw_direction_and_momentum(other);
    Kernel::evaluate(other, u);
    std::vector<Transition> info(3);
    for (std::uint64_t i = 0; i < 20; ++i) {
      together.transition(i);
      kernel.transition(other, u, i, 3, info);
    }
    for (Index l = 0; l < 3; ++l) EXPECT_EQ(get_lane(other.z, l, 4), get_lane(together.block.z, l + 5, 4));
  }
}

/// Whatever goes wrong, at whichever evaluation: the proposal is rejected, counted, and the chain stays where it was.
TEST(Kernel, NothingThatIsNotFiniteIsEverAccepted) {
  int faults = 0;
  for (const IntegratorKind kind : all_values<IntegratorKind>()) {
    const PoissonStructure structure = kind == IntegratorKind::leapfrog ? PoissonStructure::canonical(2)
                                       : kind == IntegratorKind::magnetic_leapfrog
                                           ? make_structure(Recipe::magnetic_position, 2)
                                           : coupled;
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
      RandomStream random({.seed = trial, .iteration = static_cast<std::uint64_t>(kind)});
      using enum Fault::Kind;
      constexpr std::array kinds{nan_gradient, infinite_gradient, nan_value, infinite_value, model_error};
      const Fault fault{.kind = kinds[random.bits() % 5],
                        .lane = static_cast<Index>(random.bits() % 5),
                        .call = 1 + static_cast<std::int64_t>(random.bits() % 8)};
      Bench bench(kind, structure, {.steps = 3, .step_size = 0.1});
      Bench healthy(kind, structure, {.steps = 3, .step_size = 0.1});
      bench.model.reset();
      bench.model.inject(fault);
      const auto lane = static_cast<std::size_t>(fault.lane);
      for (std::uint64_t i = 0; i < 8; ++i) {
        const State before = get_lane(bench.block.z, fault.lane, 2);
        bench.transition(i);
        healthy.transition(i);
        const Transition& t = bench.info[lane];
        if (t.status == Status::ok) continue;
        ++faults;
        EXPECT_FALSE(t.accepted);
        EXPECT_EQ(t.acceptance_probability, 0.0);
        const Status expected = fault.kind == model_error ? Status::model_error : Status::diverged;
        const bool implicit = kind == IntegratorKind::midpoint || kind == IntegratorKind::split_midpoint;
        EXPECT_TRUE(t.status == expected ||
                    (implicit && t.status == Status::not_reversible))  // a fault while solving back
            << name(kind) << ' ' << name(t.status);
        EXPECT_EQ(get_lane(bench.block.z, fault.lane, 2), before);
      }
      for (Index l = 0; l < 5; ++l) {
        for (const double x : get_lane(bench.block.z, l, 4)) EXPECT_TRUE(std::isfinite(x));
        EXPECT_TRUE(std::isfinite(bench.block.z.potential[static_cast<std::size_t>(l)]));
        if (l == fault.lane) continue;
        EXPECT_EQ(get_lane(bench.block.z, l, 4), get_lane(healthy.block.z, l, 4));
      }
    }
  }
  EXPECT_GT(faults, 1000);
}

/// One gradient per step; the value at the end comes with the gradient there.
TEST(Kernel, LeapfrogCostsOneGradientPerStepAndNothingElse) {
  Bench bench(IntegratorKind::leapfrog, PoissonStructure::canonical(2), {.steps = 3, .step_size = 0.9});
  bench.model.reset();
  constexpr int transitions = 40;
  int rejected = 0;
  for (std::uint64_t i = 0; i < transitions; ++i) {
    bench.transition(i);
    for (std::size_t l = 0; l < 5; ++l) {
      rejected += bench.info[l].accepted ? 0 : 1;
      EXPECT_EQ(bench.info[l].gradients, i == 0 ? 4 : 3);
    }
  }
  EXPECT_GT(rejected, 10);  // after which the old value and gradient must serve again
  for (Index l = 0; l < 5; ++l) {
    EXPECT_EQ(bench.model.values_only(l), 0);
    EXPECT_EQ(bench.model.values(l), transitions);
    EXPECT_EQ(bench.model.gradients(l), 3 * transitions + 1);
  }
}

TEST(Kernel, TheReverseCheckIsDoneInTheShareAskedFor) {
  const auto iterations = [](double rate) {
    Bench bench(IntegratorKind::midpoint, coupled,
                {.steps = 1, .chains = 1, .step_size = 0.05, .options = {.reverse_check_rate = rate}});
    std::vector<std::int64_t> seen;
    for (std::uint64_t i = 0; i < 400; ++i) {
      bench.transition(i);
      seen.push_back(bench.info[0].solver_iterations);
    }
    return seen;
  };
  const auto always = iterations(1.0), never = iterations(0.0), sometimes = iterations(0.25);
  int checked = 0;
  for (std::size_t i = 0; i < always.size(); ++i) {
    EXPECT_GT(always[i], never[i]);
    EXPECT_TRUE(sometimes[i] == always[i] || sometimes[i] == never[i]);
    checked += sometimes[i] == always[i];
  }
  EXPECT_NEAR(checked, 100, 4 * std::sqrt(75.0));
  KernelOptions bad;
  bad.reverse_check_rate = std::nan("");
  EXPECT_THROW(validate(bad), InputError);
}

TEST(Kernel, ExplicitStartsWithEqualCopies) {
  Bench bench(IntegratorKind::explicit_copies, coupled, {.steps = 1, .step_size = 1e-9});
  bench.transition(0);
  for (Index j = 0; j < 4; ++j)
    for (Index l = 0; l < 5; ++l) EXPECT_NEAR(bench.block.z.offset(j, l), 0.0, 1e-7);
}

/// H, not the extended energy that `doubled` decides on.
TEST(Kernel, DoubledReportsThePlainEnergy) {
  Bench bench(IntegratorKind::doubled, coupled, {.steps = 2, .step_size = 0.1});
  bench.transition(0);
  std::vector<double> energy(5);
  Potential fresh(bench.model, 5);
  PhaseBlock now = bench.block.z;
  total_energy(now, fresh, bench.block.direction, energy);
  for (std::size_t l = 0; l < 5; ++l) EXPECT_NEAR(energy[l], bench.info[l].energy, 1e-12);
}

TEST(Kernel, AnEnergyErrorOfAThousandIsADivergence) {
  Bench bench(IntegratorKind::leapfrog, PoissonStructure::canonical(2),
              {.steps = 20, .step_size = 2.5});  // far beyond stability
  bench.transition(0);
  int diverged = 0;
  for (std::size_t l = 0; l < 5; ++l) {
    diverged += bench.info[l].status == Status::diverged;
    EXPECT_FALSE(bench.info[l].accepted);
  }
  EXPECT_EQ(diverged, 5);
}

TEST(Kernel, AnExceptionOfTheModelPassesThrough) {
  const FunctionModel model(1, [](std::span<const double>, std::span<double> gradient) -> double {
    if (!gradient.empty()) throw std::runtime_error("out of paper");
    return 0.0;
  });
  ChainBlock block(1, 1, 1, 0);
  Potential u(model, 1);
  Kernel::evaluate(block, u);
  Kernel kernel(Integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(1), {}), {});
  std::vector<Transition> info(1);
  EXPECT_THROW(kernel.transition(block, u, 0, 1, info), std::runtime_error);
}

TEST(Kernel, BadOptionsAreRefusedByName) {
  const auto message = [](auto change) -> std::string {
    KernelOptions options;
    change(options);
    try {
      validate(options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  using O = KernelOptions;
  using ::testing::HasSubstr;
  EXPECT_EQ(message([](O&) {}), "accepted");
  EXPECT_THAT(message([](O& o) { o.momentum_kept = 1.5; }), HasSubstr("momentum-kept = 1.5"));
  EXPECT_THAT(message([](O& o) { o.momentum_kept = NAN; }), HasSubstr("momentum-kept = nan"));
  EXPECT_THAT(message([](O& o) { o.max_energy_error = NAN; }), HasSubstr("max_energy_error = nan"));
  EXPECT_THAT(message([](O& o) { o.max_energy_error = 1.0; }), HasSubstr("bias"));

  const Integrator integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(1), {});
  EXPECT_THROW(Kernel(integrator, {}, 0.0), InputError);
  Bench bench(IntegratorKind::leapfrog, PoissonStructure::canonical(2), {.steps = 0});
  EXPECT_THROW(bench.transition(0), InputError);
}

}  // namespace
}  // namespace darboux::testing
