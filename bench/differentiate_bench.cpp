/// Gradients of log densities that users write, per chain: differentiated with dual numbers ("forward") and by recording
/// ("recorded"), beside the same gradient written by hand. Arguments are the dimension and the chains of a block.

#include <benchmark/benchmark.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/model/differentiate.hpp>
#include <string>

#include "io/csv.hpp"
#include "model/logistic_data.hpp"

namespace {

using namespace darboux;

enum class How { forward, recorded };

template <class F>
FunctionModel model_of(How how, Index dim, F f) {
  if (how == How::forward) return {dim, Differentiated<F>(std::move(f))};
  return FunctionModel::recorded(dim, std::move(f));
}

/// At blocks of `lanes` points of size `scale`, several in turn.
void gradients(benchmark::State& state, const Model& model, Index lanes, double scale) {
  const auto evaluator = model.make_evaluator();
  RandomStream random({.seed = 3});
  std::vector<OwnedBatch> blocks(8, OwnedBatch(model.dim(), lanes));
  for (OwnedBatch& q : blocks)
    for (Index j = 0; j < model.dim(); ++j)
      for (Index l = 0; l < lanes; ++l) q(j, l) = scale * random.normal();
  OwnedBatch gradient(model.dim(), lanes);
  std::vector<double> log_density(at(lanes));
  std::vector<Status> status(at(lanes));
  std::size_t turn = 0;
  const auto evaluate = [&] {
    evaluator->evaluate({.q = blocks[turn++ % blocks.size()], .active = {}, .value = true, .gradient = true},
                        {.log_density = log_density, .gradient = gradient, .status = status});
  };
  evaluate();  // records
  for (auto _ : state) evaluate();
  state.counters["per_gradient"] = benchmark::Counter(
      static_cast<double>(lanes), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// German credit data with standardised features, as users would write the regression.
template <bool has_branches>
struct German {
  std::vector<std::vector<double>> x;
  std::vector<double> y;

  German() {
    const CsvTable table = read_csv(DARBOUX_SOURCE_DIR "/data/german.csv");
    y = table.find("y")->numbers;
    x.assign(y.size(), {});
    for (const CsvColumn& column : table.columns) {
      if (column.name == "y") continue;
      double mean = 0.0, square = 0.0;
      for (const double v : column.numbers) mean += v / static_cast<double>(y.size());
      for (const double v : column.numbers) square += (v - mean) * (v - mean) / static_cast<double>(y.size());
      for (std::size_t i = 0; i < y.size(); ++i) x[i].push_back((column.numbers[i] - mean) / std::sqrt(square));
    }
  }
  template <class Point>
  auto operator()(const Point& q) const {
    using std::exp, std::log1p;
    ScalarOf<Point> sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      ScalarOf<Point> eta = q[0];
      for (std::size_t j = 0; j < x[i].size(); ++j) eta += x[i][j] * q[j + 1];
      if constexpr (has_branches)  // what not to do
        sum += y[i] * eta - (eta > 0.0 ? eta + log1p(exp(-eta)) : log1p(exp(eta)));
      else
        sum += y[i] * eta - log1p_exp(eta);
    }
    for (const auto& beta : q) sum -= 0.5 * beta * beta;
    return sum;
  }
};

void german(benchmark::State& state, How how) {
  const German<false> data;
  const Index dim = std::ssize(data.x[0]) + 1;
  gradients(state, model_of(how, dim, data), state.range(0), 0.3);
}
BENCHMARK_CAPTURE(german, forward, How::forward)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(german, recorded, How::recorded)->Arg(16)->Arg(8)->Arg(4)->Arg(1)->Unit(benchmark::kMicrosecond);

void german_built_in(benchmark::State& state) {
  const auto model = logistic_from_table(read_csv(DARBOUX_SOURCE_DIR "/data/german.csv"));
  gradients(state, model, state.range(0), 0.3);
}
BENCHMARK(german_built_in)->Arg(16)->Arg(4)->Arg(1)->Unit(benchmark::kMicrosecond);

void german_with_branches(benchmark::State& state, How how) {  // branchy: another way at every point
  const German<true> data;
  const Index dim = std::ssize(data.x[0]) + 1;
  gradients(state, model_of(how, dim, data), state.range(0), 0.3);
}
BENCHMARK_CAPTURE(german_with_branches, forward, How::forward)->Arg(4)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(german_with_branches, recorded, How::recorded)->Arg(4)->Unit(benchmark::kMicrosecond);

/// μ ~ N(0, 1), log τ ~ N(0, 1), θ_j ~ N(μ, τ²), y_j ~ N(θ_j, 1).
struct Hierarchical {
  std::vector<double> y;
  explicit Hierarchical(Index dim) {
    RandomStream random({.seed = 5});
    for (Index j = 2; j < dim; ++j) y.push_back(random.normal());
  }
  template <class Point>
  auto operator()(const Point& q) const {
    using std::exp;
    const auto& mu = q[0];
    const auto tau = exp(q[1]);
    ScalarOf<Point> sum = -0.5 * mu * mu - 0.5 * q[1] * q[1];
    for (std::size_t j = 0; j < y.size(); ++j) {
      const auto z = (q[j + 2] - mu) / tau;
      const auto residual = y[j] - q[j + 2];
      sum += -0.5 * z * z - q[1] - 0.5 * residual * residual;
    }
    return sum;
  }
};
struct HierarchicalByHand : Hierarchical {
  using Hierarchical::Hierarchical;
  double operator()(std::span<const double> q, std::span<double> gradient) const {
    const double mu = q[0], tau = std::exp(q[1]);
    double sum = -0.5 * mu * mu - 0.5 * q[1] * q[1], by_mu = -mu, by_log_tau = -q[1];
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double z = (q[j + 2] - mu) / tau, residual = y[j] - q[j + 2];
      sum += -0.5 * z * z - q[1] - 0.5 * residual * residual;
      by_mu += z / tau;
      by_log_tau += z * z - 1.0;
      if (!gradient.empty()) gradient[j + 2] = residual - z / tau;
    }
    if (!gradient.empty()) {
      gradient[0] = by_mu;
      gradient[1] = by_log_tau;
    }
    return sum;
  }
};

void hierarchical(benchmark::State& state, How how) {
  const Index dim = state.range(0);
  gradients(state, model_of(how, dim, Hierarchical(dim)), state.range(1), 0.5);
}
void hierarchical_by_hand(benchmark::State& state) {
  const Index dim = state.range(0);
  gradients(state, FunctionModel(dim, HierarchicalByHand(dim)), state.range(1), 0.5);
}
BENCHMARK_CAPTURE(hierarchical, forward, How::forward)->ArgsProduct({{2, 4, 8, 9, 16, 100}, {1, 4, 16}});
BENCHMARK_CAPTURE(hierarchical, recorded, How::recorded)->ArgsProduct({{2, 4, 8, 9, 16, 100}, {1, 4, 16}});
BENCHMARK(hierarchical_by_hand)->ArgsProduct({{2, 4, 8, 9, 16, 100}, {1, 4, 16}});

/// y_i ~ N(x_iβ, 1) with twice as many rows as coefficients, β_j ~ N(0, 1).
struct Regression {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  explicit Regression(Index dim) : x(2 * at(dim), std::vector<double>(at(dim))) {
    RandomStream random({.seed = 6});
    for (auto& row : x) {
      random.fill_normal(row);
      y.push_back(random.normal());
    }
  }
  template <class Point>
  auto operator()(const Point& q) const {
    ScalarOf<Point> sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      ScalarOf<Point> residual = y[i];
      for (std::size_t j = 0; j < q.size(); ++j) residual -= x[i][j] * q[j];
      sum -= 0.5 * residual * residual;
    }
    for (const auto& beta : q) sum -= 0.5 * beta * beta;
    return sum;
  }
};
struct RegressionByHand : Regression {
  using Regression::Regression;
  double operator()(std::span<const double> q, std::span<double> gradient) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      sum -= 0.5 * q[j] * q[j];
      if (!gradient.empty()) gradient[j] = -q[j];
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      double residual = y[i];
      for (std::size_t j = 0; j < q.size(); ++j) residual -= x[i][j] * q[j];
      sum -= 0.5 * residual * residual;
      for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += residual * x[i][j];
    }
    return sum;
  }
};

void regression(benchmark::State& state, How how) {
  const Index dim = state.range(0);
  gradients(state, model_of(how, dim, Regression(dim)), state.range(1), 0.5);
}
void regression_by_hand(benchmark::State& state) {
  const Index dim = state.range(0);
  gradients(state, FunctionModel(dim, RegressionByHand(dim)), state.range(1), 0.5);
}
BENCHMARK_CAPTURE(regression, forward, How::forward)->ArgsProduct({{2, 4, 8, 9, 16, 100}, {1, 4, 16}});
BENCHMARK_CAPTURE(regression, recorded, How::recorded)->ArgsProduct({{2, 4, 8, 9, 16, 100}, {1, 4, 16}});
BENCHMARK(regression_by_hand)->ArgsProduct({{2, 4, 8, 9, 16, 100}, {1, 4, 16}});

/// FitzHugh-Nagumo, V̇ = c (V − V³/3 + R), Ṙ = −(V − a + bR)/c, by 400 Runge-Kutta steps: few parameters, much to compute.
struct Neuron {
  template <class Point>
  auto operator()(const Point& q) const {
    using Number = ScalarOf<Point>;
    struct Pair {
      Number V, R;
      [[nodiscard]] Pair plus(double h, const Pair& k) const { return {V + h * k.V, R + h * k.R}; }
    };
    const Number a = 0.2 + 0.01 * q[0], b = 0.2 + 0.01 * q[1], c = 3.0 + 0.01 * q[2];
    const auto slope = [&](const Pair& y) {
      return Pair{c * (y.V - y.V * y.V * y.V / 3.0 + y.R), -(y.V - a + b * y.R) / c};
    };
    Pair y{-1.0, 1.0};
    Number sum = -0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    const double h = 0.05;
    for (int k = 0; k < 400; ++k) {
      const Pair k1 = slope(y), k2 = slope(y.plus(h / 2.0, k1)), k3 = slope(y.plus(h / 2.0, k2)),
                 k4 = slope(y.plus(h, k3));
      y = y.plus(h / 6.0, k1).plus(h / 3.0, k2).plus(h / 3.0, k3).plus(h / 6.0, k4);
      if (k % 2 == 1) sum -= 0.5 * (y.V * y.V + y.R * y.R);
    }
    return sum;
  }
};
void neuron(benchmark::State& state, How how) { gradients(state, model_of(how, 3, Neuron()), state.range(0), 1.0); }
BENCHMARK_CAPTURE(neuron, forward, How::forward)->Arg(1)->Arg(4)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(neuron, recorded, How::recorded)->Arg(1)->Arg(4)->Arg(16)->Unit(benchmark::kMicrosecond);

/// What a recording costs: a regression, once.
void recording(benchmark::State& state) {
  const Index dim = state.range(0);
  const Regression f(dim);
  for (auto _ : state) {
    const FunctionModel model = FunctionModel::recorded(dim, f);
    const std::vector<double> q(at(dim), 0.1);
    double log_density = 0.0;
    Status status{};
    model.make_evaluator()->evaluate({.q = {q.data(), dim, 1, 1}, .active = {}, .value = true, .gradient = false},
                                     {.log_density = {&log_density, 1}, .gradient = {}, .status = {&status, 1}});
  }
}
BENCHMARK(recording)->Arg(100)->Unit(benchmark::kMicrosecond);

}  // namespace
