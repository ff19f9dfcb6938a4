#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "sample/kernel.hpp"
#include "sample/tuning.hpp"

namespace darboux {

enum class Metric { identity, diagonal, low_rank, dense };
template <>
inline constexpr auto names_of<Metric> = std::to_array<Named<Metric>>({{Metric::identity, "identity"},
                                                                       {Metric::diagonal, "diagonal"},
                                                                       {Metric::low_rank, "low-rank"},
                                                                       {Metric::dense, "dense"}});

[[nodiscard]] Metric metric_of(const StructuredMatrix& factor) noexcept;
/// A dense preconditioner is worth its while from so many draws on.
[[nodiscard]] constexpr Index fewest_draws_for_dense(Index dim) noexcept { return 2 * dim + 1; }
/// What a preconditioner is and rests on, in words, and why it is simpler than asked for where it is: "dense, from 1700 draws".
[[nodiscard]] std::string metric_in_words(const Tuning& tuning, Metric asked);

/// How long trajectories are.
enum class TrajectoryRule {
  fixed,  ///< as trajectory_time or the kernel's steps say
  chees,  ///< as warm-up finds best; see TrajectorySearch
  nuts    ///< each until it turns back; see Nuts
};
template <>
inline constexpr auto names_of<TrajectoryRule> = std::to_array<Named<TrajectoryRule>>(
    {{TrajectoryRule::fixed, "static"}, {TrajectoryRule::chees, "chees"}, {TrajectoryRule::nuts, "nuts"}});

struct SampleOptions {
  Index chains = 4;
  int warmup = 1000;
  int draws = 1000;
  std::uint64_t seed = 0;
  int threads = 1;
  IntegratorKind integrator = IntegratorKind::leapfrog;
  IntegratorOptions integrator_options;  ///< step_size is what warm-up starts from or, without warm-up, what is used
  /// When absent, the lowest that draws stay exact with, as far as the model's gradients are good enough in it.
  std::optional<GradientPrecision> gradient_precision;
  std::optional<PoissonStructure> structure;  ///< in whitened coordinates; canonical when absent
  Metric metric = Metric::dense;
  TrajectoryRule trajectory = TrajectoryRule::fixed;
  KernelOptions kernel;  ///< its `steps` is used as it is when fixed_steps; otherwise it follows from trajectory_time
  bool fixed_steps = false;
  double trajectory_time =
      1.5;  ///< or the first guess of it; in whitened coordinates, where a Gaussian turns once in 2π
  int max_steps = 1000;
  bool tune_copies = true;                  ///< whether warm-up chooses σ and θ of `doubled`
  std::optional<double> target_acceptance;  ///< a sensible one for the integrator when absent
  /// For warm-up and sampling together. Where it ends a run, the number of draws is the clock's; their values are not.
  std::optional<double> max_seconds;
};
/// Throws InputError naming the option, its value and the rule.
void validate(const SampleOptions& options, Index dim);
/// Whether draws have a bias that more of them do not remove.
[[nodiscard]] bool is_approximate(const SampleOptions& options) noexcept;

/// The integrator of a run, as a tuning has it.
[[nodiscard]] Integrator make_integrator(const SampleOptions& options, const PoissonStructure& structure,
                                         const Tuning& tuning);

/// One draw as it happens. `values` are the model's own (Model::names), valid during the call only.
struct Draw {
  Index chain = 0;
  int iteration = 0;  ///< from 0, over warm-up and sampling together
  bool is_warmup = false;
  std::span<const double> values;
  double log_density = 0.0;
  double step_size = 0.0;
  int steps = 0;
  const Transition* transition = nullptr;
};

struct SampleResult {
  Tuning tuning;
  GradientPrecision gradient_precision = GradientPrecision::full;  ///< that draws were made with
  bool single_precision_is_too_rough = false;                      ///< it is full for that reason
  std::int64_t warmup_gradients = 0;
  std::int64_t sampling_gradients = 0;
  double warmup_seconds = 0.0;
  double sampling_seconds = 0.0;  ///< without what observers took between looks
  int draws = 0;                  ///< of each chain, after warm-up
  bool interrupted = false;       ///< by Observers::stop, before all was drawn
  bool out_of_time = false;       ///< by max_seconds, before all was drawn
};

/// What gradients draws were made with, in words, and why.
[[nodiscard]] std::string_view gradients_in_words(const SampleResult& result) noexcept;

/// Runs blocks of chains: warm-up in rounds with all chains' observations pooled at barriers, then sampling with everything
/// frozen. Draws are a function of options and starts alone, whatever the number of threads.
class Sampler {
 public:
  Sampler(std::shared_ptr<const Model> model, SampleOptions options);

  /// Called for every draw: of one chain in order, of different chains possibly from different threads at once.
  using OnDraw = std::function<void(const Draw&)>;
  /// Called once, between warm-up and sampling; not where the run was stopped before.
  using OnFrozen = std::function<void(const Tuning&)>;
  /// Called when every chain has made `drawn` draws after warm-up, first with 0: how many there are to be when it is called
  /// again. No more than there are ends the run, and so do as many as the options ask for.
  using NextLook = std::function<int(int drawn)>;
  struct Observers {
    OnDraw on_draw;
    OnFrozen on_frozen;
    /// When it becomes true, the run ends after the current transitions, all chains with the same number of draws.
    const std::atomic<bool>* stop = nullptr;
    NextLook next_look{};  ///< NOLINT(readability-redundant-member-init): so initialisers may leave it out
  };

  /// `starts` has one lane per chain, in the model's own coordinates, each with a finite log density. With a `tuning` there
  /// is no warm-up. An exception of the model passes through after all chains have stopped; draws made until then have been
  /// handed over.
  SampleResult run(ConstBatch starts, const Observers& observers, const std::optional<Tuning>& tuning = {});

 private:
  std::shared_ptr<const Model> model_;
  SampleOptions options_;
};

}  // namespace darboux
