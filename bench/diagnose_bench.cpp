/// Time of a row of the summary table: 4 chains of correlated draws of one quantity. A million draws should take about a
/// second.

#include <benchmark/benchmark.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/diagnose/summary.hpp>
#include <vector>

#include "darboux/diagnose/rhat.hpp"
#include "diagnose/mcse.hpp"

namespace {

using namespace darboux;

constexpr std::size_t chains = 4;

/// Correlation 0.9 from draw to draw, as of a sampler that does its work.
std::vector<double> correlated_draws(std::size_t length) {
  std::vector<double> draws;
  draws.reserve(chains * length);
  for (std::size_t c = 0; c < chains; ++c) {
    RandomStream random({.seed = 1, .chain = c});
    double x = random.normal();
    for (std::size_t i = 0; i < length; ++i) draws.push_back(x = 0.9 * x + std::sqrt(0.19) * random.normal());
  }
  return draws;
}

template <class Function>
void diagnose(benchmark::State& state, Function function) {
  const auto values = correlated_draws(static_cast<std::size_t>(state.range(0)) / chains);
  const ChainDraws draws(values, chains);
  for (auto _ : state) benchmark::DoNotOptimize(function(draws));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

#define DIAGNOSE(name, expression) \
  BENCHMARK_CAPTURE(diagnose, name, [](const ChainDraws& draws) { return expression; })->Unit(benchmark::kMillisecond)

DIAGNOSE(summary, summarise(draws))->Arg(4'000)->Arg(100'000)->Arg(1'000'000);
DIAGNOSE(rhat, rhat(draws))->Arg(1'000'000);
DIAGNOSE(ess_bulk, ess_bulk(draws))->Arg(1'000'000);
DIAGNOSE(ess_mean, ess_mean(draws))->Arg(1'000'000);
DIAGNOSE(mcse_sd, mcse_sd(draws))->Arg(1'000'000);
DIAGNOSE(mcse_quantile, mcse_quantile(draws, 0.5))->Arg(1'000'000);

}  // namespace
