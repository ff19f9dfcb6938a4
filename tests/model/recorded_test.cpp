#include "darboux/model/recorded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

#include "darboux/model/differentiate.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

using testing::evaluate;
using testing::Evaluated;
using testing::message_of;
using testing::on_every_cpu;

// For plain numbers; those for others are found by themselves.
using std::abs, std::fabs, std::max, std::min, std::fmax, std::fmin, std::sqrt, std::cbrt, std::pow, std::hypot;
using std::exp, std::expm1, std::log, std::log1p, std::erf, std::erfc, std::isfinite, std::isnan;
using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2;
using std::sinh, std::cosh, std::tanh, std::asinh, std::acosh, std::atanh;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Value and gradient of a recorded function are those of dual numbers, within some roundings of numbers of size `scale`.
template <class F>
void expect_as_forward(const F& f, const std::vector<double>& q, const char* what, double tolerance = 4e-15) {
  std::vector<double> expected(q.size());
  const double value = Differentiated<F>(f)(q, expected);
  const FunctionModel model = FunctionModel::recorded(std::ssize(q), f);
  const Evaluated got = evaluate(model, testing::as_batch(q));
  const auto same = [&](double a, double b) {
    if (std::isnan(b) || std::isinf(b)) return (std::isnan(a) && std::isnan(b)) || a == b;
    return std::abs(a - b) <= tolerance * std::abs(b) + 1e-320;
  };
  EXPECT_TRUE(same(got.log_density[0], value)) << what << " at " << q[0] << ": " << got.log_density[0] << ", " << value;
  for (std::size_t j = 0; j < q.size(); ++j)
    EXPECT_TRUE(same(got.gradient(static_cast<Index>(j), 0), expected[j]))
        << what << " by variable " << j << " at " << q[0] << ": " << got.gradient(static_cast<Index>(j), 0) << ", "
        << expected[j];
}

template <class F>
void at_all(const char* name, const std::vector<double>& points, F f) {
  for (const double x : points) expect_as_forward([&](const auto& q) { return f(q[0]); }, {x}, name);
}

const std::vector<double> any{0.0,   -0.0, 1e-300, -1e-300, 1e-8, -1e-8, 0.3,  -0.4,  0.7,  1.0,    -1.0,
                              1.5,   -2.3, 5.0,    -7.0,    18.0, -19.0, 36.5, -37.0, 90.0, -300.0, 708.0,
                              709.7, -709, 720.0,  -720.0,  -745, -800,  1e5,  -1e5,  1e17, -1e300};
const std::vector<double> positive{5e-324, 1e-310, 2.3e-308, 1e-100, 1e-9, 0.3,  0.707, 0.71,  0.99999999,
                                   1.0,    1.0001, 1.414,    1.42,   2.0,  17.0, 1e9,   1e100, 1.7e308};
const std::vector<double> fractions{-1.0, -0.999999, -0.7, -1e-9, 0.0, 1e-300, 1e-9, 0.2, 0.5, 0.9, 1.0 - 1e-15, 1.0};

TEST(Recorded, FunctionsThatVectorsHaveAreThoseOfDualNumbers) {
  on_every_cpu([](CpuKind) {
    at_all("exp", any, [](const auto& x) { return exp(x); });
    at_all("log1p_exp", any, [](const auto& x) { return log1p_exp(x); });
    at_all("inv_logit", any, [](const auto& x) { return inv_logit(x); });
    at_all("abs", any, [](const auto& x) { return abs(x); });
    at_all("fabs", any, [](const auto& x) { return fabs(x); });
    at_all("square", any, [](const auto& x) { return x * x; });
    at_all("reciprocal", positive, [](const auto& x) { return 1.0 / x; });
    at_all("sqrt", positive, [](const auto& x) { return sqrt(x); });
    at_all("log", positive, [](const auto& x) { return log(x); });
    at_all("log", {0.0, -1.0}, [](const auto& x) { return log(x); });
    at_all("log1p", positive, [](const auto& x) { return log1p(x); });
    at_all("log1p", fractions, [](const auto& x) { return log1p(x); });
    at_all("log1p", {-2.0}, [](const auto& x) { return log1p(x); });
  });
}

/// How many units in the last place the values of f are off at most, at points e^u, u uniform on the range, with either sign.
template <class F, class Reference>
double units_off(F f, Reference reference, double low, double high, bool both_signs) {
  constexpr Index points = 20'000;
  RandomStream random({.seed = 11});
  OwnedBatch q(1, points);
  for (Index l = 0; l < points; ++l)
    q(0, l) = std::exp(low + (high - low) * random.uniform()) * (both_signs && random.uniform() < 0.5 ? -1.0 : 1.0);
  const Evaluated got = evaluate(FunctionModel::recorded(1, [&](const auto& x) { return f(x[0]); }), q);
  double worst = 0.0;
  for (Index l = 0; l < points; ++l) {
    const long double exact = reference(static_cast<long double>(q(0, l)));
    const double unit =
        std::nextafter(std::abs(static_cast<double>(exact)), infinity) - std::abs(static_cast<double>(exact));
    worst = std::max(worst, static_cast<double>(std::abs(got.log_density[static_cast<std::size_t>(l)] - exact)) / unit);
  }
  return worst;
}

TEST(Recorded, FunctionsOfVectorsAreRightToTheLastPlaces) {
  using L = long double;
  on_every_cpu([](CpuKind) {
    const auto exp_of = [](const auto& x) { return exp(x); };
    const auto exp_exact = [](L x) { return std::exp(x); };
    EXPECT_LT(units_off(exp_of, exp_exact, -20.0, 6.56, true), 2.0);  // to e^{±706}
    const auto log_of = [](const auto& x) { return log(x); };
    const auto log_exact = [](L x) { return std::log(x); };
    EXPECT_LT(units_off(log_of, log_exact, -700.0, 700.0, false), 1.0);
    EXPECT_LT(units_off(log_of, log_exact, -0.5, 0.5, false), 1.0);
    EXPECT_LT(units_off([](const auto& x) { return log1p(x); }, [](L x) { return std::log1p(x); }, -40.0, 700.0, false),
              2.0);
    EXPECT_LT(units_off([](const auto& x) { return log1p(x); }, [](L x) { return std::log1p(x); }, -40.0, -0.01, true),
              2.0);
    EXPECT_LT(
        units_off([](const auto& x) { return log1p_exp(x); },
                  [](L x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }, -5.0, 6.0, true),
        3.0);
  });
}

TEST(Recorded, FunctionsThatAreCalledAreThoseOfDualNumbers) {
  const std::vector<double> moderate{-7.3, -2.2, -1.0, -0.3, 0.0, 1e-9, 0.4, 1.0, 2.7, 11.0};
  at_all("expm1", moderate, [](const auto& x) { return expm1(x); });
  at_all("cbrt", moderate, [](const auto& x) { return cbrt(x); });
  at_all("sin", moderate, [](const auto& x) { return sin(x); });
  at_all("cos", moderate, [](const auto& x) { return cos(x); });
  at_all("tan", moderate, [](const auto& x) { return tan(x); });
  at_all("atan", moderate, [](const auto& x) { return atan(x); });
  at_all("sinh", moderate, [](const auto& x) { return sinh(x); });
  at_all("cosh", moderate, [](const auto& x) { return cosh(x); });
  at_all("tanh", moderate, [](const auto& x) { return tanh(x); });
  at_all("asinh", moderate, [](const auto& x) { return asinh(x); });
  at_all("erf", moderate, [](const auto& x) { return erf(x); });
  at_all("erfc", moderate, [](const auto& x) { return erfc(x); });
  at_all("Phi", moderate, [](const auto& x) { return Phi(x); });
  at_all("lgamma", moderate, [](const auto& x) { return lgamma(x); });
  at_all("digamma", {0.1, 1.0, 3.3, 40.0}, [](const auto& x) { return digamma(x); });
  at_all("acosh", {1.0, 1.001, 7.0}, [](const auto& x) { return acosh(x); });
  at_all("asin", fractions, [](const auto& x) { return asin(x); });
  at_all("acos", fractions, [](const auto& x) { return acos(x); });
  at_all("atanh", fractions, [](const auto& x) { return atanh(x); });
  for (const double c : {0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0, 0.5, 2.5, -0.3})
    at_all("power", {1e-9, 0.3, 1.0, 2.7}, [c](const auto& x) { return pow(x, c); });
  at_all("power of a constant", moderate, [](const auto& x) { return pow(2.5, x); });
}

TEST(Recorded, FunctionsOfTwoNumbersAreThoseOfDualNumbers) {
  for (const double x : {-2.0, 0.3, 0.3, 4.0})
    for (const double y : {-1.5, 0.3, 2.0}) {
      expect_as_forward([](const auto& q) { return max(q[0], q[1]); }, {x, y}, "max");
      expect_as_forward([](const auto& q) { return min(q[0], q[1]); }, {x, y}, "min");
      expect_as_forward([](const auto& q) { return fmax(1.0, q[0]) + fmin(q[1], 1.0); }, {x, y}, "fmax, fmin");
      expect_as_forward([](const auto& q) { return hypot(q[0], q[1]); }, {x, y}, "hypot");
      expect_as_forward([](const auto& q) { return atan2(q[0], q[1]); }, {x, y}, "atan2");
      expect_as_forward([](const auto& q) { return log_sum_exp(q[0], q[1]); }, {x, y}, "log_sum_exp");
      expect_as_forward([](const auto& q) { return log_inv_logit(q[0] - q[1]); }, {x, y}, "log_inv_logit");
      expect_as_forward([](const auto& q) { return pow(q[0] * q[0], q[1]); }, {x, y}, "pow");
    }
}

/// Sums that grow, branch off, are reused, scaled, moved, added to themselves.
TEST(Recorded, SumsAreGatheredWithoutLosingATerm) {
  const auto walk = [](const auto& q) {
    using Number = ScalarOf<decltype(q)>;
    Number position = 1.5, sum = 0.0;
    std::vector<Number> past;
    for (const auto& x : q) {
      position += 0.5 * x;
      past.push_back(position);
      sum -= position * position;
    }
    for (std::size_t k = past.size(); k-- > 0;) sum += 0.1 * sin(past[k] - 2.0);
    const Number half = past[past.size() / 2], doubled = half + half;
    sum += doubled * (3.0 - past.back()) - (past[1] + q[0]) * (past[1] - q[0]);
    sum = 1.0 + (q[0] - (2.0 - sum)) / 3.0;
    sum += q[1] / (-4.0 * exp(q[0])) - 3.0 * (q[0] + 2.0 * q[1]);  // multiples of a divisor and of a short sum
    return sum - 0.25 * sum * q[1] + (q[1] + sum) / (2.0 + q[0] * q[0]) - (-sum);
  };
  for (const std::size_t n : {3U, 8U, 9U, 10U, 40U}) {
    std::vector<double> q(n);
    for (std::size_t j = 0; j < n; ++j) q[j] = std::sin(1.0 + static_cast<double>(j));
    on_every_cpu([&](CpuKind) { expect_as_forward(walk, q, "walk", 1e-13); });
  }
}

TEST(Recorded, TermsOfTheSameNodeAreOne) {
  const auto f = [](const auto& q) {
    ScalarOf<decltype(q)> sum = 0.0;
    for (int k = 0; k < 30; ++k) sum += q[0] * q[0] - log(q[1]) - 0.5 * q[0] + (q[1] - q[1]);
    return sum;
  };
  expect_as_forward(f, {0.7, 1.3}, "repeated", 1e-14);
}

TEST(Recorded, ConstantsAndUnusedVariablesHaveNoGradient) {
  expect_as_forward([](const auto& q) { return ScalarOf<decltype(q)>(3.5); }, {1.0, 2.0}, "constant");
  expect_as_forward([](const auto& q) { return 0.0 * q[0] + 2.0; }, {1.0, 2.0}, "zero");
  expect_as_forward(
      [](const auto& q) {
        const auto unused = exp(q[0]);
        (void)unused;
        return q[1] * ScalarOf<decltype(q)>(exp(ScalarOf<decltype(q)>(2.0)));
      },
      {1.0, 2.0}, "unused");
}

TEST(Recorded, WhatDoesNotCountSpoilsNothing) {
  const auto f = [](const auto& q) {
    return max(sqrt(q[0]), q[1]) + q[0] * q[1];
  };  // the slope of sqrt is infinite at 0
  const Evaluated got = evaluate(FunctionModel::recorded(2, f), testing::as_batch({0.0, 2.0}));
  EXPECT_EQ(got.gradient(0, 0), 2.0);
  EXPECT_EQ(got.gradient(1, 0), 1.0);
}

/// Another sum on each side of 0, and as many rounds as it takes: a function that branches on its variables.
const auto branching = [](const auto& q) {
  ScalarOf<decltype(q)> root = 1.0 + abs(q[1]);  // Newton's iteration for the square root of |q₁| + ½
  for (int rounds = 0; abs(root * root - abs(q[1]) - 0.5) > 1e-12 && rounds < 100; ++rounds)
    root = 0.5 * (root + (abs(q[1]) + 0.5) / root);
  if (q[0] < 0.0) return -q[0] * q[0] * root;
  return -3.0 * q[0] * root + (q[2] == 0.25 ? 1.0 : q[2]);
};

TEST(Recorded, LanesThatBranchOtherwiseAreRecordedAnew) {
  on_every_cpu([](CpuKind) {
    const OwnedBatch q = testing::normal_points(3, 23, 2.0, 4);
    const FunctionModel model = FunctionModel::recorded(3, branching);
    const Evaluated got = evaluate(model, q);
    Differentiated<decltype(branching)> forward(branching);
    for (Index l = 0; l < 23; ++l) {
      const std::vector<double> at = testing::lane_of(q, l);
      std::vector<double> gradient(3);
      EXPECT_NEAR(got.log_density[static_cast<std::size_t>(l)], forward(at, gradient), 1e-12);
      for (Index j = 0; j < 3; ++j) EXPECT_NEAR(got.gradient(j, l), gradient[static_cast<std::size_t>(j)], 1e-12);
    }
  });
}

TEST(Recorded, LanesDependNeitherOnOthersNorOnThePast) {
  const OwnedBatch q = testing::normal_points(3, 23, 2.0, 4);
  const FunctionModel model = FunctionModel::recorded(3, branching);
  const auto used = model.make_evaluator();
  const Evaluated block = evaluate(*used, q);
  for (const std::uint64_t seed : {5U, 6U, 7U}) evaluate(*used, testing::normal_points(3, 5, 3.0, seed));
  for (Index l = 0; l < 23; ++l) {
    const std::vector<double> at = testing::lane_of(q, l);
    const Evaluated fresh = evaluate(FunctionModel::recorded(3, branching), testing::as_batch(at));
    const Evaluated later = evaluate(*used, testing::as_batch(at));
    for (const Evaluated* other : {&fresh, &later}) {
      EXPECT_EQ(other->log_density[0], block.log_density[static_cast<std::size_t>(l)]);
      for (Index j = 0; j < 3; ++j) EXPECT_EQ(other->gradient(j, 0), block.gradient(j, l));
    }
  }
}

/// A replay must have the answers of the recording even where numbers are equal up to rounding.
TEST(Recorded, ComparisonsOfNearlyEqualNumbersStayAsRecorded) {
  const auto f = [](const auto& q) {
    ScalarOf<decltype(q)> sum = 0.0, other = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) sum += 0.1 * q[j], other += 0.1 * q[q.size() - 1 - j];
    return sum < other ? exp(log(q[0])) < q[0] ? sum : 2.0 * sum : exp(log(q[1])) < q[1] ? 3.0 * sum : 4.0 * sum;
  };
  on_every_cpu([&](CpuKind) {
    const FunctionModel model = FunctionModel::recorded(12, f);
    const auto evaluator = model.make_evaluator();
    OwnedBatch q = testing::normal_points(12, 200, 1.0, 8);
    for (Index j = 0; j < 12; ++j)
      for (Index l = 0; l < 200; ++l) q(j, l) = std::abs(q(j, l));
    const Evaluated got = evaluate(*evaluator, q);
    for (Index l = 0; l < 200; ++l) {
      const Evaluated alone = evaluate(FunctionModel::recorded(12, f), testing::as_batch(testing::lane_of(q, l)));
      ASSERT_EQ(alone.log_density[0], got.log_density[static_cast<std::size_t>(l)]);
    }
  });
}

/// A function that counts its calls, which copies share.
template <class F>
struct Counting {
  F f;
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  auto operator()(const auto& q) const {
    ++*calls;
    return f(q);
  }
};

TEST(Recorded, FunctionWithoutBranchesIsRecordedOnce) {
  const Counting counting{.f = [](const auto& q) { return max(q[0], 0.0) - abs(q[1]) - min(q[0], q[1]); }};
  const auto model = differentiate(2, counting);
  for (const std::uint64_t seed : {1U, 2U, 3U}) evaluate(model, testing::normal_points(2, 9, 1.0, seed));
  EXPECT_EQ(*counting.calls, 1);
}

TEST(Recorded, EveryPathIsRecordedOnce) {
  const Counting counting{.f = [](const auto& q) { return q[0] < 0.0 ? q[0] : q[1] > 1.0 ? q[1] : -q[0]; }};
  const auto model = FunctionModel::recorded(2, counting);
  for (const std::uint64_t seed : {1U, 2U, 3U}) evaluate(model, testing::normal_points(2, 20, 2.0, seed));
  EXPECT_EQ(*counting.calls, 3);
}

TEST(Recorded, RefusesPointsAsTheFunctionDoes) {
  const Counting counting{.f = [](const auto& q) {
    if (q[0] < 0.0) throw Reject("outside");
    return -q[0];
  }};
  const auto model = FunctionModel::recorded(1, counting);
  const auto evaluator = model.make_evaluator();
  const OwnedBatch q = testing::normal_points(1, 9, 1.0, 3);
  for (int again = 0; again < 3; ++again) {
    const Evaluated got = evaluate(*evaluator, q);
    for (Index l = 0; l < 9; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      EXPECT_EQ(got.status[lane], q(0, l) < 0.0 ? Status::model_error : Status::ok);
      EXPECT_EQ(std::isnan(got.log_density[lane]), q(0, l) < 0.0);
      EXPECT_EQ(std::isnan(got.gradient(0, l)), q(0, l) < 0.0);
      if (got.status[lane] == Status::ok) {
        EXPECT_EQ(got.log_density[lane], -q(0, l));
      }
    }
  }
  EXPECT_EQ(*counting.calls, 2);
}

TEST(Recorded, LooksAtNumbersThatAreNotFinite) {
  const auto f = [](const auto& q) {
    const auto e = exp(q[0]);
    if (!isfinite(e)) throw Reject("too large");
    return isnan(log(q[1])) ? e : e + log(q[1]);
  };
  const auto model = FunctionModel::recorded(2, f);
  EXPECT_EQ(evaluate(model, testing::as_batch({800.0, 1.0})).status[0], Status::model_error);
  EXPECT_EQ(evaluate(model, testing::as_batch({0.0, -1.0})).log_density[0], 1.0);
  EXPECT_EQ(evaluate(model, testing::as_batch({0.0, 1.0})).log_density[0], 1.0);
}

TEST(Recorded, PointsThatAreNotFiniteHaveNoAnswer) {
  const auto model = FunctionModel::recorded(2, [](const auto& q) { return 0.0 * q[0] + q[1]; });
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    const Evaluated got = evaluate(model, testing::as_batch({bad, 1.0}));
    EXPECT_EQ(got.status[0], Status::ok);
    EXPECT_TRUE(std::isnan(got.log_density[0]));
    EXPECT_TRUE(std::isnan(got.gradient(1, 0)));
  }
}

TEST(Recorded, ThreadsShareWhatIsRecorded) {
  const FunctionModel model = FunctionModel::recorded(3, branching);
  const OwnedBatch q = testing::normal_points(3, 40, 2.0, 9);
  const Evaluated expected = evaluate(FunctionModel::recorded(3, branching), q);
  std::vector<Evaluated> got(4);
  {
    std::vector<std::jthread> threads;
    for (Evaluated& mine : got)
      threads.emplace_back([&] {
        const auto evaluator = model.make_evaluator();
        for (int again = 0; again < 20; ++again) mine = evaluate(*evaluator, q);
      });
  }
  for (const Evaluated& mine : got) EXPECT_EQ(mine.log_density, expected.log_density);
}

TEST(Differentiate, FunctionsWithAnotherPathAtEveryPointUseDualNumbersInFewDimensions) {
  const auto many_branches = [](const auto& q) {
    ScalarOf<decltype(q)> sum = 0.0;
    for (int k = -10; k < 10; ++k) sum -= q[0] < 0.1 * k ? q[0] * q[0] : q[1] < 0.1 * k ? q[1] * q[1] : 0.3 * q[0];
    return sum;
  };
  EXPECT_EQ(differentiate(2, many_branches).traits().least_lanes, 1);
  EXPECT_EQ(differentiate(64, many_branches).traits().least_lanes, 1);
  EXPECT_EQ(differentiate(65, many_branches).traits().least_lanes, 4);
  EXPECT_EQ(differentiate(2, [](const auto& q) { return q[0] < 0.0 ? q[0] : q[1]; }).traits().least_lanes, 4);
}

TEST(Differentiate, RefusesAnEmptyFunction) {
  EXPECT_EQ(message_of<InputError>([] { (void)FunctionModel::recorded(1, nullptr); }),
            "f: an empty function, must be a log density");
  EXPECT_EQ(message_of<InputError>([] { (void)differentiate(0, branching); }), "dimension = 0: must be at least 1");
}

}  // namespace
}  // namespace darboux
