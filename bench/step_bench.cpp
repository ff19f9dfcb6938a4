/// Time of one step per chain, in blocks of 16. On a target whose gradient is nearly free (a standard Gaussian) this is the
/// integrators' own cost; beside it, the gradient of a logistic posterior, which is what a step should cost.

#include <benchmark/benchmark.h>

#include <darboux/core/random.hpp>
#include <darboux/structure/recipes.hpp>

#include "integrate/integrator.hpp"
#include "made_up_regression.hpp"
#include "model/banana.hpp"
#include "model/gaussian.hpp"

namespace {

using namespace darboux;

constexpr Index lanes = 16;

PhaseBlock random_block(Index n) {
  PhaseBlock z(n, lanes);
  RandomStream random({.seed = 1});
  for (Index j = 0; j < n; ++j) {
    for (Index l = 0; l < lanes; ++l) {
      z.q(j, l) = random.normal();
      z.p(j, l) = random.normal();
    }
  }
  return z;
}

/// Half of the lanes go back in time, as in a run with persistent directions.
std::vector<double> mixed_directions(double step_size) {
  std::vector<double> dt(static_cast<std::size_t>(lanes), step_size);
  for (std::size_t l = 0; l < dt.size(); l += 2) dt[l] = -step_size;
  return dt;
}

void per_chain(benchmark::State& state, double steps) {
  state.counters["per_chain_step"] = benchmark::Counter(
      steps * static_cast<double>(lanes), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void step_of(benchmark::State& state, const Model& model, IntegratorKind kind, Recipe recipe) {
  const Index n = model.dim();
  IntegratorOptions options;
  options.step_size = 0.1;
  const auto structure = make_structure(recipe, n, {.size = SpectralStrength{0.9}, .seed = 1, .A = {}});
  Integrator integrator(kind, structure, options);
  PhaseBlock z = random_block(n);
  Potential u(model, lanes);
  const auto dt = mixed_directions(options.step_size);
  constexpr int steps = 10;
  for (auto _ : state) integrator.run(z, u, dt, steps);
  per_chain(state, steps);
  state.counters["gradients_per_step"] =
      static_cast<double>(u.gradient_evaluations()[0]) / (static_cast<double>(state.iterations()) * steps);
}

void step(benchmark::State& state, IntegratorKind kind, Recipe recipe) {
  step_of(state, Gaussian::standard(static_cast<Index>(state.range(0))), kind, recipe);
}

void banana_step(benchmark::State& state) { step_of(state, Banana(), IntegratorKind::leapfrog, Recipe::canonical); }

void logistic_gradient(benchmark::State& state) {
  const auto rows = static_cast<Index>(state.range(0));
  const auto columns = static_cast<Index>(state.range(1));
  const LogisticRegression model = bench::made_up_regression(rows, columns);
  PhaseBlock z = random_block(columns);
  Potential u(model, lanes);
  const std::vector<double> dt(static_cast<std::size_t>(lanes), 1.0);
  for (auto _ : state) u.gradient(z.q, dt, z.status, z.gradient);
  per_chain(state, 1.0);
}

BENCHMARK_CAPTURE(step, leapfrog, IntegratorKind::leapfrog, Recipe::canonical)->Arg(2)->Arg(21)->Arg(100);
BENCHMARK_CAPTURE(step, magnetic_leapfrog, IntegratorKind::magnetic_leapfrog, Recipe::magnetic_position)
    ->Arg(2)
    ->Arg(21)
    ->Arg(100);
BENCHMARK_CAPTURE(step, midpoint, IntegratorKind::midpoint, Recipe::coupled)->Arg(2)->Arg(21)->Arg(100);
BENCHMARK_CAPTURE(step, split_midpoint, IntegratorKind::split_midpoint, Recipe::coupled)->Arg(2)->Arg(21)->Arg(100);
BENCHMARK_CAPTURE(step, explicit_copies, IntegratorKind::explicit_copies, Recipe::coupled)->Arg(2)->Arg(21)->Arg(100);
BENCHMARK_CAPTURE(step, doubled, IntegratorKind::doubled, Recipe::coupled)->Arg(2)->Arg(21)->Arg(100);
BENCHMARK(banana_step);
BENCHMARK(logistic_gradient)->Args({1000, 21})->Args({10000, 50});

}  // namespace
