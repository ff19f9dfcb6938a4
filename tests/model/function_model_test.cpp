#include "darboux/model/function_model.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "darboux/model/differentiate.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

using testing::evaluate;
using testing::Evaluated;
using testing::message_of;

double half_line(std::span<const double> q, std::span<double> gradient) {
  if (q[0] < 0.0) throw Reject("outside");
  if (!gradient.empty()) gradient[0] = -1.0;
  return -q[0];
}

OwnedBatch three_points() {
  OwnedBatch q(1, 3);
  q(0, 0) = 1.0;
  q(0, 1) = -1.0;
  q(0, 2) = 2.0;
  return q;
}

TEST(FunctionModel, RejectRefusesThatLaneOnly) {
  const FunctionModel model(1, half_line);
  const Evaluated got = evaluate(model, three_points());
  EXPECT_EQ(got.status, (std::vector<Status>{Status::ok, Status::model_error, Status::ok}));
  EXPECT_EQ(got.log_density[0], -1.0);
  EXPECT_TRUE(std::isnan(got.log_density[1]));
  EXPECT_TRUE(std::isnan(got.gradient(0, 1)));
  EXPECT_EQ(got.log_density[2], -2.0);
  EXPECT_EQ(got.gradient(0, 2), -1.0);
}

TEST(FunctionModel, LaneRecoversAfterARejection) {
  const FunctionModel model(1, half_line);
  const auto evaluator = model.make_evaluator();
  OwnedBatch q = three_points();
  evaluate(*evaluator, q);
  q(0, 1) = 3.0;
  const Evaluated got = evaluate(*evaluator, q);
  EXPECT_EQ(got.status[1], Status::ok);
  EXPECT_EQ(got.gradient(0, 1), -1.0);
}

TEST(FunctionModel, InactiveLanesAreNotCalled) {
  int calls = 0;
  const FunctionModel model(1, [&calls](std::span<const double> q, std::span<double>) {
    ++calls;
    return q[0];
  });
  const std::vector<std::uint8_t> mask{0, 0, 1};
  evaluate(model, three_points(), {.active = mask});
  EXPECT_EQ(calls, 1);
}

TEST(FunctionModel, GradientIsEmptyWhenNotWanted) {
  std::vector<std::size_t> sizes;
  const FunctionModel model(2, [&sizes](std::span<const double>, std::span<double> gradient) {
    sizes.push_back(gradient.size());
    return 0.0;
  });
  const OwnedBatch q(2, 1);
  evaluate(model, q);
  evaluate(model, q, {.gradient = false});
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 0}));
}

TEST(FunctionModel, OtherExceptionsReachTheCaller) {
  const FunctionModel model(
      1, [](std::span<const double>, std::span<double>) -> double { throw std::logic_error("a bug"); });
  EXPECT_EQ(message_of<std::logic_error>([&] { evaluate(model, three_points()); }), "a bug");
}

TEST(FunctionModel, NanIsPassedOnWithStatusOk) {
  const auto model = differentiate(1, [](const auto& q) {
    using std::log;
    return log(q[0]);
  });
  const Evaluated got = evaluate(model, three_points());
  EXPECT_EQ(got.status[1], Status::ok);
  EXPECT_TRUE(std::isnan(got.log_density[1]));
  EXPECT_EQ(got.gradient(0, 2), 0.5);
}

TEST(FunctionModel, EvaluatorsDoNotShareTheStateOfTheCallable) {
  const FunctionModel model(1, [calls = 0](std::span<const double>, std::span<double>) mutable { return ++calls; });
  const auto one = model.make_evaluator(), other = model.make_evaluator();
  evaluate(*one, three_points());
  EXPECT_EQ(evaluate(*one, three_points()).log_density[0], 4.0);
  EXPECT_EQ(evaluate(*other, three_points()).log_density[0], 1.0);
}

TEST(FunctionModel, KeepsNamesAndTraits) {
  const auto flat = [](std::span<const double>, std::span<double>) { return 0.0; };
  const FunctionModel model(2, flat, {.names = {"a", "b"}, .traits = {.max_concurrency = 1, .log_concave = true}});
  EXPECT_EQ(model.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(model.traits().max_concurrency, 1);
  EXPECT_TRUE(model.traits().log_concave);
  EXPECT_EQ(FunctionModel(2, flat).names(), (std::vector<std::string>{"q[1]", "q[2]"}));
}

TEST(FunctionModel, RefusesBadArguments) {
  const auto flat = [](std::span<const double>, std::span<double>) { return 0.0; };
  EXPECT_EQ(message_of<InputError>([&] { FunctionModel(0, flat); }), "dimension = 0: must be at least 1");
  EXPECT_EQ(message_of<InputError>([] { FunctionModel(1, nullptr); }), "f: an empty function, must be a log density");
  EXPECT_EQ(message_of<InputError>([&] { FunctionModel(2, flat, {.names = {"a"}, .traits = {}}); }),
            "names has 1 entries: must have 2");
}

}  // namespace
}  // namespace darboux
