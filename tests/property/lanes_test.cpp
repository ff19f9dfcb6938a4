#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>

#include "support/instrumented_model.hpp"
#include "support/integrator_cases.hpp"
#include "support/synthetic_logistic.hpp"

namespace darboux::testing {
namespace {

/// Blocks of chains: counting, independence of the lanes, and what happens to the others when one is in trouble.
class Lanes : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Lanes, ::testing::ValuesIn(all_variants()), variant_label);

struct Block {
  PoissonStructure structure;
  std::vector<State> states;
  std::vector<double> directions;
};

Block draw_block(const Variant& variant, std::size_t lanes) {
  const Index n = *rc::gen::inRange<Index>(1, 21);
  const auto shape = *rc::gen::elementOf(shapes_for(variant));
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
  Block block{.structure = random_structure(n, shape, seed), .states = {}, .directions = {}};
  RandomStream random({.seed = seed});
  for (std::size_t l = 0; l < lanes; ++l) {
    block.states.push_back(random_state(state_dim(variant, block.structure), random, 0.7));
    block.directions.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
  }
  return block;
}

TEST_P(Lanes, GradientEvaluationsAreAsClaimed) {
  EXPECT_TRUE(rc::check("an N-step trajectory costs k·N + c gradients and no values", [] {
    const Block block = draw_block(GetParam(), 3);
    const int steps = *rc::gen::inRange(0, 8);
    const InstrumentedModel model(std::make_shared<FunctionModel>(rippled_model(block.structure.dim())));
    TrajectoryMap map(GetParam(), block.structure, model);
    map(block.states, block.directions, steps);
    const IntegratorTraits traits = map.traits();
    const std::int64_t claimed = traits.gradients_per_step * steps + traits.extra_gradients;
    for (Index lane = 0; lane < 3; ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      RC_ASSERT(map.gradient_evaluations[l] == model.gradients(lane));
      RC_ASSERT(model.values(lane) == 0);
      RC_ASSERT(map.value_evaluations[l] == 0);
      if (traits.is_explicit)
        RC_ASSERT(model.gradients(lane) == claimed);
      else
        RC_ASSERT(model.gradients(lane) >= claimed && model.gradients(lane) == map.solver_iterations[l]);
    }
  }));
}

TEST_P(Lanes, AKeptGradientIsNotComputedAgain) {
  const Variant& variant = GetParam();
  const PoissonStructure structure = random_structure(3, shapes_for(variant).front(), 1);
  const FunctionModel model = rippled_model(3);
  Integrator integrator(variant.kind, structure, variant.options);
  PhaseBlock z(3, 2);
  Potential u(model, 2);
  const std::vector<double> dt(2, integrator.step_size());
  integrator.run(z, u, dt, 4);
  const auto first = u.gradient_evaluations()[0];
  integrator.run(z, u, dt, 4);
  const auto second = u.gradient_evaluations()[0] - first;
  const std::int64_t kept = integrator.traits().keeps_gradient ? 1 : 0;
  EXPECT_EQ(kept == 1, variant.kind == IntegratorKind::leapfrog || variant.kind == IntegratorKind::magnetic_leapfrog);
  if (integrator.traits().is_explicit) {
    EXPECT_EQ(second, first - kept);
  }
}

/// The costs themselves, so that no integrator can claim what it likes: gradients per step and per trajectory.
TEST(Costs, AreTheDocumentedOnes) {
  struct Cost {
    IntegratorKind kind;
    CopySequence sequence;
    int per_step, extra;
  };
  using enum IntegratorKind;
  for (const Cost& cost :
       {Cost{leapfrog, {}, 1, 1}, Cost{magnetic_leapfrog, {}, 1, 1}, Cost{split_midpoint, {}, 1, 0},
        Cost{explicit_copies, CopySequence::paper, 3, 1}, Cost{explicit_copies, CopySequence::two_gradient, 2, 1},
        Cost{doubled, CopySequence::paper, 3, 1}, Cost{doubled, CopySequence::two_gradient, 2, 1}}) {
    for (const int order : {2, 4}) {
      Variant v{.label = "", .kind = cost.kind, .options = {}};
      v.options.order = order;
      v.options.copies.sequence = cost.sequence;
      const FunctionModel model = rippled_model(2);
      TrajectoryMap map(v, PoissonStructure::canonical(2), model);
      map(State(static_cast<std::size_t>(state_dim(v, PoissonStructure::canonical(2))), 0.1), 1.0, 7);
      EXPECT_EQ(map.gradient_evaluations[0], (order == 4 ? 5 : 1) * cost.per_step * 7 + cost.extra) << name(cost.kind);
    }
  }
}

/// What an idle lane missed is made up for when it moves.
TEST_P(Lanes, ALaneThatWasIdleStartsAfresh) {
  const Variant& variant = GetParam();
  const PoissonStructure structure = random_structure(3, shapes_for(variant).front(), 1);
  const FunctionModel model = rippled_model(3);
  Integrator integrator(variant.kind, structure, variant.options);
  RandomStream random({.seed = 6});
  const State a = random_state(state_dim(variant, structure), random);
  const State b = random_state(state_dim(variant, structure), random);
  const double h = integrator.step_size();
  PhaseBlock z(3, 2);
  set_lane(z, 0, a);
  set_lane(z, 1, b);
  Potential u(model, 2);
  integrator.run(z, u, std::vector<double>{h, 0.0}, 2);
  integrator.run(z, u, std::vector<double>{h, h}, 2);
  TrajectoryMap fresh(variant, structure, model);
  EXPECT_LT(distance(get_lane(z, 1, b.size()), fresh(b, 1.0, 2)), 1e-12);
}

TEST_P(Lanes, ALaneInABlockEqualsTheLaneAlone) {
  EXPECT_TRUE(rc::check("neighbours do not matter, to the last bit", [] {
    const auto lanes = static_cast<std::size_t>(*rc::gen::inRange(2, 21));
    const Block block = draw_block(GetParam(), lanes);
    const FunctionModel model = rippled_model(block.structure.dim());
    TrajectoryMap map(GetParam(), block.structure, model);
    const auto together = map(block.states, block.directions, 3);
    for (std::size_t l = 0; l < lanes; ++l) RC_ASSERT(together[l] == map(block.states[l], block.directions[l], 3));

    // In another place and among other neighbours.
    Block shifted = block;
    std::rotate(shifted.states.begin(), shifted.states.begin() + 1, shifted.states.end());
    std::rotate(shifted.directions.begin(), shifted.directions.begin() + 1, shifted.directions.end());
    for (double& x : shifted.states[0]) x *= 0.5;
    const auto elsewhere = map(shifted.states, shifted.directions, 3);
    for (std::size_t l = 2; l < lanes; ++l) RC_ASSERT(elsewhere[l - 1] == together[l]);
  }));
}

/// A model that computes all lanes of a block, wanted or not, as models may.
class AllLanes final : public Model {
 public:
  explicit AllLanes(std::shared_ptr<const Model> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] Index dim() const noexcept override { return inner_->dim(); }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override {
    return std::make_unique<AllEvaluated>(inner_->make_evaluator());
  }

 private:
  struct AllEvaluated final : Evaluator {
    explicit AllEvaluated(std::unique_ptr<Evaluator> evaluator) : inner(std::move(evaluator)) {}
    void evaluate(const Query& query, const Answer& answer) override {
      Query all = query;
      all.active = {};
      std::vector<Status> ignored(answer.status.size());
      inner->evaluate(all, {.log_density = answer.log_density, .gradient = answer.gradient, .status = ignored});
      set_ok(query.active, answer.status);
    }
    std::unique_ptr<Evaluator> inner;
  };
  std::shared_ptr<const Model> inner_;
};

TEST_P(Lanes, NeighboursDoNotMatterToABlockModel) {
  const AllLanes model(synthetic_logistic(60, 4).whitened);
  const Shape shape = shapes_for(GetParam()).back();
  const PoissonStructure structure = random_structure(model.dim(), shape, 3);
  TrajectoryMap map(GetParam(), structure, model);
  RandomStream random({.seed = 12});
  std::vector<State> states;
  for (int l = 0; l < 8; ++l) states.push_back(random_state(state_dim(GetParam(), structure), random, 0.2 * l));
  const auto together = map(states, {1.0}, 3);
  for (std::size_t l = 0; l < states.size(); ++l) {
    auto others = states;  // neighbours that need more or fewer iterations
    for (std::size_t k = 0; k < others.size(); ++k)
      if (k != l)
        for (double& x : others[k]) x *= k % 2 == 0 ? 3.0 : 0.1;
    EXPECT_EQ(map(others, {1.0}, 3)[l], together[l]) << "lane " << l;
  }
}

TEST_P(Lanes, ALaneWithStepZeroIsLeftAlone) {
  EXPECT_TRUE(rc::check("step 0 changes no bit, even of a state that is not finite", [] {
    Block block = draw_block(GetParam(), 4);
    block.directions[1] = 0.0;
    block.directions[3] = 0.0;
    block.states[3][0] = std::numeric_limits<double>::infinity();
    const InstrumentedModel model(std::make_shared<FunctionModel>(rippled_model(block.structure.dim())));
    TrajectoryMap map(GetParam(), block.structure, model);
    const auto ends = map(block.states, block.directions, 2);
    for (const std::size_t l : {1UL, 3UL}) {
      RC_ASSERT(ends[l] == block.states[l]);
      RC_ASSERT(map.status[l] == Status::ok);
      RC_ASSERT(model.gradients(static_cast<Index>(l)) == 0);
    }
    RC_ASSERT(distance(ends[0], block.states[0]) > 1e-4);
  }));
}

TEST_P(Lanes, StepsAddUp) {
  EXPECT_TRUE(rc::check("n steps are n times one step", [] {
    const Block block = draw_block(GetParam(), 2);
    const Index n = block.structure.dim();
    const FunctionModel model = rippled_model(n);
    Integrator integrator(GetParam().kind, block.structure, GetParam().options);
    std::vector<double> dt = block.directions;
    for (double& h : dt) h *= integrator.step_size();
    PhaseBlock whole(n, 2), pieces(n, 2);
    for (Index l = 0; l < 2; ++l) {
      set_lane(whole, l, block.states[static_cast<std::size_t>(l)]);
      set_lane(pieces, l, block.states[static_cast<std::size_t>(l)]);
    }
    Potential u(model, 2);
    integrator.run(whole, u, dt, 5);
    integrator.start(pieces, u, dt);
    for (int i = 0; i < 5; ++i) integrator.step(pieces, u, dt);
    integrator.finish(pieces, dt);
    for (Index l = 0; l < 2; ++l) {
      const std::size_t size = block.states.front().size();
      RC_ASSERT(get_lane(whole, l, size) == get_lane(pieces, l, size));
    }
    // Trajectories follow each other as steps do: (q, p, δ̃) is the whole state.
    PhaseBlock resumed(n, 2);
    for (Index l = 0; l < 2; ++l) set_lane(resumed, l, block.states[static_cast<std::size_t>(l)]);
    integrator.run(resumed, u, dt, 2);
    integrator.run(resumed, u, dt, 3);
    for (Index l = 0; l < 2; ++l) {
      const std::size_t size = block.states.front().size();
      RC_ASSERT(distance(get_lane(whole, l, size), get_lane(resumed, l, size)) < 1e-10);
    }
  }));
}

TEST_P(Lanes, ABadLaneDoesNotDisturbTheOthers) {
  EXPECT_TRUE(rc::check("a fault is in one lane's status and nowhere else", [] {
    const Block block = draw_block(GetParam(), 4);
    const auto kind =
        *rc::gen::element(Fault::Kind::nan_gradient, Fault::Kind::infinite_gradient, Fault::Kind::model_error);
    const auto call = *rc::gen::inRange(1, 3);
    InstrumentedModel model(std::make_shared<FunctionModel>(rippled_model(block.structure.dim())));
    TrajectoryMap map(GetParam(), block.structure, model);
    const auto healthy = map(block.states, block.directions, 3);
    model.reset();
    model.inject({.kind = kind, .lane = 2, .call = call});
    const auto faulty = map(block.states, block.directions, 3);
    RC_ASSERT(map.status[2] == (kind == Fault::Kind::model_error ? Status::model_error : Status::diverged));
    RC_ASSERT(model.gradients(2) == call);  // a lane in trouble costs nothing more
    for (const std::size_t l : {0UL, 1UL, 3UL}) {
      RC_ASSERT(map.status[l] == Status::ok);
      RC_ASSERT(faulty[l] == healthy[l]);
    }
  }));
}

}  // namespace
}  // namespace darboux::testing
