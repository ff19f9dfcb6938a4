#include "model/parallel_lanes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <limits>
#include <thread>

#include "darboux/model/function_model.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace darboux {
namespace {

/// ½ q⁴, refused below −1.
double quartic(std::span<const double> q, std::span<double> gradient) {
  if (q[0] < -1.0) throw Reject();
  if (!gradient.empty()) gradient[0] = -2.0 * q[0] * q[0] * q[0];
  return -0.5 * q[0] * q[0] * q[0] * q[0];
}

struct Answered {
  std::vector<double> log_density = std::vector<double>(7, 3.0);
  OwnedBatch gradient{1, 7};
  std::vector<Status> status = std::vector<Status>(7, Status::diverged);
};

Answered ask(const Model& model, bool gradient) {
  OwnedBatch q(1, 7);
  for (Index lane = 0; lane < 7; ++lane) q(0, lane) = 0.5 * static_cast<double>(lane) - 1.6;
  const std::vector<std::uint8_t> active{1, 0, 1, 1, 1, 0, 1};
  Answered out;
  model.make_evaluator()->evaluate(
      {.q = q, .active = active, .gradient = gradient},
      {.log_density = out.log_density, .gradient = gradient ? Batch(out.gradient) : Batch(), .status = out.status});
  return out;
}

TEST(ParallelLanes, AnswerAsOneThreadWould) {
  const FunctionModel model(1, quartic);
  for (const bool gradient : {false, true}) {
    const Answered one = ask(model, gradient);
    for (const int threads : {1, 2, 3, 12}) {
      const Answered more = ask(ParallelLanes(model, threads), gradient);
      EXPECT_EQ(more.status, one.status) << threads;
      for (const Index lane : {0, 2, 3, 4, 6}) {
        if (one.status[at(lane)] != Status::ok) continue;
        EXPECT_EQ(more.log_density[at(lane)], one.log_density[at(lane)]) << threads << " threads, lane " << lane;
        EXPECT_EQ(more.gradient(0, lane), one.gradient(0, lane)) << threads << " threads, lane " << lane;
      }
    }
  }
}

/// Whether two points are evaluated at the same time: each waits for the other.
bool meet(ModelTraits traits, std::chrono::milliseconds patience) {
  std::latch both(2);
  std::atomic<int> met{0};
  const FunctionModel model(1,
                            [&](std::span<const double>, std::span<double>) {
                              both.count_down();
                              const auto end = std::chrono::steady_clock::now() + patience;
                              while (!both.try_wait() && std::chrono::steady_clock::now() < end)
                                std::this_thread::yield();
                              if (both.try_wait()) ++met;
                              return 0.0;
                            },
                            {.names = {}, .traits = traits});
  OwnedBatch q(1, 2);
  std::vector<double> log_density(2);
  std::vector<Status> status(2);
  ParallelLanes(model, 2).make_evaluator()->evaluate({.q = q, .active = {}, .gradient = false},
                                                     {.log_density = log_density, .gradient = {}, .status = status});
  return met == 2;
}

TEST(ParallelLanes, WorkAtTheSameTimeWhereTheyMay) {
  EXPECT_TRUE(meet({.least_lanes = 1}, std::chrono::seconds(20)));
  EXPECT_FALSE(meet({.least_lanes = 2}, std::chrono::milliseconds(300)));
  EXPECT_FALSE(meet({.least_lanes = 1, .max_concurrency = 1}, std::chrono::milliseconds(300)));
}

TEST(ParallelLanes, PassOnWhatStopsARun) {
  const FunctionModel model(1, [](std::span<const double> q, std::span<double>) -> double {
    if (q[0] < -1.0) return 0.0;  // the first lane
    throw Error("at " + std::to_string(q[0]));
  });
  const auto told = [&](int threads) -> std::string {
    try {
      (void)ask(ParallelLanes(model, threads), true);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_FALSE(told(1).empty());
  for (const int threads : {2, 3, 12}) EXPECT_EQ(told(threads), told(1)) << threads;
}

}  // namespace
}  // namespace darboux
