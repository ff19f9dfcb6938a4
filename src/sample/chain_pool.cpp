#include "sample/chain_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include "darboux/core/random.hpp"
#include "sample/archived_types.hpp"
#include "sample/gradient_precision.hpp"

namespace darboux {

namespace {

std::vector<double> column(ConstBatch batch, Index lane) {
  std::vector<double> x(static_cast<std::size_t>(batch.rows()));
  for (Index j = 0; j < batch.rows(); ++j) x[static_cast<std::size_t>(j)] = batch(j, lane);
  return x;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void set_column(Batch batch, Index lane, const std::vector<double>& x) {
  for (Index j = 0; j < batch.rows(); ++j) batch(j, lane) = x[static_cast<std::size_t>(j)];
}

/// More than one block each would be of no use, nor would those that the model does not let run.
int useful_threads(const SamplerSettings& settings, Index chains, const ModelTraits& traits) {
  const int allowed =
      traits.max_concurrency > 0 ? std::min(settings.threads, traits.max_concurrency) : settings.threads;
  const Index width = block_width(chains, traits, allowed);
  return static_cast<int>(std::min<Index>(allowed, (chains + width - 1) / width));
}

}  // namespace

Index block_width(Index chains, const ModelTraits& traits, int threads) noexcept {
  const Index most = std::max<Index>(1, traits.preferred_lanes);
  if (threads == 1) return most;
  const Index least = std::clamp<Index>(traits.least_lanes, 1, most);
  const Index blocks = 2 * static_cast<Index>(threads) * least;
  return std::min((chains + blocks - 1) / blocks * least, most);
}

ChainPool::ChainPool(std::shared_ptr<const Model> model, const SamplerSettings& settings, ConstBatch starts,
                     DrawSink& sink, Group& group)
    : model_(std::move(model)),
      settings_(settings),
      share_(group, settings.chains),
      sink_(sink),
      structure_(settings.structure.value_or(PoissonStructure::canonical(model_->dim()))),
      lowest_precision_(lowest_precision(settings, structure_, model_->traits())),
      whitened_(whiten(model_, {})),
      workers_(useful_threads(settings, share_.count(), model_->traits())) {
  const Index width = block_width(share_.count(), model_->traits(), settings.threads);
  const Index end = share_.first() + share_.count();
  for (Index first = share_.first(); first < end; first += width) {
    const Index count = std::min(width, end - first);
    Block block{.chains = ChainBlock(model_->dim(), count, settings.seed,
                                     static_cast<std::uint64_t>(settings.first_chain + first)),
                .u = nullptr,
                .mover = nullptr,
                .trials = LaneVector<Transition>(at(count)),
                .round = {},
                .values = LaneVector<double>(model_->names().size())};
    for (Index lane = 0; lane < count; ++lane)
      for (Index j = 0; j < model_->dim(); ++j) block.chains.z.q(j, lane) = starts(j, first + lane);
    Kernel::draw_direction_and_momentum(block.chains);
    blocks_.push_back(std::move(block));
  }
}

template <class Task>
void ChainPool::for_each_block(const Task& task) {
  const Apart apart(share_.group());
  workers_.for_each(std::ssize(blocks_), [&](Index b) { task(blocks_[static_cast<std::size_t>(b)]); });
}

Integrator ChainPool::integrator_for(const Tuning& tuning) const {
  if (motion_ == Motion::as_asked) return make_integrator(settings_, structure_, tuning);
  return Integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(model_->dim()),
                    {.step_size = tuning.step_size, .solver = {}, .copies = {}});
}

Mover ChainPool::mover_for(const Tuning& tuning) const {
  const TrajectoryRule& asked = settings_.trajectory;
  const TrajectoryRule rule = motion_ == Motion::as_asked ? asked : JitteredTrajectory{.length = asked.length()};
  return rule.mover({.integrator = integrator_for(tuning),
                     .structure = structure_,
                     .kernel = settings_.kernel,
                     .tuning = tuning,
                     .seed = settings_.seed,
                     .looks_around = looks_around_});
}

void ChainPool::set(const Tuning& tuning, Motion motion) {
  motion_ = motion;
  const bool same_coordinates = blocks_.front().u != nullptr && tuning.center == tuning_.center &&
                                tuning.factor == tuning_.factor && tuning.shapes == tuning_.shapes;
  const auto old = std::exchange(whitened_, same_coordinates ? whitened_ : whiten(model_, tuning));
  tuning_ = tuning;
  const Mover mover = mover_for(tuning);
  for_each_block([&](Block& block) {
    block.mover = std::make_unique<Mover>(mover);
    if (same_coordinates) return;
    for (Index lane = 0; lane < block.chains.chains(); ++lane)
      set_column(block.chains.z.q, lane, whitened_->from_inner(old->to_inner(column(block.chains.z.q, lane))));
    if (block.u) {
      const auto counts = block.u->gradient_evaluations();
      block.earlier_gradients += std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    }
    block.u = std::make_unique<Potential>(*whitened_, block.chains.z.lanes());
    Kernel::evaluate(block.chains, *block.u);
  });
  if (same_coordinates) return;
  const GradientPrecision precision = choose_precision();
  for (Block& block : blocks_) block.u->use(precision);
}

GradientPrecision ChainPool::choose_precision() {
  if (settings_.gradient_precision || lowest_precision_ == GradientPrecision::full) return lowest_precision_;
  std::vector<std::uint8_t> is_good(blocks_.size());
  for_each_block([&](Block& block) {
    is_good[static_cast<std::size_t>(&block - blocks_.data())] =
        single_precision_suffices(block.chains, *block.u) ? 1 : 0;
  });
  const bool one_is_bad = std::ranges::find(is_good, 0) != is_good.end();
  return any(share_.group(), one_is_bad) ? GradientPrecision::full : lowest_precision_;
}

int ChainPool::advance_a_little(Phase phase, int first_iteration, int count) {
  if (phase == Phase::sampling) first_iteration += settings_.warmup;
  const int length = std::min(round_length_, count);
  const auto begin = std::chrono::steady_clock::now();
  std::exception_ptr failure;
  try {
    make_transitions({.first = first_iteration, .count = length});
  } catch (...) {
    failure = std::current_exception();
  }
  agree({.first = first_iteration, .count = length}, phase, seconds_since(begin), failure != nullptr);
  const int common = static_cast<int>(last_.iterations);
  try {
    hand_over(phase, common);
  } catch (...) {
    if (!failure) failure = std::current_exception();  // what came first is the cause
  }
  if (failure) std::rethrow_exception(failure);
  if (last_.failed) meet(share_.group());  // where it is said why
  if (length == round_length_) adjust_round(share_.has_all() ? seconds_since(begin) : last_.seconds);
  return common;
}

/// Where the round was cut short, chains may have got to different iterations: only what all have made becomes draws.
void ChainPool::agree(Iterations todo, Phase phase, double seconds, bool failed) {
  const int made = common_iterations();
  if (share_.has_all()) {
    last_.iterations = made;
    return;
  }
  last_ = share_.agree({.iterations = made,
                        .failed = failed,
                        .asked_to_stop = is_asked_to_stop(),
                        .out_of_time = is_out_of_time(),
                        .seconds = seconds,
                        .divergences = phase == Phase::sampling ? count_divergences(made) : 0,
                        .where = todo.first,
                        .step_size = tuning_.step_size});
  if (told_divergences_) told_divergences_(last_.divergences);
}

std::int64_t ChainPool::count_divergences(int iterations) const {
  std::int64_t count = 0;
  for (const Block& block : blocks_)
    for (int i = 0; i < iterations; ++i)
      for (Index lane = 0; lane < block.chains.chains(); ++lane)
        count += block.round.made(i, lane).transition.status == Status::diverged ? 1 : 0;
  return count;
}

Observation ChainPool::advance(int first_iteration, int count) {
  Observation seen;
  while (seen.iterations < count && !stopped()) {
    const int made = advance_a_little(Phase::warmup, first_iteration + seen.iterations, count - seen.iterations);
    observe(made, seen);
    seen.iterations += made;
  }
  seen.end();
  return seen;
}

/// Most integrators leave it behind. What is asked for here depends on no other lane.
ConstBatch ChainPool::gradient_at(Block& block, Index lane) const {
  PhaseBlock& z = block.chains.z;
  const auto l = at(lane);
  if (z.gradient_is_current[l] != 0) return z.gradient;
  std::vector<double> alone(z.status.size(), 0.0);
  alone[l] = 1.0;
  std::vector<Status> status(alone.size(), Status::ok);
  fit(block.gradient, z.dim(), z.lanes());
  block.u->gradient(z.q, alone, status, block.gradient);
  return block.gradient;
}

void ChainPool::make_transitions(Iterations todo) {
  for (Block& block : blocks_) block.round.begin(todo, model_->dim(), block.chains.chains(), observes_gradients_);
  for_each_block([&](Block& block) {
    // Of no more than two references, so that the function needs no memory of its own.
    const OnTransition keep = [this, &block](Index lane, const Transition& transition, const JumpSums& jump) {
      block.round.add(lane, {.transition = transition, .jump = jump}, block.chains.z.q,
                      observes_gradients_ ? gradient_at(block, lane) : ConstBatch());
    };
    const auto run = [&](auto& mover) {
      mover.run(block.chains, *block.u, todo, keep, [this] { return is_to_stop(); });
    };
    try {
      std::visit(run, *block.mover);
    } catch (...) {
      block.round.end(*whitened_);  // what all chains have made are draws
      throw;
    }
    block.round.end(*whitened_);
  });
}

int ChainPool::common_iterations() const {
  int common = std::numeric_limits<int>::max();
  for (const Block& block : blocks_) common = std::min(common, block.round.iterations());
  return common;
}

void ChainPool::hand_over(Phase phase, int iterations) {
  const auto of_block = [&](Block& block) {
    for (int i = 0; i < iterations; ++i)
      for (Index lane = 0; lane < block.chains.chains(); ++lane) report(block, i, lane, phase);
  };
  // Of no more than two references, so that the function needs no memory of its own.
  workers_.for_each(std::ssize(blocks_),
                    [this, &of_block](Index b) { of_block(blocks_[static_cast<std::size_t>(b)]); });
}

void ChainPool::observe(int iterations, Observation& seen) const {
  seen.begin(settings_.chains);
  const auto transition = [](const Block& block, int i, Index lane) {
    const ChainRound::Made& made = block.round.made(i, lane);
    return SeenTransition{.acceptance = made.transition.acceptance_probability,
                          .log_density = made.transition.log_density,
                          .jump = made.jump,
                          .position = block.round.position(i, lane),
                          .gradient = block.round.gradient(i, lane)};
  };
  if (!share_.has_all())
    return share_.of_all(
        iterations, model_->dim(), observes_gradients_,
        [&](int i, Index place) {
          const auto [block, lane] = place_of(share_.first() + place);
          return transition(blocks_[block], i, lane);
        },
        seen);
  for (int i = 0; i < iterations; ++i) {
    seen.jumps.emplace_back();
    for (const Block& block : blocks_)
      for (Index lane = 0; lane < block.chains.chains(); ++lane)
        seen.add(place_among_all(block, lane), transition(block, i, lane));
  }
}

bool ChainPool::is_out_of_time() const noexcept {
  if (!settings_.max_seconds || time_is_held_) return false;
  return seconds_since(begin_) >= *settings_.max_seconds;
}

/// Long enough that waiting for each other costs little, short enough that a stop is prompt and little is lost by it. Where they
/// do not part, the chains of a single block wait for nobody.
void ChainPool::adjust_round(double seconds) noexcept {
  const bool plain = motion_ == Motion::plain || !settings_.trajectory.traits().chains_part;
  if (share_.has_all() && blocks_.size() == 1 && plain) return;
  if (seconds < 0.025) round_length_ *= 2;
  if (seconds > 0.1 && round_length_ > 1) round_length_ /= 2;
}

void ChainPool::report(Block& block, int i, Index lane, Phase phase) const {
  const int number = block.round.number(i);
  const int iteration = phase == Phase::sampling ? number - settings_.warmup : number;
  std::span<const double> values;
  if (sink_.wants_values(phase, iteration)) {
    model_->constrain(
        block.round.position(i, lane),
        {.seed = settings_.seed, .chain = block.chains.chain_of(lane), .iteration = static_cast<std::uint64_t>(number)},
        block.values);
    values = block.values;
  }
  sink_.draw({.values = values,
              .transition = block.round.made(i, lane).transition,
              .chain = place_among_all(block, lane),
              .iteration = iteration,
              .phase = phase});
}

std::vector<double> ChainPool::try_step_size(double step_size) {
  Tuning trial = tuning_;
  trial.step_size = step_size;
  const Kernel kernel(integrator_for(trial), settings_.kernel, trial.copy_spread);
  for_each_block([&](Block& block) {
    ChainBlock there = block.chains;
    Kernel own = kernel;
    own.transition(there, *block.u, 0, 1, block.trials);
  });
  std::vector<double> acceptance;
  for (const Block& block : blocks_)
    for (const Transition& transition : block.trials) acceptance.push_back(transition.acceptance_probability);
  return share_.of_all(std::move(acceptance));
}

ChainPool::Place ChainPool::place_of(Index chain) const {
  const Index width = blocks_.front().chains.chains(), place = chain - share_.first();
  return {.block = at(place / width), .lane = place % width};
}

OwnedBatch ChainPool::positions(std::span<const Index> chains) const {
  return share_.of_all(chains, model_->dim(), [&](std::size_t k) {
    const Place place = place_of(chains[k]);
    return whitened_->to_inner(column(blocks_[place.block].chains.z.q, place.lane));
  });
}

void ChainPool::move(std::span<const Index> chains, ConstBatch to) {
  for (Index k = 0; k < to.lanes(); ++k) {
    if (!share_.has(chains[at(k)])) continue;
    const Place place = place_of(chains[at(k)]);
    set_column(blocks_[place.block].chains.z.q, place.lane, whitened_->from_inner(column(to, k)));
  }
  for_each_block([](Block& block) { Kernel::evaluate(block.chains, *block.u); });
}

std::int64_t ChainPool::gradient_evaluations() const {
  std::int64_t total = 0;
  for (const Block& block : blocks_) {
    total += block.earlier_gradients;
    if (!block.u) continue;
    const auto counts = block.u->gradient_evaluations();
    total += std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }
  return sum(share_.group(), total);
}

/// What a pool has besides its chains.
void ChainPool::make_ready(GradientPrecision precision, std::int64_t earlier_gradients) {
  whitened_ = whiten(model_, tuning_);
  const Mover mover = mover_for(tuning_);
  for (Block& block : blocks_) {
    block.u = std::make_unique<Potential>(*whitened_, block.chains.z.lanes(), precision);
    block.mover = std::make_unique<Mover>(mover);
  }
  blocks_.front().earlier_gradients = earlier_gradients;
}

template <class Archive>
void ChainPool::archive(Archive& fields) {
  std::int64_t gradients = gradient_evaluations();
  GradientPrecision precision = Archive::reads ? GradientPrecision::full : gradient_precision();
  fields(tuning_, motion_, looks_around_, observes_gradients_, gradients, precision);
  require_sense(is_count(gradients, most_gradients), "gradients are less than none, or too many");
  if constexpr (Archive::reads) make_ready(precision, share_.group().is_first() ? gradients : 0);
  const auto archive_at = [&](auto& to, Index chain) {
    const auto [block, lane] = place_of(chain);
    archive_chain(to, blocks_[block].chains, lane);
  };
  if (share_.has_all()) {
    for (Index chain = 0; chain < settings_.chains; ++chain) archive_at(fields, chain);
  } else if constexpr (Archive::reads) {
    ChainBlock others(model_->dim(), 1, settings_.seed, 0);
    for (Index chain = 0; chain < settings_.chains; ++chain)
      share_.has(chain) ? archive_at(fields, chain) : archive_chain(fields, others, 0);
  } else {
    Archive own;
    for (Index place = 0; place < share_.count(); ++place) archive_at(own, share_.first() + place);
    for (const std::string& part : share_.group().gather(own.take())) fields.append(part);
  }
}
template void ChainPool::archive(ArchiveWriter&);
template void ChainPool::archive(ArchiveReader&);

template <class Archive>
void ChainPool::archive_chain(Archive& fields, ChainBlock& block, Index lane) {
  PhaseBlock& z = block.z;
  for (Batch rows : {Batch(z.q), Batch(z.p), Batch(z.gradient)})
    for (Index j = 0; j < rows.rows(); ++j) fields(rows(j, lane));
  const auto l = at(lane);
  fields(z.gradient_is_current[l], z.potential[l], z.potential_is_current[l], z.status[l], block.direction[l],
         block.motion[l]);
}

}  // namespace darboux
