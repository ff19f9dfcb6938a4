#include "sample/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/parallel_lanes.hpp"
#include "model/path_starts.hpp"
#include "sample/archived_types.hpp"
#include "sample/copy_trials.hpp"
#include "sample/density_scatter.hpp"
#include "sample/longest_step.hpp"
#include "sample/metric_estimate.hpp"
#include "sample/proposals.hpp"
#include "sample/shape_estimate.hpp"
#include "sample/step_choice.hpp"
#include "sample/step_size_search.hpp"
#include "sample/stragglers.hpp"
#include "sample/warm_up_plan.hpp"

namespace darboux {

namespace {

class WarmUp {
 public:
  WarmUp(ChainPool& pool, const Model& model, const SamplerSettings& settings, const Tuning& first,
         const WarmUpPoints& points)
      : pool_(pool),
        points_(points),
        model_(model),
        settings_(settings),
        dim_(model.dim()),
        longest_step_(settings),
        trajectory_(settings.trajectory),
        tuning_(first),
        stragglers_(settings.chains, model.dim()),
        target_acceptance_(settings.target_acceptance.value()),
        scatter_(settings.chains, dim_),
        search_(first.step_size, target_acceptance_),
        metric_(settings.metric, dim_),
        shapes_(settings, dim_, 0) {
    tuning_.step_size = std::min(tuning_.step_size, largest_step());
    tuning_.steps = trajectory_.length().steps.value_or(10);
    if (MetricEstimate::uses_gradients(settings.metric)) most_steps_ = 10;
    if (!points.from.empty()) read_bytes(points.from, *this);
  }

  /// Everything that the rest of warm-up depends on besides the pool and the settings, at an offered point.
  template <class Archive>
  void archive(Archive& fields) {
    fields(tuning_, trajectory_, stragglers_, target_acceptance_, hopeless_, refused_, proposals_, late_, gradients_,
           most_steps_, iteration_, stretch_, is_in_stretch_, left_, spare_, rounds_, search_, metric_, copies_,
           chosen_, choice_, searched_step_size_, foreseen_, foreseen_otherwise_, shapes_, latest_hopeless_, scatter_,
           over_gaussian_, longest_step_);
    const Index last = std::ssize(stretches(settings_, CopyTrials::all_iterations)) - (is_in_stretch_ ? 1 : 0);
    require_sense(is_count(stretch_, last) && are_counts({left_, spare_}, settings_.warmup) && most_steps_ >= 1 &&
                      are_counts({iteration_, gradients_}, most_gradients),
                  "warm-up is where it never gets");
  }

  WarmedUp run() {
    adapt_all();
    return {.tuning = tuning_,
            .late = late_,
            .absent = stragglers_.late(),
            .gradients = gradients_,
            .gradients_of_turns = longest_step_.gradients(),
            .target_acceptance = target_acceptance_,
            .hopeless = hopeless_,
            .narrow = narrow(),
            .refused = refused_,
            .foreseen = foreseen_,
            .foreseen_otherwise = foreseen_otherwise_,
            .scatter = over_gaussian_};
  }

 private:
  /// From the beginning, or from where the state that was read stands.
  void adapt_all() {
    const std::vector<Stretch> all = stretches(settings_, CopyTrials::all_iterations);
    if (!is_in_stretch_) {
      put_in_force();
      tuning_.step_size = first_step_size();
    }
    for (; stretch_ < std::ssize(all); ++stretch_) {
      const Stretch& stretch = all[at(stretch_)];
      if (!is_in_stretch_) begin(stretch);
      switch (stretch.aim) {
        case Stretch::Aim::copies: choose_copies(); break;
        case Stretch::Aim::steps: choose_steps(); break;
        default: adapt(stretch);
      }
      is_in_stretch_ = false;
      if (pool_.stopped()) return;
      conclude(stretch);
    }
    pool_.set(tuning_);
  }

  void begin(const Stretch& stretch) {
    using enum Stretch::Aim;
    const bool knows_metric = stretch.aim == copies || stretch.aim == steps || stretch.aim == last_step_size;
    if (knows_metric) most_steps_ = trajectory_.length().most_steps;
    is_in_stretch_ = true;
    left_ = stretch.iterations + std::exchange(spare_, 0);
    rounds_ = 0;
    proposals_ = {};
    search_ = StepSizeSearch(tuning_.step_size, target_acceptance_);
    if (stretch.aim != steps) metric_ = MetricEstimate(settings_.metric, dim_);
    shapes_ = ShapeEstimate(settings_, dim_, stretch.aim == metric ? stretch.iterations : 0);
    copies_ = CopyTrials(tuning_);
    chosen_ = tuning_;
    scatter_ = DensityScatter(settings_.chains, dim_);
    if (stretch.aim == steps) {
      choose_motion();
      choice_ = step_choice();
    }
  }

  void conclude(const Stretch& stretch) {
    using enum Stretch::Aim;
    if (stretch.aim == copies || stretch.aim == steps || stretch.aim == last_step_size) return;
    look_for_walls();
    look_for_turns();
    if (stretch.aim == step_size) return bring_stragglers();
    if (stretch.iterations >= long_window) {
      be_careful_where_needed();
      over_gaussian_ = scatter_.over_gaussian(stragglers_);
    }
    if (stretch.iterations >= telling_window) most_steps_ = std::max(2 * most_steps_, 32);
    searched_step_size_ = tuning_.step_size;
    metric_.put_into(tuning_);
    shapes_.put_into(tuning_);
    trajectory_.forget();
    put_in_force();
    bring_stragglers();
    use_step_size(first_step_size());
  }

  double first_step_size() {
    return first_good_step_size(tuning_.step_size, largest_step(), [this](double tried) {
      return stragglers_.mean_of_arrived(pool_.try_step_size(tried));
    });
  }

  void use_step_size(double step_size) {
    if (has_chosen_steps()) return;
    step_size = std::min(step_size, largest_step());
    tuning_.step_size = step_size;
    if (const TrajectoryLength& length = trajectory_.length(); !length.steps) {
      // Before there is a preconditioner, times mean little and long trajectories are wasted.
      constexpr int unscaled_limit = 10;
      const int limit = std::min(has_scales() ? most_steps_ : unscaled_limit, length.most_steps);
      tuning_.steps = std::clamp(time() / step_size, 1.0, static_cast<double>(limit));
    }
    put_in_force();
  }

  [[nodiscard]] LongestStep::Circumstances circumstances() const {
    return {.stages = tuning_.stages, .time = time(), .has_scales = has_scales(), .has_walls = refused_ > 0.0};
  }
  [[nodiscard]] double largest_step() const { return longest_step_.in(circumstances()); }
  void look_for_turns() {
    if (!longest_step_.depends_on_turns(circumstances())) return;
    longest_step_.look_for_turns(model_, pool_.positions(stragglers_.others(16)).view(), tuning_.step_size);
  }
  [[nodiscard]] bool has_scales() const { return settings_.metric == Metric::identity || !tuning_.center.empty(); }
  void put_in_force() { pool_.set(tuning_, has_scales() ? ChainPool::Motion::as_asked : ChainPool::Motion::plain); }

  /// Rounds of a few iterations with one step size each; the pooled acceptance of a round moves the next. The search begins at
  /// ten times its first step size: a step size that is to stay needs some twenty rounds, if there is time for them.
  void adapt(const Stretch& stretch) {
    constexpr int longest = 5;
    const bool is_window = stretch.aim == Stretch::Aim::metric;
    const int round = is_window ? longest : std::clamp(stretch.iterations / 20, 1, longest);
    const bool tunes_trajectory = trajectory_.wants_to_look() && has_scales() && is_window;
    pool_.look_around(tunes_trajectory);
    pool_.observe_gradients(is_window && MetricEstimate::uses_gradients(settings_.metric));
    while (left_ > 0) {
      offer_point();
      const int count = std::min(round, left_);
      use_step_size(search_.current());
      const auto seen = pool_.advance(iteration_, count);
      if (seen.iterations < count) break;  // stopped: there may be nothing to learn from
      stragglers_.observe(seen.log_density);
      const double acceptance = stragglers_.mean_of_arrived(seen.acceptance);
      const Proposals made{.count = count * 1.0,
                           .accepted = count * acceptance,
                           .hopeless = count * stragglers_.mean_of_arrived(seen.hopeless),
                           .refused = count * stragglers_.mean_of_arrived(seen.refused)};
      if (refused_ == 0.0)
        search_.observe(acceptance);
      else if (made.refused < made.count)  // of a round of nothing but refusals nothing is learnt
        search_.observe(made.acceptance_of_others());
      if (++rounds_ > rounds_of_search) {
        proposals_ += made;
        scatter_.observe(seen.log_densities);
      }
      if (tunes_trajectory)
        for (const JumpSums& jump : seen.jumps) trajectory_.observe(jump);
      iteration_ += count;
      left_ -= count;
      if (is_window) add_arrived(seen);
    }
    if (tunes_trajectory) trajectory_.settle();
    use_step_size(search_.result());
  }

  /// Warm-up can be gone on with from here.
  void offer_point() {
    if (points_.offer) points_.offer(iteration_, [this] { return bytes_of(*this); });
  }

  /// At the acceptance that is aimed at hardly any of a Gaussian's proposals are hopeless: a few are a sign, one is not. (Of a log-concave
  /// target, which does not narrow, they have to be more.) Once.
  void be_careful_where_needed() {
    constexpr double few = 3.0;
    const double share = proposals_.hopeless_of_others();
    latest_hopeless_ = share;
    if (!settings_.acceptance_may_rise || hopeless_ > 0.0 || share < hopeless_enough) return;
    const bool are_few = share * proposals_.count * static_cast<double>(settings_.chains) < few;
    if (share < too_hopeless && (are_few || model_.traits().log_concave)) return;
    hopeless_ = share;
    target_acceptance_ = 0.5 * (1.0 + target_acceptance_);
  }

  /// Steps have become so short that what is not refused is accepted nearly always, and still much is refused. NUTS ends a
  /// trajectory at the wall and takes a point from before.
  void look_for_walls() {
    if (settings_.trajectory.traits().goes_both_ways) return;
    constexpr double few = 20.0;
    if (refused_ > 0.0 || proposals_.count < few) return;
    const double share = proposals_.refused / proposals_.count, spare = 0.5 * (1.0 - target_acceptance_);
    if (share > spare && proposals_.acceptance_of_others() > 1.0 - spare) refused_ = share;
  }

  void add_arrived(const Observation& seen) {
    shapes_.add(seen.positions, stragglers_);
    if (!stragglers_.any()) return metric_.add(seen.positions, seen.gradients);
    const std::size_t n = at(dim_);
    const std::span<const double> positions(seen.positions), gradients(seen.gradients);
    for (std::size_t row = 0; (row + 1) * n <= positions.size(); ++row) {
      if (stragglers_.is_late(static_cast<Index>(row) % settings_.chains)) continue;
      metric_.add(positions.subspan(row * n, n), gradients.empty() ? gradients : gradients.subspan(row * n, n));
    }
  }

  /// Each chain once.
  void bring_stragglers() {
    std::vector<Index> chains = stragglers_.late();
    std::erase_if(chains, [&](Index c) { return std::ranges::find(late_, c) != late_.end(); });
    if (chains.empty() || pool_.stopped()) return;
    const Starts places = follow_paths(ParallelLanes(model_, settings_.threads), pool_.positions(chains),
                                       pool_.positions(stragglers_.others(2)), settings_.seed + late_.size());
    pool_.move(chains, places.q);
    gradients_ += places.gradients + places.densities;
    for (const Index c : chains) stragglers_.forget(c);
    late_.insert(late_.end(), chains.begin(), chains.end());
  }

  [[nodiscard]] bool has_chosen_steps() const { return tuning_.step_spread > 0.0; }

  /// Hamiltonian motion is slow to cross levels of U that scatter widely. Beside walls and in few dimensions another was not found to be better;
  /// where the density narrows none suits it, and divergences and energies of Hamiltonian motion say so.
  void choose_motion() {
    const bool narrows = std::max(hopeless_, latest_hopeless_) >= hopeless_enough;
    const bool may_suit = settings_.chooses_motion && DensityScatter::is_wide(over_gaussian_, dim_);
    if (may_suit && !narrows && refused_ == 0.0) tuning_.motion = chosen_.motion = MotionKind::microcanonical;
    if (!is_microcanonical()) return;
    if (!settings_.keeps_refreshment) tuning_.momentum_kept = chosen_.momentum_kept = 0.4;
    put_in_force();
  }
  [[nodiscard]] bool is_microcanonical() const {
    return settings_.chooses_steps && tuning_.motion == MotionKind::microcanonical;
  }
  /// The mean length of trajectories, longer where levels of U are to be crossed (docs/tuning.md).
  [[nodiscard]] double time() const {
    return std::max(trajectory_.length().time, is_microcanonical() && !settings_.keeps_time ? 2.0 : 0.0);
  }

  /// Tries plans for trajectories, a few iterations each, as long as there are any that promise more. Where the target narrows or has
  /// walls, long steps get stuck in places that a few iterations do not show: there, and where no plan is foreseen to do better, step
  /// sizes are searched for as ever. (A log-concave target does not narrow: its hopeless proposals are but steps that were too long.)
  void choose_steps() {
    try_steps();
    spare_ = left_;  // for the stretch that follows
  }
  /// The share of proposals that hardly had a chance, where it leaves no long steps to try.
  [[nodiscard]] double narrow() const {
    const double share = std::max(hopeless_, latest_hopeless_);
    return share >= too_hopeless && !model_.traits().log_concave ? share : 0.0;
  }
  void try_steps() {
    if (narrow() > 0.0 || refused_ > 0.0) return;
    const bool may_narrow = !model_.traits().log_concave;
    // The estimate of the metric goes on, where it costs little and no shapes were fitted in its coordinates.
    const bool goes_on = metric_of(tuning_.factor) == Metric::dense && tuning_.shapes.empty();
    constexpr double enough = 40.0;  // transitions, whose mean acceptance is known to a few percent
    const int iterations = std::max(5, static_cast<int>(std::ceil(enough / static_cast<double>(settings_.chains))));
    for (std::optional<StepPlan> plan; left_ >= iterations && (plan = choice_.next());) {
      offer_point();
      tuning_ = with_steps(chosen_, *plan);
      put_in_force();
      const auto seen = pool_.advance(iteration_, iterations);
      if (seen.iterations < iterations) break;
      iteration_ += iterations;
      left_ -= iterations;
      const bool is_stuck = may_narrow && stragglers_.mean_of_arrived(seen.hopeless) > 1.5 * too_hopeless;
      choice_.observe(*plan, stragglers_.mean_of_arrived(seen.acceptance), is_stuck);
      if (goes_on) add_arrived(seen);
    }
    chosen_.step_size = searched_step_size_;
    const std::optional<StepPlan> plan = is_microcanonical() ? choice_.best() : what_pays();
    tuning_ = plan ? with_steps(chosen_, *plan) : chosen_;
    if (goes_on) metric_.put_into(tuning_);
    put_in_force();
  }
  /// The best plan that was tried, where it is foreseen to give more than steps by acceptance alone. (A target that scatters more than a
  /// Gaussian is none, of which alone anything can be foreseen.)
  std::optional<StepPlan> what_pays() {
    foreseen_ = choice_.best_worth();
    foreseen_otherwise_ = choice_.worth_of_search(chosen_, target_acceptance_);
    if (foreseen_ > foreseen_otherwise_) return choice_.best();
    foreseen_ = foreseen_otherwise_;
    return {};
  }

  [[nodiscard]] StepChoice step_choice() const {
    StepChoice::Rules rules{.target = guess_of(tuning_, dim_, time()),
                            .time = time(),
                            .least_acceptance = target_acceptance_ - 0.03,  // the noise of a trial
                            .whole_time = settings_.keeps_time || is_microcanonical()};
    if (settings_.keeps_stages) rules.stages = tuning_.stages;
    if (settings_.keeps_refreshment || is_microcanonical()) rules.momentum_kept = tuning_.momentum_kept;
    return StepChoice(rules);
  }

  void choose_copies() {
    while (!copies_.are_done()) {
      offer_point();
      tuning_ = copies_.next(tuning_);
      pool_.set(tuning_);
      const auto seen = pool_.advance(iteration_, CopyTrials::iterations);
      if (seen.iterations < CopyTrials::iterations) break;
      iteration_ += CopyTrials::iterations;
      copies_.observe(tuning_, stragglers_.mean_of_arrived(seen.acceptance));
    }
    tuning_ = copies_.best();
  }

  static constexpr double hopeless_enough = 0.01, too_hopeless = 0.02;  // for shorter steps; to try long ones
  static constexpr int telling_window = 20;   // iterations, after which scales do for long trajectories
  static constexpr int long_window = 100;     // iterations, from which shares of a few percent can be told
  static constexpr int rounds_of_search = 4;  // at the beginning of a stretch, with steps that are far too long

  ChainPool& pool_;
  const WarmUpPoints& points_;
  const Model& model_;
  const SamplerSettings& settings_;
  Index dim_;
  LongestStep longest_step_;
  TrajectoryRule trajectory_;
  Tuning tuning_, chosen_;
  Stragglers stragglers_;
  double target_acceptance_;
  double hopeless_ = 0.0;            // above 0 where the target is higher for that
  double latest_hopeless_ = 0.0;     // share of them in the last long window
  double refused_ = 0.0;             // above 0 where there are walls
  double searched_step_size_ = 0.0;  // at the end of the last window
  double foreseen_ = 0.0, foreseen_otherwise_ = 0.0;
  DensityScatter scatter_;      // in the present stretch
  double over_gaussian_ = 0.0;  // that of the last long window
  Proposals proposals_;
  std::vector<Index> late_;
  std::int64_t gradients_ = 0;
  int most_steps_ = 32;  // of trajectories, as long as the preconditioner is rough
  int iteration_ = 0;

  // Where it is: in a stretch, unless it is between two.
  Index stretch_ = 0;
  bool is_in_stretch_ = false;
  int left_ = 0;    // iterations of the stretch
  int spare_ = 0;   // of the one before, which it did not need
  int rounds_ = 0;  // that it has made
  StepSizeSearch search_;
  MetricEstimate metric_;
  ShapeEstimate shapes_;
  CopyTrials copies_;
  StepChoice choice_;
};

}  // namespace

WarmedUp warm_up(ChainPool& pool, const Model& model, const SamplerSettings& settings, const Tuning& first,
                 const WarmUpPoints& points) {
  return WarmUp(pool, model, settings, first, points).run();
}

}  // namespace darboux
