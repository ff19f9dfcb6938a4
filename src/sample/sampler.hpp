#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cluster/group.hpp"
#include "darboux/sample/draw_sink.hpp"
#include "model/start.hpp"
#include "sample/sampler_settings.hpp"

namespace darboux {

/// Takes the states that a run can be gone on with from.
class CheckpointSink {
 public:
  CheckpointSink() = default;
  CheckpointSink(const CheckpointSink&) = delete;
  CheckpointSink& operator=(const CheckpointSink&) = delete;
  virtual ~CheckpointSink() = default;

  /// Whether to be given the state. Asked often: where all chains meet in warm-up, and between rounds of draws. Of several processes
  /// all are asked, and must say the same.
  [[nodiscard]] virtual bool wants_state() = 0;
  /// All draws until here have been handed over, `iterations` of each chain in this phase; what follows is the same, to the last
  /// bit, in a run that is given the state. No draw is handed over meanwhile. The state is of all chains, whoever draws them.
  virtual void take(Phase phase, int iterations, std::string state) = 0;
};

/// What a run is given besides its settings.
struct RunControl {
  /// When it becomes true, the run ends after the current transitions, all chains with the same number of draws.
  const std::atomic<bool>* stop = nullptr;
  /// Called when every chain has made `drawn` draws after warm-up, first with 0 or where a run goes on: how many there are to be
  /// when it is called again. No more than there are ends the run, and so do as many as the settings ask for.
  std::function<int(int drawn)> next_look{};
  /// With a tuning nothing is adapted: iterations of warm-up are a burn-in.
  std::optional<Tuning> tuning{};
  CheckpointSink* checkpoints = nullptr;
  /// One that an earlier run of the same model and settings left: starts have no meaning then. More draws may be asked for, and
  /// other numbers of threads.
  std::string state{};
  /// The processes that draw the run together: each is given the same, hands over the draws of its chains (ChainShare), and gets the
  /// result of all. Whatever decides anything is exchanged, so that draws do not depend on how many there are. A failure of one ends
  /// it for all: where `run` throws, the group is told by who called it.
  Group* group = &alone();
  std::function<void(std::int64_t)> divergences{};  ///< told how many more there are, where there are several processes
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
