#pragma once

#include <gtest/gtest.h>

#include <darboux/core/random.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "model/gaussian.hpp"
#include "sample/sampler.hpp"

namespace darboux::testing {

inline std::shared_ptr<const Gaussian> correlated_gaussian() {
  return std::make_shared<Gaussian>(
      Gaussian::from_covariance({3.0, -40.0, 0.0}, Matrix{{4.0, 1.8, 0.0}, {1.8, 1.0, 0.0}, {0.0, 0.0, 1e-4}}));
}

inline OwnedBatch spread_starts(Index dim, Index chains) {
  OwnedBatch starts(dim, chains);
  RandomStream random({.seed = 5, .purpose = Purpose::start});
  for (Index j = 0; j < dim; ++j)
    for (Index c = 0; c < chains; ++c) starts(j, c) = 4.0 * random.uniform() - 2.0;
  return starts;
}

struct Recorded {
  std::vector<std::vector<std::vector<double>>> values;  // chain, draw, value
  std::vector<std::vector<double>> energies;
  int warmup = 0;
  SampleResult result;
};

inline Recorded record(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                       const std::optional<Tuning>& tuning = {}) {  // with settings.warmup iterations of burn-in
  Recorded recorded;
  recorded.values.resize(at(settings.chains));
  recorded.energies.resize(recorded.values.size());
  std::mutex mutex;
  CallbackSink sink([&](const Draw& draw) {
    const std::scoped_lock lock(mutex);
    recorded.warmup += draw.phase == Phase::warmup ? 1 : 0;
    if (draw.phase == Phase::warmup) return;
    const std::size_t chain = at(draw.chain);
    EXPECT_EQ(draw.iteration, static_cast<int>(recorded.values[chain].size()));
    recorded.values[chain].emplace_back(draw.values.begin(), draw.values.end());
    recorded.energies[chain].push_back(draw.transition.energy);
  });
  recorded.result =
      Sampler(model, settings).run(spread_starts(model->dim(), settings.chains), sink, {.tuning = tuning});
  return recorded;
}

}  // namespace darboux::testing
