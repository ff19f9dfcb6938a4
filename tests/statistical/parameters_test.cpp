#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <darboux/diagnose/summary.hpp>
#include <darboux/model/parameters.hpp>
#include <darboux/run/sample.hpp>
#include <numbers>

/// Draws of constrained parameters have the moments of the distributions that were asked for: a wrong Jacobian would give others.
namespace darboux {
namespace {

/// f of every draw, summarised: its mean and Monte Carlo error.
template <class F>
Summary summary_of(const Draws& draws, const std::vector<std::string>& names, F f) {
  std::vector<ChainDraws> columns;
  for (const std::string& name : names) columns.push_back(draws[name]);
  std::vector<double> values;
  for (std::size_t chain = 0; chain < columns[0].chains(); ++chain)
    for (std::size_t i = 0; i < columns[0].length(); ++i) {
      std::vector<double> at;
      for (const ChainDraws& column : columns) at.push_back(column[chain][i]);
      values.push_back(f(at));
    }
  return summarise(ChainDraws(values, columns[0].chains()));
}

void expect_moments(const Draws& draws, const std::string& name, double mean, double square) {
  const Summary first = summary_of(draws, {name}, [](const auto& x) { return x[0]; });
  const Summary second = summary_of(draws, {name}, [](const auto& x) { return x[0] * x[0]; });
  EXPECT_LT(std::abs(first.mean - mean), 4.0 * first.mcse_mean) << name;
  EXPECT_LT(std::abs(second.mean - square), 4.0 * second.mcse_mean) << name;
  EXPECT_LT(first.mcse_mean, 0.05 * std::sqrt(square)) << name << ": too few draws to tell";
}

TEST(ConstrainedParameters, HaveTheMomentsOfTheirDistributions) {
  const auto model = differentiate(
      Parameters(parameter("a", at_least(2.0)), parameter("b", at_most(-1.0)), parameter("c", between(-1.0, 3.0)),
                 parameter("p", 3, simplex), parameter("o", 3, ordered), parameter("e", 3, positive_ordered),
                 parameter("L", 3, cholesky_correlation), parameter("z", 2)),
      [](const auto& a, const auto& b, const auto& /*c: uniform*/, const auto& p, const auto& o, const auto& e,
         const auto& L, const auto& z) {
        using std::log;
        auto sum = b - a - 0.5 * (z[0] * z[0] + z[1] * z[1]) + log(L(1, 1));  // exponential, normal, LKJ(1)
        const std::array dirichlet{2.0, 3.0, 5.0};
        for (std::size_t k = 0; k < 3; ++k) sum += (dirichlet[k] - 1.0) * log(p[k]) - 0.5 * o[k] * o[k] - e[k];
        return sum;
      });
  const Draws draws = sample(model, {.draws = 2000, .seed = 1});
  expect_moments(draws, "a", 3.0, 10.0);
  expect_moments(draws, "b", -2.0, 5.0);
  expect_moments(draws, "c", 1.0, 1.0 + 16.0 / 12.0);
  expect_moments(draws, "p[1]", 0.2, 6.0 / 110.0);
  expect_moments(draws, "p[2]", 0.3, 12.0 / 110.0);
  expect_moments(draws, "p[3]", 0.5, 30.0 / 110.0);
  const double outer = 1.5 * std::numbers::inv_sqrtpi, middle = 1.0 - std::numbers::sqrt3 / std::numbers::pi;
  expect_moments(draws, "o[1]", -outer, (3.0 - middle) / 2.0);
  expect_moments(draws, "o[2]", 0.0, middle);
  expect_moments(draws, "o[3]", outer, (3.0 - middle) / 2.0);
  expect_moments(draws, "e[1]", 1.0 / 3.0, 2.0 / 9.0);
  expect_moments(draws, "e[2]", 5.0 / 6.0, 1.0 / 9.0 + 1.0 / 4.0 + 25.0 / 36.0);
  expect_moments(draws, "e[3]", 11.0 / 6.0, 1.0 / 9.0 + 1.0 / 4.0 + 1.0 + 121.0 / 36.0);
  expect_moments(draws, "z[2]", 0.0, 1.0);
  // Of LKJ(1) in three dimensions every correlation has the density of 2 Beta(3/2, 3/2) − 1, with variance 1/4.
  expect_moments(draws, "L[2,1]", 0.0, 0.25);
  expect_moments(draws, "L[3,1]", 0.0, 0.25);
  const Summary square = summary_of(draws, {"L[2,1]", "L[3,1]", "L[2,2]", "L[3,2]"}, [](const auto& L) {
    const double correlation = L[0] * L[1] + L[2] * L[3];
    return correlation * correlation;
  });
  EXPECT_LT(std::abs(square.mean - 0.25), 4.0 * square.mcse_mean);
}

constexpr std::array y{28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0};
constexpr std::array sigma{15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0};

/// E μ, E log τ and E θ_1 of eight schools, with μ and θ integrated analytically given τ and τ by a sum over log τ.
std::array<double, 3> eight_schools_by_quadrature() {
  double total = 0.0;
  std::array<double, 3> sums{};
  for (double log_tau = -14.0; log_tau < 7.0; log_tau += 1e-3) {
    const double tau = std::exp(log_tau);
    double precision = 1.0 / 25.0, weighted = 0.0, squares = 0.0, log_weight = log_tau - std::log1p(tau * tau / 25.0);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double w = 1.0 / (sigma[j] * sigma[j] + tau * tau);
      precision += w;
      weighted += w * y[j];
      squares += w * y[j] * y[j];
      log_weight += 0.5 * std::log(w);
    }
    const double mu = weighted / precision;
    const double weight = std::exp(log_weight - 0.5 * std::log(precision) - 0.5 * (squares - weighted * mu));
    const double pull = tau * tau / (tau * tau + sigma[0] * sigma[0]);
    total += weight;
    sums[0] += weight * mu;
    sums[1] += weight * log_tau;
    sums[2] += weight * (mu + pull * (y[0] - mu));
  }
  return {sums[0] / total, sums[1] / total, sums[2] / total};
}

TEST(ConstrainedParameters, EightSchoolsHaveTheirPosterior) {
  const auto model = differentiate(Parameters(parameter("mu"), parameter("tau", positive), parameter("eta", 8)),
                                   [](const auto& mu, const auto& tau, const auto& eta) {
                                     using std::log1p;
                                     auto sum = -0.5 * mu * mu / 25.0 - log1p(tau * tau / 25.0);
                                     for (std::size_t j = 0; j < y.size(); ++j) {
                                       const auto z = (y[j] - mu - tau * eta[j]) / sigma[j];
                                       sum -= 0.5 * (eta[j] * eta[j] + z * z);
                                     }
                                     return sum;
                                   });
  const Draws draws = sample(model, {.draws = 2000, .seed = 1});
  const auto [mu, log_tau, theta] = eight_schools_by_quadrature();
  const auto expect = [](const Summary& found, double mean, const char* what) {
    EXPECT_LT(std::abs(found.mean - mean), 4.0 * found.mcse_mean) << what;
  };
  expect(summary_of(draws, {"mu"}, [](const auto& x) { return x[0]; }), mu, "mu");
  expect(summary_of(draws, {"tau"}, [](const auto& x) { return std::log(x[0]); }), log_tau, "log tau");
  expect(summary_of(draws, {"mu", "tau", "eta[1]"}, [](const auto& x) { return x[0] + x[1] * x[2]; }), theta, "theta");
}

}  // namespace
}  // namespace darboux
