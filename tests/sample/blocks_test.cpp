#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <darboux/model/differentiate.hpp>
#include <darboux/model/function_model.hpp>
#include <darboux/structure/recipes.hpp>
#include <thread>

#include "model/fitzhugh_nagumo.hpp"
#include "sample/chain_pool.hpp"
#include "support/recorded_run.hpp"
#include "support/synthetic_logistic.hpp"

/// Neither threads nor the division of chains into blocks show in draws.
namespace darboux::testing {
namespace {

TEST(Sampler, DrawsDoNotDependOnThreads) {
  for (const IntegratorKind kind :
       {IntegratorKind::leapfrog, IntegratorKind::split_midpoint, IntegratorKind::doubled}) {
    SamplerSettings options;
    options.chains = 37;  // several blocks, the last one not full
    options.warmup = 60;
    options.draws = 20;
    options.seed = 9;
    options.integrator = kind;
    if (kind != IntegratorKind::leapfrog)
      options.structure = make_structure(Recipe::coupled, 3, {.size = SpectralStrength{0.5}, .seed = 2, .A = {}});
    const Recorded one = record(correlated_gaussian(), options);
    for (const int threads : {2, 8}) {
      options.threads = threads;
      const Recorded more = record(correlated_gaussian(), options);
      EXPECT_EQ(more.values, one.values) << name(kind) << ' ' << threads;
      EXPECT_EQ(more.energies, one.energies);
      EXPECT_EQ(more.result.tuning, one.result.tuning);
      EXPECT_EQ(more.result.sampling_gradients, one.result.sampling_gradients);
    }
  }
}

/// A model whose chains are in blocks of a given width.
class InBlocksOf final : public Model {
 public:
  InBlocksOf(Index width, std::shared_ptr<const Model> inner) : width_(width), inner_(std::move(inner)) {}
  [[nodiscard]] Index dim() const noexcept override { return inner_->dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override {
    ModelTraits traits = inner_->traits();
    traits.preferred_lanes = traits.least_lanes = width_;
    return traits;
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override { return inner_->make_evaluator(); }

 private:
  Index width_;
  std::shared_ptr<const Model> inner_;
};

void expect_no_dependence_on_blocks(const std::shared_ptr<const Model>& model, SamplerSettings options) {
  options.chains = 11;
  options.warmup = 40;
  options.draws = 5;
  options.seed = 3;
  const Recorded whole = record(std::make_shared<InBlocksOf>(16, model), options);
  for (const Index width : {1, 2, 3, 8}) {
    const Recorded parts = record(std::make_shared<InBlocksOf>(width, model), options);
    EXPECT_EQ(parts.values, whole.values) << name(options.integrator) << ", width " << width;
    EXPECT_EQ(parts.energies, whole.energies);
    EXPECT_EQ(parts.result.tuning, whole.result.tuning);
  }
}

/// Neither a chain's own arithmetic nor what warm-up learns from all of them.
TEST(Sampler, DrawsDoNotDependOnBlocks) {
  const auto function = std::make_shared<FunctionModel>(differentiate(3, [](const auto& q) {
    using std::exp;
    return q[0] - exp(q[0]) - 0.5 * q[1] * q[1] - 8.0 * q[2] * q[2];
  }));
  const auto oscillator = std::make_shared<FitzHughNagumo>(solve_fitzhugh_nagumo({}, {0.5, 1.0, 2.0}, 0.01));
  const std::vector<std::shared_ptr<const Model>> models{correlated_gaussian(), function, oscillator,
                                                         synthetic_logistic(50, 2).model};
  for (const auto& model : models) {
    for (const TrajectoryKind trajectory : {TrajectoryKind::jittered, TrajectoryKind::chees, TrajectoryKind::nuts}) {
      SamplerSettings options;
      options.trajectory = TrajectoryRule::of(trajectory, {.most_steps = 10}, 4);
      expect_no_dependence_on_blocks(model, options);
    }
  }
  for (const IntegratorKind kind : all_values<IntegratorKind>()) {
    SamplerSettings options;
    options.trajectory = JitteredTrajectory{.length = {.most_steps = 10}};
    options.integrator = kind;
    const Recipe recipe = kind == IntegratorKind::leapfrog            ? Recipe::canonical
                          : kind == IntegratorKind::magnetic_leapfrog ? Recipe::magnetic_position
                                                                      : Recipe::coupled;
    options.structure = make_structure(recipe, 3, {.size = SpectralStrength{0.5}, .seed = 2, .A = {}});
    expect_no_dependence_on_blocks(synthetic_logistic(50, 2).model, options);
  }
}

/// Few chains are divided where that costs nothing, many into full blocks.
TEST(Sampler, BlocksAreNarrowWhereThatIsCheap) {
  const ModelTraits logistic = synthetic_logistic(50, 2).model->traits();
  EXPECT_EQ(block_width(4, logistic, 1), 16);  // one thread has no use for more blocks
  EXPECT_EQ(block_width(1, logistic, 2), 2);
  EXPECT_EQ(block_width(4, logistic, 2), 2);
  EXPECT_EQ(block_width(18, logistic, 2), 6);
  EXPECT_EQ(block_width(64, logistic, 2), 16);
  EXPECT_EQ(block_width(64, logistic, 16), 2);
  EXPECT_EQ(block_width(1000, logistic, 2), 16);
  EXPECT_EQ(block_width(4, FitzHughNagumo().traits(), 2), 8);
  EXPECT_EQ(block_width(64, FitzHughNagumo().traits(), 4), 8);
  EXPECT_EQ(block_width(4, {.preferred_lanes = 0, .least_lanes = 0}, 2), 1);
}

TEST(Sampler, NoMoreEvaluatorsRunAtOnceThanTheModelAllows) {
  std::atomic<int> running{0}, most{0};
  const FunctionModel model(1,
                            [&](std::span<const double> q, std::span<double> gradient) {
                              most = std::max<int>(most, ++running);
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));  // others would come meanwhile
                              if (!gradient.empty()) gradient[0] = -q[0];
                              --running;
                              return -0.5 * q[0] * q[0];
                            },
                            {.names = {}, .traits = {.least_lanes = 1, .max_concurrency = 1}});
  SamplerSettings options;
  options.chains = 8;
  options.threads = 4;
  options.warmup = 10;
  options.draws = 10;
  record(std::make_shared<FunctionModel>(model), options);
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace darboux::testing
