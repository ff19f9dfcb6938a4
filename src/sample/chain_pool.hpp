#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "darboux/sample/draw_sink.hpp"
#include "sample/chain_round.hpp"
#include "sample/chain_share.hpp"
#include "sample/observation.hpp"
#include "sample/sampler_settings.hpp"

namespace darboux {

/// Chains per block: as many as the model likes, or fewer where that gives every thread two blocks and gradients do not get
/// dearer by it. No draw depends on it.
[[nodiscard]] Index block_width(Index chains, const ModelTraits& traits, int threads) noexcept;

/// All chains of a run, or those of them that a process of a group draws, in blocks; what chains show is of all of them in any case,
/// and everything is called by all processes. A chain's arithmetic depends neither on threads nor on the chains beside it, and what chains
/// are judged by together is summed in their order: with the models and integrators of this library, draws do not even depend
/// on how chains are divided into blocks.
class ChainPool {
 public:
  ChainPool(std::shared_ptr<const Model> model, const SamplerSettings& settings, ConstBatch starts, DrawSink& sink,
            Group& group = alone());

  /// Which dynamics propose: those that the settings ask for, or trajectories of a given length by plain leapfrog on the canonical structure, which is cheaper
  /// and just as valid as long as there is no preconditioner, without which implicit solves take long.
  enum class Motion { as_asked, plain };
  /// Puts a new tuning in force: moves every chain to the new coordinates and recomputes what depended on the old ones.
  void set(const Tuning& tuning, Motion motion = Motion::as_asked);

  /// `count` transitions of every chain in warm-up, beginning with the given iteration.
  Observation advance(int first_iteration, int count);
  /// At most so many transitions of every chain: a few hundredths of a second, after which blocks wait for each other. Draws are
  /// handed over when all have made them: wherever the run stops, all chains have the same number of draws. Returns how many
  /// every chain made. What one process meets, a failure or a wish to stop, all know of when it returns.
  int advance_a_little(Phase phase, int first_iteration, int count);

  /// Whether durations are to vary more widely than they will when sampling, to find out what is best.
  void look_around(bool wanted) noexcept { looks_around_ = wanted; }
  /// Whether warm-up is to see gradients too. Most integrators have them at the end of a trajectory; others pay for them.
  void observe_gradients(bool wanted) noexcept { observes_gradients_ = wanted; }

  /// The acceptance probability of single steps from where the chains are, which stay there, chain by chain.
  [[nodiscard]] std::vector<double> try_step_size(double step_size);

  /// Where chains are, in the model's own coordinates, and how to put them elsewhere, with a finite log density.
  [[nodiscard]] OwnedBatch positions(std::span<const Index> chains) const;
  void move(std::span<const Index> chains, ConstBatch to);

  /// All that transitions depend on, chain by chain: it may be read into other blocks. Not within advance().
  template <class Archive>
  void archive(Archive& fields);

  [[nodiscard]] std::int64_t gradient_evaluations() const;
  /// In force now: chosen anew with every change of coordinates, where the options leave it open.
  [[nodiscard]] GradientPrecision gradient_precision() const noexcept { return blocks_.front().u->precision(); }
  /// Whether it is full because a lower one, exact too, would be too rough where the chains were.
  [[nodiscard]] bool single_precision_is_too_rough() const noexcept {
    return gradient_precision() == GradientPrecision::full && lowest_precision_ != GradientPrecision::full;
  }
  /// Counts time that was spent before, for starting points, among what max_seconds allows.
  void count_earlier(double seconds) noexcept {
    begin_ -= std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  }
  /// While held, time is not up; then it counts from anew. Not within advance().
  void hold_time() noexcept { time_is_held_ = true; }
  void release_time() noexcept {
    if (time_is_held_) begin_ = std::chrono::steady_clock::now();
    time_is_held_ = false;
  }
  void stop_when(const std::atomic<bool>* stop) noexcept { stop_ = stop; }
  /// Of several processes: as all know since the last round.
  [[nodiscard]] bool asked_to_stop() const noexcept {
    return share_.has_all() ? is_asked_to_stop() : last_.asked_to_stop;
  }
  [[nodiscard]] bool stopped() const noexcept {
    return share_.has_all() ? is_to_stop() : last_.asked_to_stop || last_.out_of_time;
  }
  /// Told after each round how many draws of it diverged, in all chains.
  void tell_divergences(std::function<void(std::int64_t)> told) { told_divergences_ = std::move(told); }

 private:
  struct alignas(cache_line) Block {
    ChainBlock chains;
    std::unique_ptr<Potential> u;
    std::unique_ptr<Mover> mover;
    LaneVector<Transition> trials;  // of step sizes
    ChainRound round;
    LaneVector<double> values;           // of one draw
    OwnedBatch gradient{};               // where a trajectory left none
    std::int64_t earlier_gradients = 0;  // of evaluators that were replaced
  };
  struct Place {
    std::size_t block;
    Index lane;
  };
  /// Of a chain that this process has.
  [[nodiscard]] Place place_of(Index chain) const;
  /// Of a chain in this run, whatever comes before.
  [[nodiscard]] Index place_among_all(const Block& block, Index lane) const noexcept {
    return static_cast<Index>(block.chains.chain_of(lane)) - settings_.first_chain;
  }
  [[nodiscard]] Integrator integrator_for(const Tuning& tuning) const;
  [[nodiscard]] Mover mover_for(const Tuning& tuning) const;
  [[nodiscard]] GradientPrecision choose_precision();
  /// Of U where the chain is: its lane.
  [[nodiscard]] ConstBatch gradient_at(Block& block, Index lane) const;
  void make_ready(GradientPrecision precision, std::int64_t earlier_gradients);
  void make_transitions(Iterations todo);
  /// How many iterations all chains have made in this round.
  [[nodiscard]] int common_iterations() const;
  void hand_over(Phase phase, int iterations);
  /// What became of the round, as all know then. `failed`: something threw here.
  void agree(Iterations todo, Phase phase, double seconds, bool failed);
  [[nodiscard]] std::int64_t count_divergences(int iterations) const;
  void observe(int iterations, Observation& seen) const;
  void adjust_round(double seconds) noexcept;
  void report(Block& block, int i, Index lane, Phase phase) const;
  // What this process knows of itself.
  [[nodiscard]] bool is_asked_to_stop() const noexcept { return stop_ != nullptr && stop_->load(); }
  [[nodiscard]] bool is_out_of_time() const noexcept;
  [[nodiscard]] bool is_to_stop() const noexcept { return is_asked_to_stop() || is_out_of_time(); }
  template <class Archive>
  static void archive_chain(Archive& fields, ChainBlock& block, Index lane);
  /// task(block) for all of them, on the threads there are: computes, and writes nothing.
  template <class Task>
  void for_each_block(const Task& task);

  std::shared_ptr<const Model> model_;
  SamplerSettings settings_;
  ChainShare share_;
  DrawSink& sink_;
  PoissonStructure structure_;
  GradientPrecision lowest_precision_;  // that may be chosen
  Tuning tuning_{};
  Motion motion_ = Motion::as_asked;
  std::shared_ptr<const Whitened> whitened_;
  std::vector<Block> blocks_;
  ThreadTeam workers_;
  int round_length_ = 1;  // by the clock; draws do not depend on it
  ChainShare::Round last_;
  std::function<void(std::int64_t)> told_divergences_;
  const std::atomic<bool>* stop_ = nullptr;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool time_is_held_ = false;
  bool looks_around_ = false;
  bool observes_gradients_ = false;
};

template <>
inline constexpr auto names_of<ChainPool::Motion> = std::to_array<Named<ChainPool::Motion>>(
    {{ChainPool::Motion::as_asked, "as asked"}, {ChainPool::Motion::plain, "plain"}});

}  // namespace darboux
