/// Gradients against what the machine could do, in one run: the floor of a logistic gradient is its sums and products at the
/// rate of a large matrix product (OpenBLAS, 1000 × 1000, one thread) plus one exp per row at the rate of the fastest vector
/// exp here, or, if that is more, the time to read the design matrix once. Everything is thread time.

#include <cblas.h>

#include <cstdio>
#include <darboux/core/random.hpp>

#include "core/cpu.hpp"
#include "model/fitzhugh_nagumo.hpp"

#define DARBOUX_TARGET this_machine
#include "linalg/vector_math.hpp"
#include "made_up_regression.hpp"
#include "stopwatch.hpp"

namespace {

using namespace darboux;
using namespace darboux::bench;
constexpr int rounds = 9;

struct Block {
  Block(const Model& model, Index lanes, double scale)
      : evaluator(model.make_evaluator()),
        q(model.dim(), lanes),
        gradient(model.dim(), lanes),
        log_density(static_cast<std::size_t>(lanes)),
        status(static_cast<std::size_t>(lanes)) {
    RandomStream random({.seed = 3});
    for (Index j = 0; j < model.dim(); ++j)
      for (Index l = 0; l < lanes; ++l) q(j, l) = scale * random.normal();
  }
  void evaluate(bool value, bool single_precision = false) {
    evaluator->evaluate(
        {.q = q, .active = {}, .value = value, .gradient = !value, .single_precision = single_precision},
        {.log_density = log_density, .gradient = gradient, .status = status});
  }

  std::unique_ptr<Evaluator> evaluator;
  OwnedBatch q, gradient;
  std::vector<double> log_density;
  std::vector<Status> status;
};

/// C = A B.
struct LargeProduct {
  static constexpr int n = 1000;
  static constexpr double operations = 2.0 * n * n * n;
  std::vector<double> a = std::vector<double>(n * n, 1.1), b = std::vector<double>(n * n, 0.9),
                      c = std::vector<double>(n * n);
  void operator()() {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
  }
};

/// exp of numbers in the first-level cache.
struct VectorExp {
  static constexpr std::size_t count = 1024, width = this_machine::native_width<double>, several = 4;
  alignas(64) double x[count] = {}, y[count] = {};
  VectorExp() {
    for (std::size_t i = 0; i < count; ++i) x[i] = -0.01 * static_cast<double>(i);
  }
  void operator()() {
    using V = this_machine::NativeVector<double>;
    for (std::size_t i = 0; i < count; i += several * width) {
      V e[several];
      for (std::size_t u = 0; u < several; ++u) e[u] = this_machine::load<V>(x + i + u * width);
      this_machine::exp_of_negative<double, width>(e);
      for (std::size_t u = 0; u < several; ++u) this_machine::store(e[u], y + i + u * width);
    }
    asm volatile("" ::"r"(y) : "memory");
  }
};

/// The sum of numbers, for the time it takes to read them.
struct ReadThrough {
  std::vector<double, CacheLineAllocator<double>> x;
  explicit ReadThrough(Index count) : x(static_cast<std::size_t>(count + 63) / 64 * 64, 1.0) {}
  void operator()() {
    using V = this_machine::NativeVector<double>;
    constexpr std::size_t width = this_machine::native_width<double>, several = 8;
    V sum[several] = {};
    for (std::size_t i = 0; i < x.size(); i += several * width)
      for (std::size_t u = 0; u < several; ++u) sum[u] += this_machine::load<V>(x.data() + i + u * width);
    for (const V& each : sum) asm volatile("" ::"x"(each));
  }
};

void measure_logistic(Index rows, Index columns, Index chains) {
  const LogisticRegression model = made_up_regression(rows, columns);
  Block block(model, chains, 0.3);
  const SideBySide times(
      rounds, [&] { block.evaluate(false); }, [&] { block.evaluate(true); }, LargeProduct(), VectorExp(),
      ReadThrough(rows * columns), [&] { block.evaluate(false, true); });
  const double lanes = static_cast<double>(chains), elements = static_cast<double>(rows),
               operations = 4.0 * elements * static_cast<double>(columns);
  const auto floor = [&](const std::vector<double>& s) {
    const double compute =
        operations * s[2] / LargeProduct::operations + elements * s[3] / static_cast<double>(VectorExp::count);
    return std::max(compute, s[4] / lanes);
  };
  std::printf(
      "%7td x %-4td %3td chains: gradient %9.3f us, value %9.3f us, floor %9.3f us; gradient/floor %.2f; in single "
      "precision %9.3f us, %.2f of it\n",
      rows, columns, chains, 1e6 * times.seconds(0) / lanes, 1e6 * times.seconds(1) / lanes,
      1e6 * times.median_of(floor), times.median_of([&](const auto& s) { return s[0] / lanes / floor(s); }),
      1e6 * times.seconds(5) / lanes, times.median_of([](const auto& s) { return s[5] / s[0]; }));
}

void measure_fitzhugh_nagumo(CpuKind kind, Index chains) {
  use_cpu_kind(kind);
  const FitzHughNagumo model;
  Block block(model, chains, 0.0);
  for (Index l = 0; l < chains; ++l) {
    const double off = 0.001 * static_cast<double>(l);
    block.q(0, l) = block.q(1, l) = 0.2 + off;
    block.q(2, l) = 3.0 - off;
  }
  const SideBySide times(rounds, [&] { block.evaluate(false); }, [&] { block.evaluate(true); });
  const auto lanes = static_cast<double>(chains);
  std::printf("FitzHugh-Nagumo, %-8s %3td chains: gradient %7.3f us, value %7.3f us\n", name(kind).data(), chains,
              1e6 * times.seconds(0) / lanes, 1e6 * times.seconds(1) / lanes);
}

}  // namespace

int main() {
  openblas_set_num_threads(1);
  const SideBySide rates(rounds, LargeProduct(), VectorExp());
  std::printf("dgemm %.1f GF/s, exp %.3f ns; all times per chain\n", 1e-9 * LargeProduct::operations / rates.seconds(0),
              1e9 * rates.seconds(1) / static_cast<double>(VectorExp::count));
  const CpuKind best = cpu_kind();
  for (const CpuKind kind : supported_cpu_kinds()) {
    use_cpu_kind(kind);
    std::printf("%s%s\n", name(kind).data(), kind == best ? "" : " (the floor is that of this machine)");
    for (const auto& [rows, columns] : {std::pair<Index, Index>{1000, 21}, {10000, 50}})
      for (const Index chains : {16, 4, 2, 1}) measure_logistic(rows, columns, chains);
    if (kind == best) {
      for (const Index chains : {16, 4, 2, 1}) measure_logistic(3186, 61, chains);  // as large as splice
      for (const Index chains : {64, 16, 1}) measure_logistic(100000, 100, chains);
    }
  }
  for (const CpuKind kind : supported_cpu_kinds())
    for (const Index chains : {16, 8, 4, 1}) measure_fitzhugh_nagumo(kind, chains);
}
