#include "run/efficiency.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "darboux/diagnose/ess.hpp"
#include "darboux/diagnose/rhat.hpp"

namespace darboux {

Efficiency measure_efficiency(const std::shared_ptr<const Model>& model, const SampleOptions& options,
                              ConstBatch starts) {
  const auto chains = static_cast<std::size_t>(options.chains);
  const std::size_t quantities = model->names().size();
  const auto draws = static_cast<std::size_t>(options.draws);
  std::vector<double> values(quantities * chains * draws);  // quantity by quantity, chain by chain
  std::atomic<std::int64_t> failures{0};
  Efficiency seen;
  seen.cost = Sampler(model, options)
                  .run(starts, {.on_draw =
                                    [&](const Draw& draw) {
                                      if (draw.is_warmup) return;
                                      const auto row = static_cast<std::size_t>(draw.iteration - options.warmup);
                                      for (std::size_t i = 0; i < quantities; ++i)
                                        values[(i * chains + static_cast<std::size_t>(draw.chain)) * draws + row] =
                                            draw.values[i];
                                      if (draw.transition->status != Status::ok) ++failures;
                                    },
                                .on_frozen = {}});
  seen.failures = failures;
  seen.bulk_ess = seen.square_ess = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < quantities; ++i) {
    const ChainDraws quantity(std::span<const double>(values).subspan(i * chains * draws, chains * draws), chains);
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
  // Student's t at 97.5 %, by degrees of freedom; the normal value and its first correction beyond.
  constexpr std::array t{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  const std::size_t freedom = values.size() - 1;
  const double quantile = freedom <= t.size() ? t[freedom - 1] : 1.96 + 2.4 / static_cast<double>(freedom);
  const double half = quantile * std::sqrt(squares / (n - 1.0) / n);
  return {.low = std::exp(mean - half), .center = std::exp(mean), .high = std::exp(mean + half)};
}

}  // namespace darboux
