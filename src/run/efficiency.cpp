#include "run/efficiency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "darboux/diagnose/ess.hpp"
#include "darboux/diagnose/rhat.hpp"
#include "diagnose/quantiles.hpp"
#include "draws/kept_draws.hpp"
#include "draws/memory_sink.hpp"
#include "run/ess_target.hpp"

namespace darboux {

Efficiency measure_efficiency(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                              const Starts& starts) {
  MemorySink memory(settings.chains, model->names().size());
  KeptDraws draws(memory, 1, false);
  Efficiency seen;
  seen.cost = Sampler(model, settings).run(starts, draws);
  for (Index c = 0; c < memory.chains(); ++c)
    for (const Transition& t : memory.transitions(c)) seen.failures += t.status == Status::ok ? 0 : 1;
  SmallestEss bulk, squares;
  for (std::size_t i = 0; i < memory.columns(); ++i) {
    const ChainDraws quantity(memory.column(i));
    const double r = rhat(quantity);
    if (std::isnan(r)) continue;  // does not vary
    seen.rhat = std::max(seen.rhat, r);
    bulk.add(ess_bulk(quantity));
    squares.add(ess_sd(quantity));
  }
  if (seen.rhat == 0.0) seen.rhat = std::numeric_limits<double>::infinity();  // nothing is known to agree
  seen.bulk_ess = bulk.value();
  seen.square_ess = squares.value();
  return seen;
}

IntervalEstimate interval_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!std::all_of(values.begin(), values.end(), [](double x) { return x > 0.0; }))
    return {.low = 0.0, .center = 0.0, .high = infinity};  // logarithms say nothing
  double mean = 0.0, squares = 0.0;
  for (const double x : values) mean += std::log(x) / n;
  for (const double x : values) squares += (std::log(x) - mean) * (std::log(x) - mean);
  if (values.size() < 2) return {.low = 0.0, .center = std::exp(mean), .high = infinity};
  const double half = student_t_quantile(0.975, n - 1.0) * std::sqrt(squares / (n - 1.0) / n);
  return {.low = std::exp(mean - half), .center = std::exp(mean), .high = std::exp(mean + half)};
}

}  // namespace darboux
