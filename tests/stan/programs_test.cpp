// Real programs, by the Stan that is here: ./dev test installs one. Without, these tests are skipped.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numbers>

#include "darboux/core/error.hpp"
#include "darboux/run/sample.hpp"
#include "darboux/stan/stan_model.hpp"
#include "draws/temporary_folder.hpp"
#include "model/gradient_check.hpp"
#include "model/start.hpp"
#include "stan/compile.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

class Programs : public testing::WithFolder {
 protected:
  void SetUp() override {
    try {
      (void)find_toolchain({});
    } catch (const InputError& e) {
      GTEST_SKIP() << e.what();
    }
  }
  static std::string program(const std::string& name) { return DARBOUX_TEST_PROGRAMS "/" + name; }
  static std::shared_ptr<const Model> schools() {
    return stan_model(program("schools.stan"), {.data = program("schools.json")});
  }
  static std::shared_ptr<const Model> kinds() {
    return stan_model(program("kinds.stan"), {.data = program("kinds.json")});
  }
};

/// E[tau], E[mu] of eight schools: given tau the effects integrate out, y_j ~ N(mu, sigma_j² + tau²), and mu is normal.
struct Moments {
  double mu = 0.0, tau = 0.0;
};
Moments integrated_moments() {
  constexpr std::array y{28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0};
  constexpr std::array sigma{15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0};
  double total = 0.0;
  Moments sum;
  constexpr double step = 0.001;
  for (double tau = 0.5 * step; tau < 40.0; tau += step) {
    double precision = 1.0 / 25.0, weighted = 0.0, log_density = -0.5 * tau * tau / 25.0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double variance = sigma[j] * sigma[j] + tau * tau;
      precision += 1.0 / variance;
      weighted += y[j] / variance;
      log_density -= 0.5 * (std::log(variance) + y[j] * y[j] / variance);
    }
    const double mean = weighted / precision;
    const double weight = std::exp(log_density + 0.5 * weighted * mean - 0.5 * std::log(precision));
    total += weight;
    sum.mu += weight * mean;
    sum.tau += weight * tau;
  }
  return {.mu = sum.mu / total, .tau = sum.tau / total};
}

TEST_F(Programs, EightSchoolsHaveTheMomentsOfTheIntegral) {
  SampleOptions options;
  options.seed = 3;
  options.draws = 4000;
  const Draws draws = sample(schools(), options);
  const Moments exact = integrated_moments();
  // Within 4 standard errors: one false alarm in 8000 for each of the two, once, since the seed is fixed.
  for (const auto& [name, expected] : {std::pair("mu", exact.mu), std::pair("tau", exact.tau)}) {
    double sum = 0.0, squares = 0.0;
    const ChainDraws values = draws[name];
    for (const auto chain : values)
      for (const double x : chain) {
        sum += x;
        squares += x * x;
      }
    const auto count = static_cast<double>(values.size());
    const double mean = sum / count, sd = std::sqrt(squares / count - mean * mean);
    EXPECT_NEAR(mean, expected, 4.0 * sd / std::sqrt(ess_mean(values))) << name;
  }
}

TEST_F(Programs, GradientsAreThoseOfTheDensity) {
  for (const auto& model : {schools(), kinds()}) {
    const GradientCheck check = check_gradient(*model, draw_starts(*model, {.seed = 5, .chains = 3}));
    EXPECT_TRUE(check.passed()) << check.worst.excess;
  }
}

TEST_F(Programs, ACompiledProgramIsFoundAgainAndAChangedOneIsNot) {
  const StanToolchain toolchain = find_toolchain({});
  const std::string text = "parameters { real x; } model { x ~ std_normal(); }";
  const CompiledProgram first = compile_stan(file("a.stan", text), toolchain, {});
  const CompiledProgram second = compile_stan(file("a.stan", text + "\n// only a remark\n"), toolchain, {});
  EXPECT_FALSE(second.is_new) << "the translation is the same";
  EXPECT_EQ(first.library, second.library);
  EXPECT_EQ(first.library.filename(), "a_model.so");
}

/// reject() is for points, fatal_error() for programs.
TEST_F(Programs, FatalErrorsEndARun) {
  const auto program = file("fatal.stan",
                            "parameters { real mu; }\n"
                            "model { mu ~ std_normal(); if (mu > 1) fatal_error(\"mu is \", mu); }\n");
  SampleOptions options;
  options.seed = 1;
  EXPECT_TRUE(mentions(message_of<Error>([&] { (void)sample(stan_model(program), options); }), {"at fault", "mu is "}));
}

TEST_F(Programs, FoldersMayHaveCommas) {
  std::filesystem::create_directories(path("a, b"));
  (void)file("a, b/prior.stan", "x ~ std_normal();\n");
  const auto program = file("a, b/main.stan", "parameters { real x; } model {\n#include prior.stan\n}\n");
  EXPECT_EQ(stan_model(program)->dim(), 1);
  EXPECT_FALSE(compile_stan(program, find_toolchain({}), {}).is_new);
}

TEST_F(Programs, EveryKindOfParameterHasItsNamesAndFindsTheWayBack) {
  const auto model = kinds();
  const auto names = model->names();
  EXPECT_EQ(model->dim(), 1 + 2 + 2 + 1 + 12 + 2 + 3 + 2);
  EXPECT_EQ(model->natural_size(), 1 + 3 + 2 + 4 + 12 + 3 + 3 + 2);
  for (const char* name :
       {"mu", "p[3]", "c[2]", "R[1,2]", "m[2,1,3]", "z[1]", "pair:1", "pair:2.1", "w.real", "w.imag", "k"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  const OwnedBatch starts = draw_starts(*model, {.seed = 2, .chains = 1});
  std::vector<double> q, values(names.size()), back(at(model->dim()));
  for (Index j = 0; j < model->dim(); ++j) q.push_back(starts(j, 0));
  model->constrain(q, {.seed = 1}, values);
  model->unconstrain(std::span(values).first(at(model->natural_size())), back);
  for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(back[j], q[j], 1e-10) << j;
}

TEST_F(Programs, StartingValuesAreReadAsCmdStanWritesThem) {
  const auto model = kinds();
  const auto start = file("start.json", R"({"mu": 1.5, "p": [0.2, 0.3, 0.5], "c": [-1, 2], "R": [[1, 0.5], [0.5, 1]],
    "m": [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]], "z": [1, -3, 2], "pair": {"1": 4, "2": [5, 6]}, "w": [7, 8]})");
  const OwnedBatch q = read_starts(*model, start, 1);
  std::vector<double> at_start, values(model->names().size());
  for (Index j = 0; j < model->dim(); ++j) at_start.push_back(q(j, 0));
  model->constrain(at_start, {}, values);
  const auto names = model->names();
  const auto value = [&](const char* name) { return values[at(std::ranges::find(names, name) - names.begin())]; };
  EXPECT_NEAR(value("p[3]"), 0.5, 1e-12);
  EXPECT_NEAR(value("R[2,1]"), 0.5, 1e-12);
  EXPECT_NEAR(value("m[1,2,3]"), 6.0, 1e-12);
  EXPECT_NEAR(value("m[2,1,1]"), 7.0, 1e-12);
  EXPECT_NEAR(value("pair:2.2"), 6.0, 1e-12);
  EXPECT_NEAR(value("w.imag"), 8.0, 1e-12);
  const auto partial = file("partial.json", R"({"mu": 1.5})");
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)read_starts(*model, partial, 1); }), {"partial.json", "p[1]"}));
}

TEST_F(Programs, WhatIsRefusedIsCountedAndTold) {
  SampleOptions options;
  options.seed = 4;
  options.warmup = options.draws = 100;
  const auto model = kinds();
  const Draws draws = sample(model, options);
  for (const auto chain : draws["mu"])
    for (const double mu : chain) EXPECT_LE(mu, 2.5);
  ASSERT_FALSE(model->remarks().empty());
  EXPECT_TRUE(mentions(model->remarks()[0], {"refused", "mu is beyond 2.5"}));
}

TEST_F(Programs, DrawsOfThreadsAreTheSame) {
  const auto draws_of = [](int threads) {
    SampleOptions options;
    options.seed = 1;
    options.warmup = options.draws = 100;
    options.threads = threads;
    return sample(schools(), options);
  };
  const Draws one = draws_of(1), three = draws_of(3);
  for (const char* name : {"mu", "again[8]"})
    for (Index c = 0; c < one.chains(); ++c) EXPECT_TRUE(std::ranges::equal(one[name][at(c)], three[name][at(c)]));
}

TEST_F(Programs, ErrorsOfTheProgramAreStans) {
  const auto bad = file("bad.stan", "parameters { real x; }\nmodel { x ~ nrmal(0, 1); }\n");
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)stan_model(bad); }), {"bad.stan", "line 2", "nrmal"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)stan_model(path("none.stan")); }), {"none.stan"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)stan_model(program("schools.stan")); }), {"no data", "J"}));
  const std::string data = R"({"J": 2, "y": [1, 2], "sigma": [1, -1]})";
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)stan_model(program("schools.stan"), {.data = data}); }), {"sigma"}));
}

}  // namespace
}  // namespace darboux
