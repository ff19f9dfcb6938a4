#include "stan/bridge_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "darboux/core/error.hpp"
#include "darboux/run/sample.hpp"
#include "darboux/stan/stan_model.hpp"
#include "draws/temporary_folder.hpp"
#include "model/start.hpp"
#include "run/file_run.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

class BridgeRun : public testing::WithFolder {};

std::string library(const std::string& name) { return std::string(DARBOUX_TEST_LIBRARIES) + "/" + name + ".so"; }

std::shared_ptr<const Model> gaussian() { return stan_model(library("gaussian"), {.data = R"({"n": 3})"}); }

std::string refusal(const std::string& file, const std::string& data = "") {
  return message_of<InputError>([&] { (void)stan_model(file, {.data = data}); });
}

double at_point(const Model& model, const std::vector<double>& point, Status& status,
                std::vector<double>* gradient = nullptr) {
  OwnedBatch q(model.dim(), 1), g(model.dim(), 1);
  for (Index j = 0; j < model.dim(); ++j) q(j, 0) = point[at(j)];
  std::vector<double> value(1);
  std::vector<Status> statuses(1);
  model.make_evaluator()->evaluate({.q = q, .active = {}}, {.log_density = value, .gradient = g, .status = statuses});
  status = statuses[0];
  if (gradient != nullptr)
    for (Index j = 0; j < model.dim(); ++j) gradient->push_back(g(j, 0));
  return value[0];
}

TEST(BridgeLibrary, FilesThatAreNoneAreNamedWithTheReason) {
  EXPECT_TRUE(mentions(refusal("nowhere.so"), {"nowhere.so", "cannot be loaded"}));
  EXPECT_TRUE(mentions(refusal(library("no_interface")), {"no_interface.so", "bs_major_version", "darboux compile"}));
  EXPECT_TRUE(mentions(refusal(library("version_one")), {"version_one.so", "version 1", "must be 2"}));
  EXPECT_TRUE(mentions(refusal("model.txt"), {"model.txt", "NAME.stan", "NAME.so"}));
}

TEST(BridgeLibrary, AllMissingFunctionsAreInOneMessage) {
  EXPECT_TRUE(mentions(refusal(library("missing_functions")), {"missing_functions.so", "bs_name", "bs_param_names"}));
}

/// Compiled programs take thread-local memory of the kind that is fast and scarce.
TEST(BridgeLibrary, TooManyOfThemAreToldWithWhatToDo) {
  EXPECT_TRUE(mentions(refusal(library("greedy")), {"greedy.so", "too many programs", "GLIBC_TUNABLES"}));
}

TEST(BridgeModel, DataThatDoNotFitAreToldInTheProgramsWords) {
  const std::string message = refusal(library("gaussian"), R"({"m": 3})");
  EXPECT_TRUE(mentions(message, {"the data", "gaussian.so", "there is no \"n\"", "there are: m"}));
  EXPECT_EQ(message.find("failed with exception"), std::string::npos) << message;
  EXPECT_TRUE(mentions(refusal(library("gaussian")), {"no data"}));
  EXPECT_TRUE(mentions(refusal(library("gaussian"), "nowhere.json"), {"nowhere.json"}));
  EXPECT_TRUE(mentions(refusal(library("gaussian"), R"({"n":0})"), {"no parameters"}));
}

TEST_F(BridgeRun, DataThatAreNoJsonAreToldBeforeAnythingElse) {
  const auto told = [&](const std::string& text) { return refusal("nowhere.so", file("d.json", text).string()); };
  EXPECT_TRUE(mentions(told(" \n"), {"d.json", "is empty", "{}"}));
  EXPECT_TRUE(mentions(told("[1, 2]"), {"d.json", "begins with {"}));
  EXPECT_TRUE(mentions(told("\xEF\xBB\xBF{}"), {"nowhere.so", "cannot be loaded"}));  // as some editors begin UTF-8
}

TEST(BridgeModel, LogDensityAndGradientAreTheLibrarys) {
  const auto model = gaussian();
  Status status{};
  std::vector<double> gradient;
  EXPECT_DOUBLE_EQ(at_point(*model, {1.0, 2.0, -3.0}, status, &gradient), -1.5);
  EXPECT_EQ(status, Status::ok);
  EXPECT_EQ(gradient, (std::vector<double>{-1.0, -0.5, 3.0 / 9.0}));
}

TEST(BridgeModel, RefusedPointsAreAStatusAndAreCounted) {
  const auto model = gaussian();
  Status status{};
  (void)at_point(*model, {4.0, 0.0, 0.0}, status);
  EXPECT_EQ(status, Status::model_error);
  (void)at_point(*model, {-6.0, 0.0, 0.0}, status);  // not a number
  EXPECT_EQ(status, Status::model_error);
  ASSERT_EQ(model->remarks().size(), 1U);
  EXPECT_TRUE(mentions(model->remarks()[0], {"2 points", "x is absurd"}));
}

TEST(BridgeModel, AMistakeInTheProgramEndsTheRun) {
  const auto model = stan_model(library("gaussian"), {.data = R"({"n": 3, "faulty": 1})"});
  Status status{};
  EXPECT_TRUE(mentions(message_of<Error>([&] { (void)at_point(*model, {0.0, 0.0, 0.0}, status); }),
                       {"at fault", "index out of range"}));
}

TEST(BridgeModel, WhereNoStartIsFoundTheReasonIsTold) {
  const auto model = gaussian();
  OwnedBatch starts(3, 1);
  starts(0, 0) = 4.0;
  EXPECT_TRUE(mentions(message_of<InputError>([&] { require_finite_starts(*model, starts, "here: "); }),
                       {"here", "x is absurd"}));
}

TEST(BridgeModel, NamesSizesAndTheWayBackAreThoseOfTheProgram) {
  const auto model = gaussian();
  EXPECT_EQ(model->names(), (std::vector<std::string>{"x[1]", "x[2]", "s", "z.real", "z.imag", "noise"}));
  EXPECT_EQ(model->natural_size(), 3);
  std::vector<double> values(6), back(3);
  model->constrain(std::vector{0.5, -1.0, std::log(2.0)}, {}, values);
  EXPECT_EQ(std::vector(values.begin(), values.begin() + 5), (std::vector{0.5, -1.0, 2.0, 0.5, -0.5}));
  model->unconstrain(std::span(values).first(3), back);
  EXPECT_DOUBLE_EQ(back[2], std::log(2.0));
  const std::vector<double> impossible{0.0, 0.0, -1.0};
  EXPECT_TRUE(mentions(message_of<InputError>([&] { model->unconstrain(impossible, back); }), {"s must be positive"}));
}

TEST(BridgeModel, RandomNumbersOfADrawAreAFunctionOfItsKey) {
  const auto model = gaussian();
  const auto noise = [&](const DrawKey& key) {
    std::vector<double> values(6);
    model->constrain(std::vector{0.0, 0.0, 0.0}, key, values);
    return values[5];
  };
  EXPECT_EQ(noise({1, 2, 3}), noise({1, 2, 3}));
  EXPECT_NE(noise({1, 2, 3}), noise({1, 2, 4}));
  EXPECT_NE(noise({1, 2, 3}), noise({1, 3, 3}));
  EXPECT_NE(noise({1, 2, 3}), noise({2, 2, 3}));
}

TEST(BridgeModel, WhatCannotBeGeneratedIsNaNAndTheRestStays) {
  const auto model = gaussian();
  std::vector<double> values(6);
  model->constrain(std::vector{-4.0, 1.0, 0.0}, {}, values);
  EXPECT_EQ(values[0], -4.0);
  EXPECT_EQ(values[4], 4.0);
  EXPECT_TRUE(std::isnan(values[5]));
  EXPECT_TRUE(mentions(model->remarks().back(), {"1 draw", "NaN", "no noise there"}));
}

TEST(BridgeModel, ALibraryWithoutThreadsGetsOneEvaluatorAndSaysSo) {
  const auto model = gaussian();
  EXPECT_EQ(model->traits().max_concurrency, 1);
  bool told = false;
  for (const ModelFact& fact : model->describe()) told = told || mentions(fact.note, {"STAN_THREADS"});
  EXPECT_TRUE(told);
}

TEST(BridgeModel, DrawsDoNotDependOnThreads) {
  const auto draws_of = [](int threads) {
    SampleOptions options;
    options.seed = 1;
    options.warmup = options.draws = 100;
    options.threads = threads;
    return sample(gaussian(), options);
  };
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const Draws one = draws_of(1), three = draws_of(3);
  for (const char* name : {"x[1]", "s", "noise", "lp__"})
    for (Index c = 0; c < one.chains(); ++c)
      EXPECT_TRUE(std::ranges::equal(one[name][at(c)], three[name][at(c)], same)) << name;
}

/// The noise is NaN in a few draws: its R̂ is undefined, which must not pass for agreement of all the others.
TEST_F(BridgeRun, AnUndefinedRhatIsNotConvergence) {
  RunConfig config;
  config.model = library("gaussian");
  config.data = file("data.json", R"({"n": 3})").string();
  config.out = path("out").string();
  config.seed = 1;
  const FileRun run = run_to_files(make_plan(config));
  ASSERT_TRUE(run.manifest.max_rhat.has_value());
  EXPECT_TRUE(std::isinf(*run.manifest.max_rhat));
  EXPECT_TRUE(std::filesystem::exists(path("out/chain_4.csv")));
}

}  // namespace
}  // namespace darboux
