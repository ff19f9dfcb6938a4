#include "run/efficiency.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "darboux/diagnose/ess.hpp"
#include "darboux/diagnose/rhat.hpp"
#include "diagnose/quantiles.hpp"
#include "draws/kept_draws.hpp"
#include "draws/memory_sink.hpp"

namespace darboux {

Efficiency measure_efficiency(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                              ConstBatch starts) {
  MemorySink memory(settings.chains, model->names().size());
  KeptDraws draws(memory, 1, false);
  Efficiency seen;
  seen.cost = Sampler(model, settings).run(starts, draws);
  for (Index c = 0; c < memory.chains(); ++c)
    for (const Transition& t : memory.transitions(c)) seen.failures += t.status == Status::ok ? 0 : 1;
  seen.bulk_ess = seen.square_ess = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < memory.columns(); ++i) {
    const ChainDraws quantity(memory.column(i));
    const double r = rhat(quantity);
    if (std::isnan(r)) continue;  // does not vary
    seen.rhat = std::max(seen.rhat, r);
    seen.bulk_ess = std::min(seen.bulk_ess, ess_bulk(quantity));
    seen.square_ess = std::min(seen.square_ess, ess_sd(quantity));
  }
  return seen;
}

Interval interval_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0.0, squares = 0.0;
  for (const double x : values) mean += std::log(x) / n;
  for (const double x : values) squares += (std::log(x) - mean) * (std::log(x) - mean);
  if (values.size() < 2) return {.low = 0.0, .center = std::exp(mean), .high = std::numeric_limits<double>::infinity()};
  const double half = student_t_quantile(0.975, n - 1.0) * std::sqrt(squares / (n - 1.0) / n);
  return {.low = std::exp(mean - half), .center = std::exp(mean), .high = std::exp(mean + half)};
}

}  // namespace darboux
