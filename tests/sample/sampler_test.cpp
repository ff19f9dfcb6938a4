#include "sample/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <darboux/model/differentiate.hpp>
#include <darboux/model/function_model.hpp>
#include <darboux/structure/recipes.hpp>
#include <mutex>
#include <thread>

#include "model/fitzhugh_nagumo.hpp"
#include "model/gaussian.hpp"
#include "sample/chain_pool.hpp"
#include "support/synthetic_logistic.hpp"

namespace darboux::testing {
namespace {

std::shared_ptr<const Gaussian> correlated_gaussian() {
  return std::make_shared<Gaussian>(
      Gaussian::from_covariance({3.0, -40.0, 0.0}, Matrix{{4.0, 1.8, 0.0}, {1.8, 1.0, 0.0}, {0.0, 0.0, 1e-4}}));
}

OwnedBatch spread_starts(Index dim, Index chains) {
  OwnedBatch starts(dim, chains);
  RandomStream random({.seed = 5, .purpose = Purpose::start});
  for (Index j = 0; j < dim; ++j)
    for (Index c = 0; c < chains; ++c) starts(j, c) = 4.0 * random.uniform() - 2.0;
  return starts;
}

struct Recorded {
  std::vector<std::vector<std::vector<double>>> values;  // chain, draw, value
  std::vector<std::vector<double>> energies;
  int warmup = 0;
  SampleResult result;
};

Recorded record(const std::shared_ptr<const Model>& model, const SampleOptions& options,
                const std::optional<Tuning>& tuning = {}) {
  Recorded recorded;
  recorded.values.resize(static_cast<std::size_t>(options.chains));
  recorded.energies.resize(recorded.values.size());
  std::mutex mutex;
  Sampler sampler(model, options);
  recorded.result =
      sampler.run(spread_starts(model->dim(), options.chains),
                  {.on_draw =
                       [&](const Draw& draw) {
                         const std::scoped_lock lock(mutex);
                         recorded.warmup += draw.is_warmup ? 1 : 0;
                         if (draw.is_warmup) return;
                         const auto chain = static_cast<std::size_t>(draw.chain);
                         EXPECT_EQ(draw.iteration, options.warmup + static_cast<int>(recorded.values[chain].size()));
                         recorded.values[chain].emplace_back(draw.values.begin(), draw.values.end());
                         recorded.energies[chain].push_back(draw.transition->energy);
                       },
                   .on_frozen = {}},
                  tuning);
  return recorded;
}

TEST(Sampler, FindsMeanAndSpreadOfABadlyScaledGaussian) {
  for (const Metric metric : {Metric::diagonal, Metric::dense}) {
    SampleOptions options;
    options.chains = 8;
    options.seed = 1;
    options.metric = metric;
    const Recorded run = record(correlated_gaussian(), options);
    EXPECT_EQ(run.warmup, 8 * 1000);
    const std::vector<double> mean{3.0, -40.0, 0.0};
    const std::vector<double> sd{2.0, 1.0, 0.01};
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0.0, squares = 0.0;
      for (const auto& chain : run.values) {
        for (const auto& draw : chain) {
          sum += draw[j];
          squares += (draw[j] - mean[j]) * (draw[j] - mean[j]);
        }
      }
      // 8000 draws; even at an effective size of only 2000 the errors are sd/45 for the mean and 1/32 for the variance.
      EXPECT_NEAR(sum / 8000.0, mean[j], 4.0 * sd[j] / 45.0) << name(metric);
      EXPECT_NEAR(squares / 8000.0 / (sd[j] * sd[j]), 1.0, 4.0 / 32.0) << name(metric);
    }
  }
}

TEST(Sampler, DrawsDoNotDependOnThreads) {
  for (const IntegratorKind kind :
       {IntegratorKind::leapfrog, IntegratorKind::split_midpoint, IntegratorKind::doubled}) {
    SampleOptions options;
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

void expect_no_dependence_on_blocks(const std::shared_ptr<const Model>& model, SampleOptions options) {
  options.chains = 11;
  options.warmup = 40;
  options.draws = 5;
  options.seed = 3;
  options.max_steps = 10;
  options.kernel.max_depth = 4;
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
      SampleOptions options;
      options.trajectory = trajectory;
      expect_no_dependence_on_blocks(model, options);
    }
  }
  for (const IntegratorKind kind : all_values<IntegratorKind>()) {
    SampleOptions options;
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
                              std::this_thread::yield();
                              if (!gradient.empty()) gradient[0] = -q[0];
                              --running;
                              return -0.5 * q[0] * q[0];
                            },
                            {.names = {}, .traits = {.least_lanes = 1, .max_concurrency = 1}});
  SampleOptions options;
  options.chains = 8;
  options.threads = 4;
  options.warmup = 50;
  options.draws = 200;
  record(std::make_shared<FunctionModel>(model), options);
  EXPECT_EQ(most, 1);
}

TEST(Sampler, SeedsMatter) {
  SampleOptions options;
  options.warmup = 50;
  options.draws = 5;
  options.seed = 1;
  const Recorded one = record(correlated_gaussian(), options);
  options.seed = 2;
  EXPECT_NE(record(correlated_gaussian(), options).values, one.values);
}

TEST(Sampler, ATuningGivenBackReplacesWarmUp) {
  SampleOptions options;
  options.seed = 4;
  const Recorded first = record(correlated_gaussian(), options);
  EXPECT_GT(first.result.warmup_gradients, 0);
  options.draws = 200;
  const Recorded second = record(correlated_gaussian(), options, first.result.tuning);
  EXPECT_EQ(second.warmup, 0);
  EXPECT_EQ(second.result.tuning, first.result.tuning);
  EXPECT_EQ(second.values[0].size(), 200U);
}

TEST(Sampler, StopsWhenAskedAndKeepsWhatWasDrawn) {
  SampleOptions options;
  options.warmup = 20;
  options.draws = 1000000;
  std::atomic<bool> stop{false};
  std::int64_t seen = 0;
  Sampler sampler(correlated_gaussian(), options);
  const SampleResult result = sampler.run(spread_starts(3, 4), {.on_draw =
                                                                    [&](const Draw& draw) {
                                                                      if (!draw.is_warmup && ++seen == 100) stop = true;
                                                                    },
                                                                .on_frozen = {},
                                                                .stop = &stop});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(seen, 100);  // a block finishes the transition in hand
}

/// Where a run is looked at in between, its draws are the first of those that it would have made anyway.
TEST(Sampler, LooksChangeNoDraws) {
  for (const TrajectoryKind trajectory : {TrajectoryKind::chees, TrajectoryKind::nuts}) {
    SampleOptions options;
    options.chains = 20;
    options.warmup = 100;
    options.draws = 50;
    options.trajectory = trajectory;
    const Recorded all = record(correlated_gaussian(), options);
    std::vector<int> looks;
    std::vector<std::vector<double>> last(20);
    options.threads = 3;
    const SampleResult result = Sampler(correlated_gaussian(), options)
                                    .run(spread_starts(3, 20), {.on_draw =
                                                                    [&](const Draw& draw) {
                                                                      last[static_cast<std::size_t>(draw.chain)] = {
                                                                          draw.values.begin(), draw.values.end()};
                                                                    },
                                                                .on_frozen = {},
                                                                .next_look =
                                                                    [&](int drawn) {
                                                                      looks.push_back(drawn);
                                                                      return std::min(drawn + 7, 21);
                                                                    }});
    EXPECT_EQ(looks, (std::vector<int>{0, 7, 14, 21}));
    EXPECT_EQ(result.draws, 21);
    EXPECT_FALSE(result.interrupted);
    EXPECT_FALSE(result.out_of_time);
    for (std::size_t c = 0; c < last.size(); ++c) EXPECT_EQ(last[c], all.values[c][20]);
  }
}

TEST(Sampler, EndsWhenItsTimeIsUp) {
  SampleOptions options;
  options.chains = 20;
  options.threads = 2;
  options.warmup = 20;
  options.draws = 1'000'000'000;
  options.max_seconds = 0.2;
  const auto begin = std::chrono::steady_clock::now();
  const Recorded run = record(correlated_gaussian(), options);
  EXPECT_TRUE(run.result.out_of_time);
  EXPECT_FALSE(run.result.interrupted);
  const auto taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(taken, std::chrono::milliseconds(200));
  EXPECT_LT(taken, std::chrono::seconds(3)) << "rounds take a tenth of a second, or one transition";
  EXPECT_GT(run.result.draws, 0);
  for (const auto& chain : run.values) EXPECT_EQ(std::ssize(chain), run.result.draws);

  options.draws = 10;
  options.max_seconds = 1e300;
  const Recorded whole = record(correlated_gaussian(), options);
  EXPECT_FALSE(whole.result.out_of_time);
  EXPECT_EQ(whole.result.draws, 10);
}

/// Other tools want chains of one length. The stop comes in the middle of a transition, when some blocks have made one more
/// than others.
TEST(Sampler, AllChainsStopAfterTheSameIteration) {
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  const auto model = std::make_shared<FunctionModel>(1, [&](std::span<const double> q, std::span<double> gradient) {
    if (++calls == 50000) stop = true;
    if (!gradient.empty()) gradient[0] = -q[0];
    return -0.5 * q[0] * q[0];
  });
  SampleOptions options;
  options.chains = 20;
  options.warmup = 20;
  for (const int threads : {1, 3}) {
    options.draws = 1000000;
    options.threads = threads;
    stop = false;
    calls = 0;
    const auto draws_until = [&](const std::atomic<bool>* stopped) {
      std::vector<std::vector<double>> seen(20);
      const auto keep = [&](const Draw& draw) {
        if (!draw.is_warmup) seen[static_cast<std::size_t>(draw.chain)].push_back(draw.values[0]);
      };
      Sampler(model, options).run(spread_starts(1, 20), {.on_draw = keep, .on_frozen = {}, .stop = stopped});
      return seen;
    };
    const auto cut_short = draws_until(&stop);
    EXPECT_GE(cut_short[0].size(), 10U);
    for (const auto& chain : cut_short) EXPECT_EQ(chain.size(), cut_short[0].size()) << threads;
    options.draws = static_cast<int>(cut_short[0].size());
    EXPECT_EQ(draws_until(nullptr), cut_short) << "what is there in place of draws that some have not made?";
  }
}

TEST(Sampler, ShortWarmUpsFindAStepSize) {
  SampleOptions options;
  options.draws = 100;
  for (const int warmup : {20, 50, 100, 200}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      options.warmup = warmup;
      options.seed = seed;
      double acceptance = 0.0;
      Sampler sampler(std::make_shared<Gaussian>(Gaussian::standard(5)), options);
      sampler.run(spread_starts(5, 4), {.on_draw =
                                            [&](const Draw& draw) {
                                              if (!draw.is_warmup)
                                                acceptance += draw.transition->acceptance_probability / 400;
                                            },
                                        .on_frozen = {}});
      EXPECT_GT(acceptance, 0.6) << warmup;
      EXPECT_LT(acceptance, 0.99) << warmup;
    }
  }
}

TEST(Sampler, AnExceptionOfTheModelPassesThroughAfterTheDraws) {
  int calls = 0;
  const auto model = std::make_shared<FunctionModel>(1, [&](std::span<const double> q, std::span<double> gradient) {
    if (++calls > 5000) throw std::runtime_error("the licence server is down");
    if (!gradient.empty()) gradient[0] = -q[0];
    return -0.5 * q[0] * q[0];
  });
  SampleOptions options;
  options.warmup = 0;
  options.chains = 2;
  options.draws = 100000;
  int draws = 0;
  Sampler sampler(model, options);
  try {
    (void)sampler.run(spread_starts(1, 2), {.on_draw = [&](const Draw&) { ++draws; }, .on_frozen = {}});
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "the licence server is down");
  }
  EXPECT_GT(draws, 100);
}

/// On a Gaussian every step size would do, but the copies of `explicit` swap where they turn by half a turn per step.
TEST(Sampler, ExplicitIsWarmedUpWithinWhatItsBindingAllows) {
  SampleOptions options;
  options.integrator = IntegratorKind::explicit_copies;
  options.structure = make_structure(Recipe::coupled, 2, {.size = SpectralStrength{0.5}, .seed = 1, .A = {}});
  options.warmup = 200;
  options.draws = 1;
  const auto model = std::make_shared<const Gaussian>(Gaussian::standard(2));
  const SampleResult result = Sampler(model, options).run(spread_starts(2, 4), {});
  EXPECT_LE(result.tuning.step_size, 0.5);
  EXPECT_GT(result.tuning.step_size, 0.05);
}

TEST(Sampler, RefusesBadOptionsByName) {
  const auto message = [](auto change) -> std::string {
    SampleOptions options;
    change(options);
    try {
      const Sampler sampler(correlated_gaussian(), options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  using O = SampleOptions;
  using ::testing::HasSubstr;
  EXPECT_EQ(message([](O&) {}), "accepted");
  EXPECT_THAT(message([](O& o) { o.chains = 0; }), HasSubstr("chains = 0"));
  EXPECT_THAT(message([](O& o) { o.draws = -1; }), HasSubstr("draws = -1"));
  EXPECT_THAT(message([](O& o) { o.trajectory_time = NAN; }), HasSubstr("trajectory_time = nan"));
  EXPECT_THAT(message([](O& o) { o.target_acceptance = 1.0; }), HasSubstr("target_acceptance = 1"));
  EXPECT_THAT(message([](O& o) { o.structure = PoissonStructure::canonical(7); }),
              HasSubstr("7 dimensions: must be 3"));
  EXPECT_THAT(message([](O& o) { o.structure = make_structure(Recipe::coupled, 3); }), HasSubstr("leapfrog needs"));
  const auto in_single_precision = [&](IntegratorKind kind, Recipe recipe) {
    return message([&](O& o) {
      o.gradient_precision = GradientPrecision::single;
      o.integrator = kind;
      o.structure = make_structure(recipe, 3);
    });
  };
  EXPECT_EQ(in_single_precision(IntegratorKind::leapfrog, Recipe::canonical), "accepted");
  EXPECT_EQ(in_single_precision(IntegratorKind::magnetic_leapfrog, Recipe::magnetic_position), "accepted");
  EXPECT_EQ(in_single_precision(IntegratorKind::doubled, Recipe::coupled), "accepted");
  EXPECT_EQ(in_single_precision(IntegratorKind::split_midpoint, Recipe::magnetic_position), "accepted");
  EXPECT_THAT(
      message([](O& o) { o.gradient_precision = GradientPrecision::mixed; }),
      HasSubstr("gradient_precision = mixed is for integrators that solve equations, but leapfrog solves none"));
  EXPECT_THAT(in_single_precision(IntegratorKind::midpoint, Recipe::canonical),
              HasSubstr("gradient_precision = single: midpoint moves positions along the gradient"));
  EXPECT_THAT(in_single_precision(IntegratorKind::split_midpoint, Recipe::coupled),
              HasSubstr("split-midpoint moves positions along the gradient"));
}

}  // namespace
}  // namespace darboux::testing
