/// What more threads are worth to a run of the sampler, with its defaults. Runs with one thread and with more take turns, and of
/// each the shortest counts: on a machine that is not idle, that is the run that was disturbed least.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "made_up_regression.hpp"
#include "model/fitzhugh_nagumo.hpp"
#include "model/gaussian.hpp"
#include "model/start.hpp"
#include "sample/sampler.hpp"

namespace {

using namespace darboux;

/// Of warm-up, where all chains meet every few iterations, and of sampling.
struct Seconds {
  double warmup = std::numeric_limits<double>::infinity(), sampling = warmup;
  void keep_least(const Seconds& other) {
    warmup = std::min(warmup, other.warmup);
    sampling = std::min(sampling, other.sampling);
  }
  [[nodiscard]] double total() const { return warmup + sampling; }
};

struct Run {
  std::string name;
  std::shared_ptr<const Model> model;
  int iterations_of_four;  // of warm-up, and as many of sampling
  /// Many chains make fewer: a run should fit into a moment in which nobody else wants the processors.
  [[nodiscard]] int iterations(Index chains) const { return chains > 4 ? iterations_of_four / 4 : iterations_of_four; }
};

Seconds seconds_of(const Run& run, ConstBatch starts, int threads) {
  SamplerSettings options;
  options.chains = starts.lanes();
  options.warmup = options.draws = run.iterations(starts.lanes());
  options.seed = 1;
  options.threads = threads;
  CallbackSink nowhere([](const Draw&) {});
  const SampleResult result = Sampler(run.model, options).run(starts, nowhere);
  return {.warmup = result.warmup_seconds, .sampling = result.sampling_seconds};
}

void measure(const Run& run, Index chains, int threads, int rounds) {
  const OwnedBatch starts = draw_starts(*run.model, {.seed = 1, .chains = chains});
  Seconds one, more;
  for (int r = 0; r < rounds; ++r) {
    one.keep_least(seconds_of(run, starts, 1));
    more.keep_least(seconds_of(run, starts, threads));
  }
  std::printf(
      "%-26s %3td chains, %4d + %4d iterations: %8.2f ms; with %d threads %8.2f ms, %.2f times as fast (warm-up %.2f, "
      "sampling %.2f)\n",
      run.name.c_str(), chains, run.iterations(chains), run.iterations(chains), 1e3 * one.total(), threads,
      1e3 * more.total(), one.total() / more.total(), one.warmup / more.warmup, one.sampling / more.sampling);
  std::fflush(stdout);
}

}  // namespace

/// threads_bench [THREADS [ROUNDS]]
int main(int argc, char** argv) {
  const auto number = [&](int place, int otherwise) {
    const int given = place < argc ? std::atoi(argv[place]) : 0;
    return given > 0 ? given : otherwise;
  };
  const int threads = number(1, 2), rounds = number(2, 15);
  const auto regression = [](Index rows, Index columns) {
    return std::make_shared<LogisticRegression>(bench::made_up_regression(rows, columns));
  };
  const std::vector<Run> runs{
      {.name = "logistic 1000 x 21", .model = regression(1000, 21), .iterations_of_four = 1000},
      {.name = "logistic 10000 x 50", .model = regression(10000, 50), .iterations_of_four = 400},
      {.name = "FitzHugh-Nagumo", .model = std::make_shared<FitzHughNagumo>(), .iterations_of_four = 1000},
      {.name = "Gaussian, dimension 2",
       .model = std::make_shared<Gaussian>(Gaussian::standard(2)),
       .iterations_of_four = 1000}};
  for (const Index chains : {64, 4})
    for (const Run& run : runs) measure(run, chains, threads, rounds);
}
