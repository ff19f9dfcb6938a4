#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/model/function_model.hpp>
#include <darboux/model/logistic_regression.hpp>
#include <numbers>

#include "known_law.hpp"
#include "model/banana.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/mixture.hpp"
#include "model/skewed.hpp"
#include "model/student_t.hpp"
#include "model/whitened.hpp"

namespace darboux::proofs {

namespace {

using std::numbers::pi;
using enum Quantity::Of;

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// ∫ f over the line, for f that is smooth and falls off like a Gaussian: the trapezoidal rule then errs by rounding alone.
template <class F>
double integral(const F& f, double from = -12.0, double to = 12.0, int cells = 4800) {
  const double h = (to - from) / cells;
  double sum = 0.5 * (f(from) + f(to));
  for (int i = 1; i < cells; ++i) sum += f(from + i * h);
  return h * sum;
}

/// E f(z), z standard normal.
template <class F>
double normal_mean(const F& f) {
  return integral([&](double z) { return f(z) * std::exp(-0.5 * z * z) / std::sqrt(2.0 * pi); });
}

void add_marginal(std::vector<Quantity>& all, Index i, const Marginal& m) {
  all.push_back({.of = position, .i = i, .mean = m.m1, .variance = m.m2 - m.m1 * m.m1});
  all.push_back({.of = product, .i = i, .j = i, .mean = m.m2, .variance = m.m4 - m.m2 * m.m2});
  all.push_back({.of = below, .i = i, .threshold = m.low, .mean = m.below, .variance = m.below * (1.0 - m.below)});
  all.push_back({.of = above, .i = i, .threshold = m.high, .mean = m.above, .variance = m.above * (1.0 - m.above)});
}

/// E q_i q_j and E (q_i q_j)².
void add_product(std::vector<Quantity>& all, Index i, Index j, double mean, double square) {
  all.push_back({.of = product, .i = i, .j = j, .mean = mean, .variance = square - mean * mean});
}

/// What there is to know where coordinates are independent; of many the first three.
void describe_independent(KnownLaw& law, const Marginal& m) {
  const Index known = std::min<Index>(law.dim(), 3);
  for (Index i = 0; i < known; ++i) {
    add_marginal(law.quantities, i, m);
    law.second.push_back(m.m2);
    for (Index j = 0; j < i; ++j) add_product(law.quantities, i, j, m.m1 * m.m1, m.m2 * m.m2);
  }
}

/// A model of independent coordinates from u(x, slope), the log density of one.
template <class LogDensity>
std::shared_ptr<const Model> independent(Index dim, LogDensity u) {
  return std::make_shared<FunctionModel>(dim, [u](std::span<const double> q, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      double slope = 0.0;
      sum += u(q[i], slope);
      if (!gradient.empty()) gradient[i] = slope;
    }
    return sum;
  });
}

/// Moments from cumulants.
Marginal from_cumulants(double k1, double k2, double k3, double k4) {
  return {.m1 = k1,
          .m2 = k2 + k1 * k1,
          .m3 = k3 + 3.0 * k2 * k1 + k1 * k1 * k1,
          .m4 = k4 + 4.0 * k3 * k1 + 3.0 * k2 * k2 + 6.0 * k2 * k1 * k1 + k1 * k1 * k1 * k1};
}

/// The k-th cumulant of the logarithm of a Gamma(n) variable, n whole: the polygamma function ψ⁽ᵏ⁻¹⁾(n).
double log_gamma_cumulant(int k, int n) {
  double sum = k == 1 ? -std::numbers::egamma : std::riemann_zeta(k);
  for (int i = 1; i < n; ++i) sum += (k == 1 ? 1.0 : -1.0) / std::pow(i, k);
  return k == 1 ? sum : (k % 2 == 0 ? 1.0 : -1.0) * std::tgamma(k) * sum;
}

/// log B/(1 − B) with B ~ Beta(a, b): the difference of the logarithms of two Gamma variables.
Marginal logit_beta(int a, int b) {
  std::array<double, 4> cumulant{};
  for (int k = 1; k <= 4; ++k)
    cumulant[static_cast<std::size_t>(k - 1)] =
        log_gamma_cumulant(k, a) + (k % 2 == 0 ? 1.0 : -1.0) * log_gamma_cumulant(k, b);
  return from_cumulants(cumulant[0], cumulant[1], cumulant[2], cumulant[3]);
}

KnownLaw gaussian() {
  const Matrix covariance{{1.0, 0.6, -0.3}, {0.6, 1.44, 0.2}, {-0.3, 0.2, 0.64}};
  // Its lower Cholesky factor.
  Matrix l(3, 3);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j <= i; ++j) {
      double rest = covariance(i, j);
      for (Index k = 0; k < j; ++k) rest -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
    }
  KnownLaw law{.name = "gaussian",
               .formula = "three dimensions, with correlations 0.5, −0.38 and 0.21",
               .model = std::make_shared<Gaussian>(Gaussian::from_covariance({0, 0, 0}, covariance)),
               .draw = [l](RandomStream& random, std::span<double> q) {
                 const std::array<double, 3> z{random.normal(), random.normal(), random.normal()};
                 for (Index i = 0; i < 3; ++i) {
                   double sum = 0.0;
                   for (Index k = 0; k <= i; ++k) sum += l(i, k) * z[static_cast<std::size_t>(k)];
                   q[static_cast<std::size_t>(i)] = sum;
                 }
               }};
  for (Index i = 0; i < 3; ++i) {
    const double v = covariance(i, i), edge = 2.0 * std::sqrt(v), beyond = normal_cdf(-2.0);
    add_marginal(law.quantities, i, {0.0, v, 0.0, 3.0 * v * v, -edge, beyond, edge, beyond});
    law.second.push_back(v);
    for (Index j = 0; j < i; ++j)
      add_product(law.quantities, i, j, covariance(i, j),
                  v * covariance(j, j) + 2.0 * covariance(i, j) * covariance(i, j));
  }
  return law;
}

KnownLaw skewed(const std::string& name, Index dim) {
  Marginal m = from_cumulants(log_gamma_cumulant(1, 1), log_gamma_cumulant(2, 1), log_gamma_cumulant(3, 1),
                              log_gamma_cumulant(4, 1));
  m.low = -3.0, m.below = -std::expm1(-std::exp(m.low));
  m.high = 1.0, m.above = std::exp(-std::exp(m.high));
  KnownLaw law{.name = name,
               .formula = std::to_string(dim) + " logarithms of exponential variables",
               .model = std::make_shared<Skewed>(dim),
               .draw = [](RandomStream& random, std::span<double> q) {
                 for (double& x : q) x = std::log(-std::log(random.uniform()));
               }};
  describe_independent(law, m);
  return law;
}

KnownLaw exponential_tails() {
  Marginal m = logit_beta(1, 1);
  m.low = -3.0, m.below = 1.0 / (1.0 + std::exp(3.0));
  m.high = 3.0, m.above = m.below;
  KnownLaw law{.name = "exponential-tails",
               .formula = "two logistic variables: tails like e^{−|q|}",
               .model = independent(2,
                                    [](double x, double& slope) {
                                      slope = -std::tanh(0.5 * x);
                                      return -std::abs(x) - 2.0 * std::log1p(std::exp(-std::abs(x)));
                                    }),
               .draw = [](RandomStream& random, std::span<double> q) {
                 for (double& x : q) {
                   const double u = random.uniform();
                   x = std::log(u) - std::log1p(-u);
                 }
               }};
  describe_independent(law, m);
  return law;
}

/// P(|T| ≤ t) of Student's t with an even number of degrees of freedom.
double student_t_within(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double c = std::cos(angle) * std::cos(angle);
  double term = 1.0, sum = 1.0;
  for (int k = 2; k < degrees; k += 2) sum += term *= c * (k - 1) / k;
  return std::sin(angle) * sum;
}

KnownLaw student_t() {
  constexpr int degrees = 12;
  constexpr double nu = degrees;
  const double v = nu / (nu - 2.0), scale4 = nu * nu / ((nu - 2.0) * (nu - 4.0));  // E λ, E λ² of q = z √λ
  const double beyond = 0.5 * (1.0 - student_t_within(2.2, degrees));
  KnownLaw law{.name = "student-t",
               .formula = "two dimensions with a common length, 12 degrees of freedom",
               .model = std::make_shared<StudentT>(2, nu),
               .draw =
                   [](RandomStream& random, std::span<double> q) {
                     double log_product = 0.0;  // χ² with 12 degrees of freedom is twice the sum of six exponentials
                     for (int k = 0; k < degrees / 2; ++k) log_product += std::log(random.uniform());
                     const double stretch = std::sqrt(nu / (-2.0 * log_product));
                     for (double& x : q) x = stretch * random.normal();
                   },
               .second = {v, v}};
  for (Index i = 0; i < 2; ++i) add_marginal(law.quantities, i, {0.0, v, 0.0, 3.0 * scale4, -2.2, beyond, 2.2, beyond});
  add_product(law.quantities, 0, 1, 0.0, scale4);
  return law;
}

KnownLaw mixture() {
  const std::vector<double> weights{0.7, 0.3};
  const std::vector<std::vector<double>> centers{{-0.9, 0.5}, {1.6, -0.8}};
  const double s = 0.8;
  KnownLaw law{.name = "mixture",
               .formula = "0.7 N((−0.9, 0.5), 0.8² I) + 0.3 N((1.6, −0.8), 0.8² I)",
               .model = std::make_shared<Mixture>(weights, centers, s),
               .draw = [=](RandomStream& random, std::span<double> q) {
                 const auto& center = centers[random.uniform() < weights[0] ? 0 : 1];
                 for (std::size_t i = 0; i < 2; ++i) q[i] = center[i] + s * random.normal();
               }};
  double mixed = 0.0, mixed_square = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    Marginal m{.low = i == 0 ? -2.2 : -1.8, .high = i == 0 ? 2.3 : 1.6};
    for (std::size_t k = 0; k < 2; ++k) {
      const double w = weights[k], c = centers[k][i];
      m.m1 += w * c;
      m.m2 += w * (c * c + s * s);
      m.m4 += w * (c * c * c * c + 6.0 * c * c * s * s + 3.0 * s * s * s * s);
      m.below += w * normal_cdf((m.low - c) / s);
      m.above += w * normal_cdf((c - m.high) / s);
    }
    add_marginal(law.quantities, static_cast<Index>(i), m);
    law.second.push_back(m.m2);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const double a = centers[k][0], b = centers[k][1];
    mixed += weights[k] * a * b;
    mixed_square += weights[k] * (a * a + s * s) * (b * b + s * s);
  }
  add_product(law.quantities, 0, 1, mixed, mixed_square);
  return law;
}

KnownLaw banana() {
  const double b = 0.4;  // with s = 1: q₂ = b (z² − 1) + ξ
  const double low = -1.6, high = 2.2, beyond = normal_cdf(-2.0);
  KnownLaw law{.name = "banana",
               .formula = "q₁ ~ N(0, 1), q₂ ~ N(0.4 (q₁² − 1), 1)",
               .model = std::make_shared<Banana>(2, 1.0, b),
               .draw =
                   [b](RandomStream& random, std::span<double> q) {
                     q[0] = random.normal();
                     q[1] = b * (q[0] * q[0] - 1.0) + random.normal();
                   },
               .second = {1.0, 1.0 + 2.0 * b * b}};
  add_marginal(law.quantities, 0, {0.0, 1.0, 0.0, 3.0, -2.0, beyond, 2.0, beyond});
  // E (z² − 1)² = 2, E (z² − 1)³ = 8, E (z² − 1)⁴ = 60
  add_marginal(law.quantities, 1,
               {0.0, 1.0 + 2.0 * b * b, 8.0 * b * b * b, 3.0 + 12.0 * b * b + 60.0 * b * b * b * b, low,
                normal_mean([&](double z) { return normal_cdf(low - b * (z * z - 1.0)); }), high,
                normal_mean([&](double z) { return normal_cdf(b * (z * z - 1.0) - high); })});
  add_product(law.quantities, 0, 1, 0.0, 1.0 + 10.0 * b * b);  // E z² (z² − 1)² = 10
  return law;
}

KnownLaw funnel() {
  const double s = 0.7, edge = 2.0 * s, beyond = normal_cdf(-2.0), far = 2.1;
  KnownLaw law{.name = "funnel",
               .formula = "v ~ N(0, 0.7²), x₁ and x₂ ~ N(0, eᵛ), centred",
               .model = std::make_shared<Funnel>(3, Funnel::Form::centred, s),
               .draw =
                   [s](RandomStream& random, std::span<double> q) {
                     q[0] = s * random.normal();
                     for (double& x : q.subspan(1)) x = std::exp(0.5 * q[0]) * random.normal();
                   },
               .second = {s * s}};
  const double variance = std::exp(0.5 * s * s), square = std::exp(2.0 * s * s);  // E eᵛ, E e²ᵛ
  const double tail = normal_mean([&](double z) { return normal_cdf(-far * std::exp(-0.5 * s * z)); });
  add_marginal(law.quantities, 0, {0.0, s * s, 0.0, 3.0 * s * s * s * s, -edge, beyond, edge, beyond});
  for (Index i = 1; i < 3; ++i) {
    add_marginal(law.quantities, i, {0.0, variance, 0.0, 3.0 * square, -far, tail, far, tail});
    law.second.push_back(variance);
    add_product(law.quantities, i, 0, 0.0, s * s * (1.0 + s * s) * variance);  // E v² eᵛ
  }
  add_product(law.quantities, 2, 1, 0.0, square);
  return law;
}

KnownLaw wall() {
  KnownLaw law{.name = "wall",
               .formula = "two half-normal variables; points with a negative coordinate are refused",
               .model = independent(2,
                                    [](double x, double& slope) {
                                      if (x < 0.0) throw Reject();
                                      slope = -x;
                                      return -0.5 * x * x;
                                    }),
               .draw = [](RandomStream& random, std::span<double> q) {
                 for (double& x : q) x = std::abs(random.normal());
               }};
  describe_independent(law, {std::sqrt(2.0 / pi), 1.0, 2.0 * std::sqrt(2.0 / pi), 3.0, 0.08,
                             1.0 - 2.0 * normal_cdf(-0.08), 1.9, 2.0 * normal_cdf(-1.9)});
  return law;
}

KnownLaw flat() {
  const auto density = [](double x) { return std::exp(-0.25 * x * x * x * x); };
  const double all = integral(density, -8.0, 8.0), edge = 1.4;
  const double beyond = 0.5 - integral(density, 0.0, edge, 2'000'000) / all;
  KnownLaw law{.name = "flat",
               .formula = "two variables with the density e^{−q⁴/4}: nearly uniform",
               .model = independent(2,
                                    [](double x, double& slope) {
                                      slope = -x * x * x;
                                      return -0.25 * x * x * x * x;
                                    }),
               .draw = [](RandomStream& random, std::span<double> q) {
                 for (double& x : q) {
                   double above = 1.0;
                   do {  // e^{−x⁴/4} ≤ e^{1/4 − x²/2}, with (x² − 1)²/4 between them
                     x = random.normal();
                     above = 0.25 * (x * x - 1.0) * (x * x - 1.0);
                   } while (std::log(random.uniform()) > -above);
                 }
               }};
  describe_independent(law, {0.0, 2.0 * std::tgamma(0.75) / std::tgamma(0.25), 0.0, 1.0, -edge, beyond, edge, beyond});
  return law;
}

/// Gradients in single precision are wrong here in the second digit: the predictor of every row is β₁ + β₂, a number of size 1,
/// while β₁ and β₂ are of size 10⁶ and known to single precision only. With β = (w x₁ + s x₂, w x₁ − s x₂)/√2, s the prior
/// scale, x₂ is standard normal, and the predictor t = √2 w x₁ has the density σ(t)² σ(−t)⁶: that of log B/(1 − B),
/// B ~ Beta(2, 6), the second smallest of seven uniform numbers.
KnownLaw regression() {
  constexpr int successes = 2, failures = 6;
  constexpr double prior_scale = 1e6, width = 0.6;
  std::vector<double> y(successes + failures, 0.0);
  std::fill_n(y.begin(), successes, 1.0);
  const auto inner = std::make_shared<const LogisticRegression>(
      Matrix(successes + failures, 2, 1.0), y,
      LogisticOptions{.intercept = false, .prior_scale = prior_scale, .names = {}});
  const double w = width / std::numbers::sqrt2, s = prior_scale / std::numbers::sqrt2;
  const double per_x = std::numbers::sqrt2 * width;  // dt/dx₁
  KnownLaw law{
      .name = "regression",
      .formula =
          "logistic regression on two equal columns, so badly scaled that gradients in single precision are wrong",
      .model = std::make_shared<const Whitened>(inner, std::vector<double>{0.0, 0.0},
                                                StructuredMatrix::from({{w, s}, {w, -s}})),
      .draw = [per_x](RandomStream& random, std::span<double> q) {
        std::array<double, successes + failures - 1> u{};
        for (double& x : u) x = random.uniform();
        std::ranges::nth_element(u, u.begin() + successes - 1);
        q[0] = std::log(u[successes - 1] / (1.0 - u[successes - 1])) / per_x;
        q[1] = random.normal();
      }};
  // P(B < b): that at least two of seven uniform numbers are below b.
  const auto cdf = [](double b) { return 1.0 - std::pow(1.0 - b, 7) - 7.0 * b * std::pow(1.0 - b, 6); };
  Marginal m = logit_beta(successes, failures);
  const double low = -3.0, high = 0.3, beyond = normal_cdf(-2.0);
  m = {m.m1 / per_x,
       m.m2 / std::pow(per_x, 2),
       m.m3 / std::pow(per_x, 3),
       m.m4 / std::pow(per_x, 4),
       low / per_x,
       cdf(1.0 / (1.0 + std::exp(-low))),
       high / per_x,
       1.0 - cdf(1.0 / (1.0 + std::exp(-high)))};
  add_marginal(law.quantities, 0, m);
  add_marginal(law.quantities, 1, {0.0, 1.0, 0.0, 3.0, -2.0, beyond, 2.0, beyond});
  add_product(law.quantities, 0, 1, 0.0, m.m2);
  law.second = {m.m2, 1.0};
  return law;
}

}  // namespace

std::vector<KnownLaw> known_laws() {
  return {gaussian(),
          skewed("skewed", 2),
          skewed("skewed-10", 10),
          exponential_tails(),
          student_t(),
          mixture(),
          banana(),
          funnel(),
          wall(),
          flat(),
          regression()};
}

}  // namespace darboux::proofs
