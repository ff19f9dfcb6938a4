#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "darboux/sample/draw_sink.hpp"
#include "model/start.hpp"
#include "sample/sampler_settings.hpp"

namespace darboux {

/// What a run is given besides its settings.
struct RunControl {
  /// When it becomes true, the run ends after the current transitions, all chains with the same number of draws.
  const std::atomic<bool>* stop = nullptr;
  /// Called when every chain has made `drawn` draws after warm-up, first with 0: how many there are to be when it is called
  /// again. No more than there are ends the run, and so do as many as the settings ask for.
  std::function<int(int drawn)> next_look{};
  /// With a tuning nothing is adapted: iterations of warm-up are a burn-in.
  std::optional<Tuning> tuning{};
};

/// Runs blocks of chains: warm-up in rounds with all chains' observations pooled at barriers, then sampling with everything
/// frozen. Draws are a function of settings and starts alone, whatever the number of threads.
class Sampler {
 public:
  Sampler(std::shared_ptr<const Model> model, SamplerSettings settings);

  /// `starts` has one lane per chain, in the model's own coordinates, each with a finite log density. An exception of the model
  /// passes through after all chains have stopped; draws made until then have been handed over.
  /// What finding them took counts as warm-up, and what they tell of the target is what warm-up begins with.
  SampleResult run(const Starts& starts, DrawSink& sink, const RunControl& control = {});
  /// From points alone.
  SampleResult run(ConstBatch starts, DrawSink& sink, const RunControl& control = {});

 private:
  std::shared_ptr<const Model> model_;
  SamplerSettings settings_;
};

}  // namespace darboux
