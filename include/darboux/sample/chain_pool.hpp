#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "darboux/sample/nuts.hpp"
#include "darboux/sample/sampler.hpp"

namespace darboux {

/// All chains of a run, in blocks of a fixed width that depends on the model only: a chain's arithmetic never depends on
/// threads or on how many other chains there are in other blocks.
class ChainPool {
 public:
  ChainPool(std::shared_ptr<const Model> model, const SampleOptions& options, ConstBatch starts);

  /// Which dynamics propose: those that the options ask for, or plain leapfrog on the canonical structure, which is cheaper
  /// and just as valid as long as there is no preconditioner, without which implicit solves take long.
  enum class Motion { as_asked, plain };
  /// Puts a new tuning in force: moves every chain to the new coordinates and recomputes what depended on the old ones.
  void set(const Tuning& tuning, Motion motion = Motion::as_asked);

  /// What a stretch of transitions showed, pooled over chains in their order.
  struct Observation {
    int iterations = 0;  ///< that every chain made: fewer than asked for where the run was stopped
    double mean_acceptance = 0.0;
    std::vector<JumpSums> jumps{};  ///< iteration by iteration; none of NUTS
    std::vector<double> positions;  ///< q of every chain after every transition, in the model's own coordinates
    std::vector<double> gradients;  ///< of U there, likewise; where they are observed
  };
  /// `count` transitions of every chain, beginning with the given iteration number. Blocks wait for each other after rounds of
  /// a few hundredths of a second, and a round's draws are handed over when all have made them: wherever the run stops, all
  /// chains have the same number of draws.
  Observation advance(int first_iteration, int count, const Sampler::OnDraw& on_draw, bool is_warmup);

  /// Whether durations are to vary more widely than they will when sampling, to find out what is best.
  void look_around(bool wanted) noexcept { looks_around_ = wanted; }
  /// Whether warm-up is to see gradients too. Most integrators have them at the end of a trajectory; others pay for them.
  void observe_gradients(bool wanted) noexcept { observes_gradients_ = wanted; }

  /// The mean acceptance probability of single steps from where the chains are, which stay there.
  [[nodiscard]] double try_step_size(double step_size);

  [[nodiscard]] std::int64_t gradient_evaluations() const noexcept;
  void stop_when(const std::atomic<bool>* stop) noexcept { stop_ = stop; }
  [[nodiscard]] bool asked_to_stop() const noexcept { return stop_ != nullptr && stop_->load(); }
  [[nodiscard]] bool out_of_time() const noexcept;
  [[nodiscard]] bool stopped() const noexcept { return asked_to_stop() || out_of_time(); }

 private:
  /// A chain's state after an iteration.
  struct Made {
    int iteration;
    std::vector<double> position;  // in the model's own coordinates
    std::vector<double> gradient;  // likewise, where gradients are observed
    double potential;
    Transition transition;
  };
  struct Block {
    ChainBlock chains;
    std::unique_ptr<Potential> u;
    std::unique_ptr<Kernel> kernel;
    std::unique_ptr<Nuts> nuts;  // in use where there is one
    std::vector<Transition> transitions;
    std::vector<std::vector<Made>> made;  // in this round, by lane
    Observation seen;                     // in this call of advance, its acceptance a sum
    std::int64_t earlier_gradients = 0;   // of evaluators that were replaced
  };
  [[nodiscard]] Kernel make_kernel(const Tuning& tuning) const;
  [[nodiscard]] std::vector<double> gradient_of(Block& block, Index lane) const;
  [[nodiscard]] int jittered_steps(int iteration) const;
  void make_transitions(int first_iteration, int count);
  int hand_over(const Sampler::OnDraw& on_draw, bool is_warmup);
  void adjust_round(std::chrono::steady_clock::duration taken) noexcept;
  void report(std::uint64_t chain, const Made& made, bool is_warmup, const Sampler::OnDraw& on_draw) const;

  std::shared_ptr<const Model> model_;
  SampleOptions options_;
  PoissonStructure structure_;
  Tuning tuning_;
  Motion motion_ = Motion::as_asked;
  std::shared_ptr<const Whitened> whitened_;
  std::vector<Block> blocks_;
  int round_length_ = 1;  // by the clock; draws do not depend on it
  const std::atomic<bool>* stop_ = nullptr;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool looks_around_ = false;
  bool observes_gradients_ = false;
};

}  // namespace darboux
