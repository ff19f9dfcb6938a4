#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "darboux/model/differentiate.hpp"
#include "darboux/model/logistic_regression.hpp"
#include "model/banana.hpp"
#include "model/eight_schools.hpp"
#include "model/fitzhugh_nagumo.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/logistic_data.hpp"
#include "model/mixture.hpp"
#include "model/skewed.hpp"
#include "model/student_t.hpp"
#include "model/whitened.hpp"

namespace darboux::testing {

/// A model, and its log density written a second time, as plainly as possible, with the gradient by dual numbers.
struct ModelCase {
  std::string name;
  std::shared_ptr<const Model> model;
  LogDensityFunction restated;  // up to a constant
  std::vector<double> scales;   // sizes of the points to try
  double tolerance = 1e-13;     // of the gradient, relative to its largest entry
};

inline std::ostream& operator<<(std::ostream& out, const ModelCase& which) { return out << which.name; }

template <class M, class F>
ModelCase model_case(std::string name, M model, F restated, std::vector<double> scales) {
  return {std::move(name), std::make_shared<const M>(std::move(model)), Differentiated<F>(std::move(restated)),
          std::move(scales)};
}

/// log of the normal density, constants included.
template <class Number, class Mean>
auto log_normal(const Number& x, const Mean& mean, double sd) {
  const auto z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2.0 * std::numbers::pi);
}

inline constexpr double logistic_features[6][2] = {{0.3, -1.2}, {2.0, 0.1}, {-0.7, 0.4},
                                                   {-1.1, 1.5}, {0.2, 0.9}, {1.4, -2.2}};
inline constexpr double logistic_labels[6] = {0, 1, 1, 0, 1, 0};

template <class M = LogisticRegression>
M small_logistic(const LogisticOptions& options) {
  Matrix x(6, 2);
  std::vector<double> y;
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 2; ++j) x(i, j) = logistic_features[i][j];
    y.push_back(logistic_labels[i]);
  }
  return {x, y, options};
}

/// Bernoulli likelihood of the small data set with success probability 1/(1 + e^{−η}), and the normal prior.
template <class Point>
auto restated_logistic(const Point& q, bool intercept, double prior_scale, double prior_intercept) {
  using std::exp, std::log;
  ScalarOf<Point> sum = 0.0;
  for (int i = 0; i < 6; ++i) {
    const std::size_t first = intercept ? 1 : 0;
    const auto eta =
        (intercept ? q[0] : 0.0 * q[0]) + logistic_features[i][0] * q[first] + logistic_features[i][1] * q[first + 1];
    sum += logistic_labels[i] * eta - log(1.0 + exp(eta));
  }
  for (std::size_t j = 0; j < q.size(); ++j)
    sum += log_normal(q[j], 0.0, intercept && j == 0 ? prior_intercept : prior_scale);
  return sum;
}

/// The same regression of (x − mean)/sd, with the mean only where there is an intercept.
template <class Point>
auto restated_standardised_logistic(const Point& q, bool intercept, double prior_scale, double prior_intercept) {
  std::vector<ScalarOf<Point>> beta(q.begin(), q.end());
  for (std::size_t j = 0; j < 2; ++j) {
    double sum = 0.0, squares = 0.0;
    for (const auto& row : logistic_features) sum += row[j], squares += row[j] * row[j];
    const double mean = sum / 6.0, sd = std::sqrt(squares / 6.0 - mean * mean);
    const auto slope = q[j + (intercept ? 1 : 0)] / sd;
    beta[j + (intercept ? 1 : 0)] = slope;
    if (intercept) beta[0] -= mean * slope;
  }
  auto sum = restated_logistic(beta, intercept, 1e200, 1e200);
  for (std::size_t j = 0; j < q.size(); ++j)
    sum += log_normal(q[j], 0.0, intercept && j == 0 ? prior_intercept : prior_scale);
  return sum;
}

/// Normal and Cauchy densities as they are, with the Jacobian of τ = exp(ℓ); theta(j) is θ_j.
template <class Point, class Theta>
auto restated_eight_schools(const Point& q, const Theta& theta, bool centred) {
  using std::exp, std::log;
  constexpr double y[8] = {28, 8, -3, 7, -1, 1, 18, 12}, se[8] = {15, 10, 16, 11, 9, 11, 10, 18};
  const auto tau = exp(q[1]);
  auto sum = log_normal(q[0], 0.0, 5.0) - log(1.0 + (tau / 5.0) * (tau / 5.0)) + q[1];
  for (std::size_t j = 0; j < 8; ++j) {
    sum += log_normal(theta(j), y[j], se[j]);
    const auto z = centred ? (q[2 + j] - q[0]) / tau : 1.0 * q[2 + j];
    sum += -0.5 * z * z - (centred ? log(tau) : 0.0 * tau);
  }
  return sum;
}

inline constexpr double neuron_data[6][3] = {{0.0, -1.1, 0.9}, {0.3, 0.2, 1.0},  {0.75, 1.9, 0.8},
                                             {1.2, 2.1, 0.4},  {2.0, 1.6, -0.1}, {3.1, 0.9, -0.7}};

inline FitzHughNagumo small_fitzhugh_nagumo() {
  FitzHughNagumoData data;
  for (const auto& row : neuron_data) {
    data.times.push_back(row[0]);
    data.V.push_back(row[1]);
    data.R.push_back(row[2]);
  }
  return FitzHughNagumo(data);
}

/// Runge-Kutta for (V, R) as a pair, in the model's steps; likelihood and prior as normal densities with variance ½.
template <class Point>
auto restated_fitzhugh_nagumo(const Point& q) {
  using Number = ScalarOf<Point>;
  struct Pair {
    Number V, R;
    Pair plus(double h, const Pair& k) const { return {V + h * k.V, R + h * k.R}; }
  };
  const auto slope = [&](const Pair& y) {
    return Pair{q[2] * (y.V - pow(y.V, 3) / 3.0 + y.R), -(y.V - q[0] + q[1] * y.R) / q[2]};
  };
  const double sd = std::sqrt(0.5);
  Pair y{-1.0, 1.0};
  double t = 0.0;
  auto sum = log_normal(q[0], 0.0, sd) + log_normal(q[1], 0.0, sd) + log_normal(q[2], 0.0, sd);
  for (const auto& row : neuron_data) {
    const long steps = std::lround(std::ceil((row[0] - t) / FitzHughNagumo::longest_step - 1e-9));
    const double h = (row[0] - t) / static_cast<double>(steps);
    for (long k = 0; k < steps; ++k) {
      const Pair k1 = slope(y), k2 = slope(y.plus(h / 2.0, k1)), k3 = slope(y.plus(h / 2.0, k2)),
                 k4 = slope(y.plus(h, k3));
      y = y.plus(h / 6.0, k1).plus(h / 3.0, k2).plus(h / 3.0, k3).plus(h / 6.0, k4);
    }
    t = row[0];
    sum += log_normal(y.V, row[1], sd) + log_normal(y.R, row[2], sd);
  }
  return sum;
}

/// q₁ ~ N(0, s²), q₂ | q₁ ~ N(b(q₁² − s²), 1), the others N(0, 1).
template <class Point>
auto restated_banana(const Point& q, double s, double b) {
  auto sum = log_normal(q[0], 0.0, s) + log_normal(q[1], b * (pow(q[0], 2) - s * s), 1.0);
  for (std::size_t j = 2; j < q.size(); ++j) sum += log_normal(q[j], 0.0, 1.0);
  return sum;
}

template <class Point>
auto restated_skewed(const Point& q) {
  using std::exp;
  ScalarOf<Point> sum = 0.0;
  for (const auto& x : q) sum -= exp(x) - x;
  return sum;
}

/// Along one of two paths.
inline constexpr auto branching = [](const auto& q) {
  using std::abs, std::log, std::max;
  const ScalarOf<decltype(q)> sum = -abs(q[0]) - q[1] * q[1] - max(q[0], q[1]) * 0.25;
  return q[0] < q[1] ? sum : sum - log(1.0 + (q[0] - q[1]) * (q[0] - q[1]));
};

inline std::vector<ModelCase> gaussian_cases() {
  const Matrix precision{{2.0, -0.5, 0.3}, {-0.5, 1.5, 0.2}, {0.3, 0.2, 0.8}};
  const auto quadratic = [=](const auto& q) {
    const double mean[3] = {1.0, -2.0, 0.5};
    auto sum = 0.0 * q[0];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        sum -= 0.5 * (q[i] - mean[i]) * precision(static_cast<Index>(i), static_cast<Index>(j)) * (q[j] - mean[j]);
    return sum;
  };
  const auto correlated = [](const auto& q) {  // two variables with sd 2 and 3 and correlation 0.8, as in textbooks
    const auto x = (q[0] - 0.5) / 2.0, y = (q[1] + 1.0) / 3.0;
    return -(x * x - 2.0 * 0.8 * x * y + y * y) / (2.0 * (1.0 - 0.8 * 0.8));
  };
  const auto independent = [](const auto& q) { return log_normal(q[0], 4.0, 0.01) + log_normal(q[1], -1.0, 20.0); };
  const auto standard = [](const auto& q) {
    auto sum = log_normal(q[0], 0.0, 1.0);
    for (std::size_t j = 1; j < q.size(); ++j) sum += log_normal(q[j], 0.0, 1.0);
    return sum;
  };
  return {
      model_case("gaussian_precision", Gaussian::from_precision({1.0, -2.0, 0.5}, precision), quadratic, {1.0, 100.0}),
      model_case("gaussian_covariance", Gaussian::from_covariance({0.5, -1.0}, {{4.0, 4.8}, {4.8, 9.0}}), correlated,
                 {0.1, 1.0, 50.0}),
      model_case("gaussian_scales", Gaussian::from_scales({4.0, -1.0}, {0.01, 20.0}), independent, {1.0, 10.0}),
      model_case("gaussian_standard", Gaussian::standard(5), standard, {0.01, 1.0, 100.0})};
}

inline std::vector<ModelCase> toy_cases() {
  const auto binding = [](const auto& q) {
    using std::exp, std::log;
    const auto right = log_normal(q[0], 2.5, 1.0) + log_normal(q[1], -2.5, 1.0);
    const auto left = log_normal(q[0], -2.5, 1.0) + log_normal(q[1], 2.5, 1.0);
    return log(0.5 * exp(right) + 0.5 * exp(left));
  };
  const auto uneven = [](const auto& q) {
    using std::exp, std::log;
    const double center[3][3] = {{0.0, 1.0, 2.0}, {-1.0, 0.5, 0.0}, {3.0, -1.0, -2.0}}, weight[3] = {0.2, 0.5, 0.3};
    auto sum = 0.0 * q[0];
    for (int k = 0; k < 3; ++k)
      sum += weight[k] * exp(log_normal(q[0], center[k][0], 0.7) + log_normal(q[1], center[k][1], 0.7) +
                             log_normal(q[2], center[k][2], 0.7));
    return log(sum);
  };
  const auto funnel = [](const auto& q) {
    using std::exp;
    auto sum = log_normal(q[0], 0.0, 3.0);
    for (std::size_t j = 1; j < q.size(); ++j) sum += log_normal(q[j] / exp(q[0] / 2.0), 0.0, 1.0) - q[0] / 2.0;
    return sum;
  };
  const auto schools = [](const auto& q) {
    return restated_eight_schools(q, [&](std::size_t j) { return q[2 + j]; }, true);
  };
  const auto easy_schools = [](const auto& q) {
    using std::exp;
    return restated_eight_schools(q, [&](std::size_t j) { return q[0] + exp(q[1]) * q[2 + j]; }, false);
  };
  const auto easy_funnel = [](const auto& q) {
    return log_normal(q[0], 0.0, 1.0) + log_normal(q[1], 0.0, 1.0) + log_normal(q[2], 0.0, 1.0);
  };
  const auto student = [](const auto& q) {
    using std::pow, std::log;
    const auto length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    return log(pow(1.0 + length / 4.0 / 5.0, -(5.0 + 3.0) / 2.0));
  };
  return {model_case("skewed", Skewed(3), [](const auto& q) { return restated_skewed(q); }, {0.1, 1.0, 5.0}),
          model_case("mixture", Mixture(), binding, {0.5, 3.0, 8.0}),
          model_case("mixture_uneven",
                     Mixture({2.0, 5.0, 3.0}, {{0.0, 1.0, 2.0}, {-1.0, 0.5, 0.0}, {3.0, -1.0, -2.0}}, 0.7), uneven,
                     {0.5, 2.0}),
          model_case("banana", Banana(4, 1.5, 0.3), [](const auto& q) { return restated_banana(q, 1.5, 0.3); },
                     {0.3, 2.0, 20.0}),
          model_case("funnel", Funnel(4), funnel, {0.5, 3.0}),
          model_case("eight_schools", EightSchools(EightSchools::Form::non_centred), easy_schools, {0.5, 2.0}),
          model_case("eight_schools_centred", EightSchools(EightSchools::Form::centred), schools, {0.5, 2.0}),
          model_case("funnel_non_centred", Funnel(3, Funnel::Form::non_centred), easy_funnel, {1.0, 10.0}),
          model_case("student_t", StudentT(3, 5.0, 2.0), student, {0.1, 2.0, 1e3})};
}

inline std::vector<ModelCase> general_cases() {
  const auto chained = [](const auto& q) {  // more coordinates than dual numbers carry at once
    using std::sin, std::exp;
    ScalarOf<decltype(q)> sum = 0.0;
    for (std::size_t j = 0; j + 1 < q.size(); ++j) sum -= pow(q[j + 1] - sin(q[j]), 2) + 0.1 * exp(0.5 * q[j]);
    return sum;
  };
  const auto by_hand = [](std::span<const double> q, std::span<double> gradient) {
    if (!gradient.empty()) {
      gradient[0] = -std::pow(q[0], 3);
      gradient[1] = -std::tanh(q[1]);
    }
    return -0.25 * std::pow(q[0], 4) - std::log(std::cosh(q[1]));
  };
  const auto by_hand_again = [](const auto& q) {
    using std::cosh, std::log;
    return -0.25 * q[0] * q[0] * q[0] * q[0] - log(cosh(q[1]));
  };
  const auto bent_banana = [](const auto& x) {
    const std::vector<ScalarOf<decltype(x)>> q{0.5 + 2.0 * x[0] + 0.3 * x[1], -1.0 + 0.7 * x[0] - 1.5 * x[1]};
    return restated_banana(q, 2.0, 0.5);
  };
  const auto scaled_skewed = [](const auto& x) {
    return restated_skewed(std::vector<ScalarOf<decltype(x)>>{0.5 + 2.0 * x[0], -1.0 + 0.25 * x[1]});
  };
  const auto stretched_skewed = [](const auto& x) {
    using Scalar = ScalarOf<decltype(x)>;
    const Scalar more = 2.0 * (0.6 * x[0] + 0.8 * x[1]);
    return restated_skewed(std::vector<Scalar>{0.5 + 2.0 * (x[0] + 0.6 * more), -1.0 + 0.25 * (x[1] + 0.8 * more)});
  };
  const auto moved_skewed = [](const auto& x) {
    return restated_skewed(std::vector<ScalarOf<decltype(x)>>{0.5 + x[0], -1.0 + x[1]});
  };
  const auto skewed = std::make_shared<const Skewed>(2);
  return {
      model_case("logistic", small_logistic({.prior_scale = 1.5}),
                 [](const auto& q) { return restated_logistic(q, true, 1.5, 1.5); }, {0.3, 3.0, 30.0}),
      model_case("logistic_with_prior_of_intercept", small_logistic({.prior_scale = 0.7, .prior_intercept = 4.0}),
                 [](const auto& q) { return restated_logistic(q, true, 0.7, 4.0); }, {0.3, 3.0}),
      model_case("logistic_without_intercept", small_logistic({.intercept = false}),
                 [](const auto& q) { return restated_logistic(q, false, 1.0, 1.0); }, {0.3, 3.0}),
      model_case("differentiated", differentiate(19, chained), chained, {0.5, 3.0}),
      model_case("differentiated_with_branches", differentiate(2, branching), branching, {0.5, 3.0}),
      model_case("function", FunctionModel(2, by_hand), by_hand_again, {0.5, 3.0}),
      model_case(
          "whitened_dense",
          Whitened(std::make_shared<const Banana>(), {0.5, -1.0}, StructuredMatrix::from({{2.0, 0.3}, {0.7, -1.5}})),
          bent_banana, {0.3, 3.0}),
      model_case(
          "whitened_low_rank",
          Whitened(skewed, {0.5, -1.0},
                   StructuredMatrix::from(LowRankMatrix(
                       {.after = {2.0, 0.25}, .directions = {{0.6, 0.8}}, .stretches = {3.0}, .before = {1.0, 1.0}}))),
          stretched_skewed, {0.3, 2.0}),
      model_case("whitened_diagonal", Whitened(skewed, {0.5, -1.0}, StructuredMatrix::diagonal({2.0, 0.25})),
                 scaled_skewed, {0.3, 2.0}),
      model_case("whitened_identity", Whitened(skewed, {0.5, -1.0}, StructuredMatrix::identity(2)), moved_skewed,
                 {0.3, 2.0})};
}

inline std::vector<ModelCase> bent_cases() {
  const auto bent_skewed = [](const auto& y) {
    using std::asinh, std::cosh, std::log, std::sinh, std::sqrt;
    using Scalar = ScalarOf<decltype(y)>;
    const Scalar w = (asinh(y[1]) + 0.6) / 0.8;
    const Scalar x = 0.2 + 0.5 * sinh(w);
    return restated_skewed(std::vector<Scalar>{0.5 + y[0] + 0.3 * x, -1.0 + 0.7 * x}) +
           log(0.5 * cosh(w) / (0.8 * sqrt(1.0 + y[1] * y[1])));
  };
  return {model_case(
      "whitened_bent",
      Whitened(std::make_shared<const Skewed>(2), {0.5, -1.0}, StructuredMatrix::from({{1.0, 0.3}, {0.0, 0.7}}),
               {{}, {.place = 0.2, .scale = 0.5, .skew = 0.6, .tail = 0.8}}),
      bent_skewed, {0.3, 2.0})};
}

inline std::vector<ModelCase> data_cases() {
  const auto neuron = [](const auto& x) {  // in coordinates that keep to where the solution stays bounded
    return restated_fitzhugh_nagumo(
        std::vector<ScalarOf<decltype(x)>>{0.2 + 0.1 * x[0], 0.2 + 0.2 * x[1], 3.0 + 0.2 * x[2]});
  };
  std::vector<ModelCase> out{
      model_case("logistic_standardised",
                 small_logistic<StandardisedLogistic>({.prior_scale = 1.5, .prior_intercept = 6.0}),
                 [](const auto& q) { return restated_standardised_logistic(q, true, 1.5, 6.0); }, {0.3, 3.0}),
      model_case("logistic_scaled", small_logistic<StandardisedLogistic>({.intercept = false}),
                 [](const auto& q) { return restated_standardised_logistic(q, false, 1.0, 1.0); }, {0.3, 3.0}),
      model_case("fitzhugh_nagumo",
                 Whitened(std::make_shared<const FitzHughNagumo>(small_fitzhugh_nagumo()), {0.2, 0.2, 3.0},
                          StructuredMatrix::diagonal({0.1, 0.2, 0.2})),
                 neuron, {0.3, 2.0})};
  out.back().tolerance = 1e-12;  // a few hundred steps, each with its rounding
  return out;
}

/// A new model belongs into one of the lists; all conformance tests then apply to it.
inline std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> out = gaussian_cases();
  for (auto cases : {toy_cases(), general_cases(), bent_cases(), data_cases()})
    for (ModelCase& which : cases) out.push_back(std::move(which));
  return out;
}

}  // namespace darboux::testing
