#include "targets.hpp"

#include <algorithm>
#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/model/differentiate.hpp>
#include <numeric>
#include <vector>

namespace darboux {

std::shared_ptr<const Model> correlated_gaussian(Index dim, double condition) {
  const auto n = static_cast<std::size_t>(dim);
  std::vector<double> precision;
  for (std::size_t i = 0; i < n; ++i)
    precision.push_back(std::pow(condition, 0.5 - static_cast<double>(i) / static_cast<double>(n - 1)));
  std::vector<std::vector<double>> axes(4, std::vector<double>(n));
  RandomStream random({.seed = 20, .purpose = Purpose::data});
  for (auto& v : axes) {
    random.fill_normal(v);
    const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    for (double& x : v) x /= norm;
  }
  const auto reflect = [](const std::vector<double>& v, std::span<double> x) {
    const double twice = 2.0 * std::inner_product(v.begin(), v.end(), x.begin(), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) x[i] -= twice * v[i];
  };
  return std::make_shared<FunctionModel>(
      dim, [=, y = std::vector<double>(n)](std::span<const double> q, std::span<double> gradient) mutable {
        std::copy(q.begin(), q.end(), y.begin());
        for (auto v = axes.rbegin(); v != axes.rend(); ++v) reflect(*v, y);
        double log_density = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
          log_density -= 0.5 * precision[i] * y[i] * y[i];
          y[i] *= -precision[i];
        }
        for (const auto& v : axes) reflect(v, y);
        if (!gradient.empty()) std::copy(y.begin(), y.end(), gradient.begin());
        return log_density;
      });
}

std::shared_ptr<const Model> random_walk(Index dim) {
  return std::make_shared<FunctionModel>(dim, [](std::span<const double> q, std::span<double> gradient) {
    double log_density = 0.0, before = 0.0;
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double step = q[i] - before;
      log_density -= 0.5 * step * step;
      before = q[i];
      if (gradient.empty()) continue;
      gradient[i] -= step;
      if (i > 0) gradient[i - 1] += step;
    }
    return log_density;
  });
}

std::shared_ptr<const Model> eight_schools() {
  return std::make_shared<FunctionModel>(differentiate(10, [](const auto& q) {
    using std::exp, std::log;
    constexpr double y[]{28, 8, -3, 7, -1, 1, 18, 12}, sigma[]{15, 10, 16, 11, 9, 11, 10, 18};
    using Scalar = ScalarOf<decltype(q)>;
    const Scalar mu = q[0], tau = exp(q[1]);
    Scalar log_density = q[1] - mu * mu / 50.0 - log(1.0 + tau * tau / 25.0);
    for (std::size_t j = 0; j < 8; ++j) {
      const Scalar residual = (y[j] - mu - tau * q[j + 2]) / sigma[j];
      log_density -= 0.5 * (residual * residual + q[j + 2] * q[j + 2]);
    }
    return log_density;
  }));
}

namespace {

std::vector<double> made_up_returns(Index days) {
  constexpr double level = -1.0, persistence = 0.95, scale = 0.25;
  RandomStream random({.seed = 21, .purpose = Purpose::data});
  std::vector<double> noise(2 * static_cast<std::size_t>(days)), returns;
  random.fill_normal(noise);
  double s = scale * noise[0] / std::sqrt(1.0 - persistence * persistence);
  for (std::size_t t = 0; t < static_cast<std::size_t>(days); ++t) {
    if (t > 0) s = persistence * s + scale * noise[2 * t];
    returns.push_back(std::exp(0.5 * (level + s)) * noise[2 * t + 1]);
  }
  return returns;
}

}  // namespace

std::shared_ptr<const Model> stochastic_volatility(Index days) {
  return std::make_shared<FunctionModel>(differentiate(days + 3, [y = made_up_returns(days)](const auto& q) {
    using std::exp, std::log, std::sqrt, std::tanh;
    using Scalar = ScalarOf<decltype(q)>;
    const Scalar mu = q[0], phi = tanh(q[1]), sigma = exp(q[2]);
    const Scalar up = 0.5 * (1.0 + phi), down = 0.5 * (1.0 - phi);
    // Priors, and dφ/dr = 4 up · down, dσ/dl = σ.
    Scalar log_density = -0.5 * mu * mu / 25.0 + 20.0 * log(up) + 1.5 * log(down) - 2.0 * sigma * sigma + q[2];
    Scalar s = sigma * q[3] / sqrt(4.0 * up * down);
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (t > 0) s = phi * s + sigma * q[t + 3];
      const Scalar h = mu + s;
      log_density -= 0.5 * (h + y[t] * y[t] * exp(-h) + q[t + 3] * q[t + 3]);
    }
    return log_density;
  }));
}

std::shared_ptr<const Model> grouped_regression(Index groups) {
  constexpr Index rows = 10;  // of a group
  struct Row {
    std::size_t group;
    double x, y;
  };
  RandomStream random({.seed = 22, .purpose = Purpose::data});
  std::vector<double> noise(at(groups * (2 + 2 * rows)));
  random.fill_normal(noise);
  std::vector<Row> data;
  auto next = noise.begin();
  for (std::size_t g = 0; g < at(groups); ++g) {
    const double intercept = 1.0 + 0.5 * *next++, slope = -0.5 + 0.3 * *next++;
    for (Index i = 0; i < rows; ++i) {
      const double x = *next++;
      data.push_back({.group = g, .x = x, .y = intercept + slope * x + 0.8 * *next++});
    }
  }
  return std::make_shared<FunctionModel>(differentiate(5 + 2 * groups, [data, groups](const auto& q) {
    using std::exp;
    using Scalar = ScalarOf<decltype(q)>;
    const Scalar t1 = exp(q[2]), t2 = exp(q[3]), s = exp(q[4]);
    const std::size_t u = 5, v = u + at(groups);
    // Priors, and dt/d log t = t, ds/d log s = s.
    Scalar log_density = -0.125 * (q[0] * q[0] + q[1] * q[1]) - 0.5 * (t1 * t1 + t2 * t2 + s * s) + q[2] + q[3] + q[4];
    for (std::size_t g = 0; g < at(groups); ++g) log_density -= 0.5 * (q[u + g] * q[u + g] + q[v + g] * q[v + g]);
    Scalar squares = 0.0;
    for (const Row& row : data) {
      const Scalar residual = row.y - q[0] - t1 * q[u + row.group] - (q[1] + t2 * q[v + row.group]) * row.x;
      squares += residual * residual;
    }
    return log_density - static_cast<double>(data.size()) * q[4] - 0.5 * squares / (s * s);
  }));
}

}  // namespace darboux
