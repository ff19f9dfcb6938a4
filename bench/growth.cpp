/// How time per gradient and peak memory grow with rows, dimension and chains: ./dev bench --growth [TEXT]
/// Leapfrog trajectories of ten steps on made-up logistic regressions, in double precision and CPU time of one thread; each point in a process of
/// its own, which is what its peak memory is that of. Draws are not kept. TEXT selects series by name. growth.csv and
/// growth.vl.json, which draws it with Vega-Lite, go into build/.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <darboux/core/random.hpp>
#include <darboux/model/logistic_regression.hpp>
#include <fstream>
#include <stdexcept>
#include <string>

#include "sample/sampler.hpp"
#include "sampling_clock.hpp"

using namespace darboux;

namespace {

struct Point {
  std::string series;
  Index varied;  ///< the number that grows in this series
  Index rows, dim, chains;
  bool dense = false;  ///< whether coordinates are whitened by a dense matrix
};

struct Cost {
  double seconds;  ///< per gradient of one chain
  double megabytes;
};

LogisticRegression made_up_regression(Index rows, Index dim) {
  RandomStream random({.seed = 2});
  Matrix x(rows, dim - 1);
  random.fill_normal({x.data(), static_cast<std::size_t>(rows * (dim - 1))});
  std::vector<double> y(static_cast<std::size_t>(rows));
  for (double& each : y) each = random.uniform() < 0.5 ? 0.0 : 1.0;
  return {x, std::move(y)};
}

double seconds_per_gradient(const Point& p) {
  const auto model = std::make_shared<LogisticRegression>(made_up_regression(p.rows, p.dim));
  Tuning tuning;
  tuning.step_size = 1e-3;
  if (p.dense) {
    Matrix factor(p.dim, p.dim);
    for (Index i = 0; i < p.dim; ++i)
      for (Index j = 0; j <= i; ++j) factor(i, j) = i == j ? 1.0 : 1e-3;
    tuning.center.assign(static_cast<std::size_t>(p.dim), 0.0);
    tuning.factor = StructuredMatrix::from(std::move(factor));
  }
  SamplerSettings settings;
  settings.gradient_precision = GradientPrecision::full;
  settings.chains = p.chains;
  settings.warmup = 0;
  settings.trajectory = JitteredTrajectory{.length = {.steps = 10}};
  const OwnedBatch starts(p.dim, p.chains);
  std::vector<double> rounds;
  for (settings.draws = 1; rounds.size() < 5;) {
    bench::SamplingClock clock;
    const SampleResult result = Sampler(model, settings).run(starts, clock, {.tuning = tuning});
    const double taken = bench::thread_seconds() - clock.begin();
    if (taken < 0.05 && settings.draws < 1000000)
      settings.draws *= 4;
    else
      rounds.push_back(taken / static_cast<double>(result.sampling_gradients));
  }
  return bench::median(rounds);
}

Cost measure(const Point& point) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const double seconds = seconds_per_gradient(point);
    _exit(write(ends[1], &seconds, sizeof seconds) == sizeof seconds ? 0 : 1);
  }
  close(ends[1]);
  Cost cost{};
  const bool complete = read(ends[0], &cost.seconds, sizeof cost.seconds) == sizeof cost.seconds;
  close(ends[0]);
  rusage usage{};
  wait4(child, nullptr, 0, &usage);
  if (!complete) throw std::runtime_error("a measurement failed: perhaps there is too little memory");
  cost.megabytes = static_cast<double>(usage.ru_maxrss) / 1024.0;
  return cost;
}

std::vector<Point> all_points() {
  std::vector<Point> points;
  for (const Index rows : {1'000, 10'000, 100'000, 1'000'000, 10'000'000})
    points.push_back({.series = "rows", .varied = rows, .rows = rows, .dim = 10, .chains = 16});
  for (const bool dense : {false, true})
    for (const Index dim : {2, 10, 30, 100, 300, 1000})
      points.push_back({.series = dense ? "dimension, dense metric" : "dimension",
                        .varied = dim,
                        .rows = 1000,
                        .dim = dim,
                        .chains = 16,
                        .dense = dense});
  for (const Index chains : {1, 4, 16, 64, 256, 1'000, 10'000})
    points.push_back({.series = "chains", .varied = chains, .rows = 1000, .dim = 21, .chains = chains});
  return points;
}

constexpr const char* figure = R"({
  "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
  "data": {"url": "growth.csv"},
  "facet": {"column": {"field": "series", "type": "nominal", "title": null}},
  "resolve": {"scale": {"x": "independent", "y": "independent"}},
  "spec": {
    "mark": {"type": "line", "point": true},
    "encoding": {
      "x": {"field": "varied", "type": "quantitative", "scale": {"type": "log"}, "title": null},
      "y": {"field": "microseconds_per_gradient", "type": "quantitative", "scale": {"type": "log"},
            "title": "microseconds per gradient of one chain"}
    }
  }
}
)";

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".", only = argc > 2 ? argv[2] : "";
  std::ofstream csv(folder + "/growth.csv");
  csv << "series,varied,rows,dimension,chains,microseconds_per_gradient,peak_megabytes\n";
  std::ofstream(folder + "/growth.vl.json") << figure;
  std::printf("%-24s %10s %6s %7s %14s %16s %10s\n", "series", "rows", "dim", "chains", "us/gradient", "ns/row/column",
              "peak MB");
  for (const Point& p : all_points()) {
    if (p.series.find(only) == std::string::npos) continue;
    const Cost cost = measure(p);
    std::printf("%-24s %10td %6td %7td %14.3f %16.4f %10.0f\n", p.series.c_str(), p.rows, p.dim, p.chains,
                1e6 * cost.seconds, 1e9 * cost.seconds / static_cast<double>(p.rows * p.dim), cost.megabytes);
    std::fflush(stdout);
    csv << '"' << p.series << "\"," << p.varied << ',' << p.rows << ',' << p.dim << ',' << p.chains << ','
        << 1e6 * cost.seconds << ',' << cost.megabytes << '\n';
  }
}
