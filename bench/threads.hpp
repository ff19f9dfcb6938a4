#pragma once

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>

#include "model/start.hpp"
#include "sample/sampler.hpp"

/// What more threads are worth to a run of the sampler, with its defaults. Runs with one thread and with more take turns, and of
/// each the shortest counts: on a machine that is not idle, that is the run that was disturbed least.
namespace darboux::bench {

/// Of warm-up, where all chains meet every few iterations, and of sampling.
struct Seconds {
  double warmup = std::numeric_limits<double>::infinity(), sampling = warmup;
  void keep_least(const Seconds& other) {
    warmup = std::min(warmup, other.warmup);
    sampling = std::min(sampling, other.sampling);
  }
  [[nodiscard]] double total() const { return warmup + sampling; }
};

struct ThreadedRun {
  std::string name;
  std::shared_ptr<const Model> model;
  int iterations_of_four;  // of warm-up, and as many of sampling
  /// Many chains make fewer: a run should fit into a moment in which nobody else wants the processors.
  [[nodiscard]] int iterations(Index chains) const { return chains > 4 ? iterations_of_four / 4 : iterations_of_four; }
};

inline Seconds seconds_with(const ThreadedRun& run, ConstBatch starts, int threads) {
  SamplerSettings options;
  options.chains = starts.lanes();
  options.warmup = options.draws = run.iterations(starts.lanes());
  options.seed = 1;
  options.threads = threads;
  CallbackSink nowhere([](const Draw&) {});
  const SampleResult result = Sampler(run.model, options).run(starts, nowhere);
  return {.warmup = result.warmup_seconds, .sampling = result.sampling_seconds};
}

inline void measure_threads(const ThreadedRun& run, Index chains, int threads, int rounds) {
  const OwnedBatch starts = draw_starts(*run.model, {.seed = 1, .chains = chains});
  Seconds one, more;
  for (int r = 0; r < rounds; ++r) {
    one.keep_least(seconds_with(run, starts, 1));
    more.keep_least(seconds_with(run, starts, threads));
  }
  std::printf(
      "%-26s %3td chains, %4d + %4d iterations: %8.2f ms; with %d threads %8.2f ms, %.2f times as fast (warm-up %.2f, "
      "sampling %.2f)\n",
      run.name.c_str(), chains, run.iterations(chains), run.iterations(chains), 1e3 * one.total(), threads,
      1e3 * more.total(), one.total() / more.total(), one.warmup / more.warmup, one.sampling / more.sampling);
  std::fflush(stdout);
}

}  // namespace darboux::bench
