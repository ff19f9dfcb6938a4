#include "sample/chain_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include "darboux/core/random.hpp"

namespace darboux {

namespace {

std::vector<double> column(ConstBatch batch, Index lane) {
  std::vector<double> x(static_cast<std::size_t>(batch.rows()));
  for (Index j = 0; j < batch.rows(); ++j) x[static_cast<std::size_t>(j)] = batch(j, lane);
  return x;
}

void set_column(Batch batch, Index lane, const std::vector<double>& x) {
  for (Index j = 0; j < batch.rows(); ++j) batch(j, lane) = x[static_cast<std::size_t>(j)];
}

/// More than one block each would be of no use, nor would those that the model does not let run.
int useful_threads(const SampleOptions& options, const ModelTraits& traits) {
  const int allowed = traits.max_concurrency > 0 ? std::min(options.threads, traits.max_concurrency) : options.threads;
  const Index width = block_width(options.chains, traits, allowed);
  return static_cast<int>(std::min<Index>(allowed, (options.chains + width - 1) / width));
}

/// What is asked for, or the lowest that leaves draws exact. NUTS needs values at every step, which are in double.
GradientPrecision lowest_precision(const SampleOptions& options, const PoissonStructure& structure,
                                   const ModelTraits& model) {
  if (!model.single_precision_gradients) return GradientPrecision::full;
  if (options.gradient_precision) return *options.gradient_precision;
  const IntegratorTraits traits = Integrator(options.integrator, structure, options.integrator_options).traits();
  if (!traits.is_explicit) return GradientPrecision::mixed;
  const bool steers_only = traits.accepts_any_field && options.trajectory != TrajectoryRule::nuts;
  return steers_only ? GradientPrecision::single : GradientPrecision::full;
}

/// Whether gradients in single precision are within a hundredth of a component's size, in the coordinates of the chains and where
/// these are. An error δ of the gradients changes the energy by about ε √L δ in L steps of ε, so that δ = 0.01 changes ΔH of a
/// proposal, which is of order 1, by a hundredth or so.
bool single_precision_suffices(const ChainBlock& block, Potential& u) {
  const Index dim = block.z.dim(), lanes = block.z.lanes();
  OwnedBatch full(dim, lanes), single(dim, lanes);
  std::vector<Status> status(static_cast<std::size_t>(lanes), Status::ok);
  u.use(GradientPrecision::full);
  u.gradient(block.z.q, block.direction, status, full);
  u.use(GradientPrecision::single);
  u.gradient(block.z.q, block.direction, status, single);
  for (Index lane = 0; lane < block.chains; ++lane) {
    double size = 0.0, error = 0.0;
    for (Index j = 0; j < dim; ++j) {
      size += full(j, lane) * full(j, lane);
      error += (single(j, lane) - full(j, lane)) * (single(j, lane) - full(j, lane));
    }
    const double component = std::max(1.0, std::sqrt(size / static_cast<double>(dim)));
    if (!(std::sqrt(error) <= 0.01 * component)) return false;
  }
  return true;
}

}  // namespace

Index block_width(Index chains, const ModelTraits& traits, int threads) noexcept {
  const Index most = std::max<Index>(1, traits.preferred_lanes);
  if (threads == 1) return most;
  const Index least = std::clamp<Index>(traits.least_lanes, 1, most);
  const Index blocks = 2 * static_cast<Index>(threads) * least;
  return std::min((chains + blocks - 1) / blocks * least, most);
}

ChainPool::ChainPool(std::shared_ptr<const Model> model, const SampleOptions& options, ConstBatch starts)
    : model_(std::move(model)),
      options_(options),
      structure_(options.structure.value_or(PoissonStructure::canonical(model_->dim()))),
      lowest_precision_(lowest_precision(options, structure_, model_->traits())),
      whitened_(whiten(model_, {})),
      workers_(useful_threads(options, model_->traits())) {
  const Index width = block_width(options.chains, model_->traits(), options.threads);
  for (Index first = 0; first < options.chains; first += width) {
    const Index count = std::min(width, options.chains - first);
    Block block{.chains = ChainBlock(model_->dim(), count, options.seed, static_cast<std::uint64_t>(first), count),
                .u = nullptr,
                .kernel = nullptr,
                .nuts = nullptr,
                .transitions = LaneVector<Transition>(static_cast<std::size_t>(count)),
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
  workers_.for_each(std::ssize(blocks_), [&](Index b) { task(blocks_[static_cast<std::size_t>(b)]); });
}

void ChainPool::Round::begin(int first_iteration, int count, const ChainBlock& chains) {
  first_iteration_ = first_iteration;
  iterations_.assign(static_cast<std::size_t>(chains.chains), 0);
  white_.resize(static_cast<std::size_t>(chains.z.dim()));
  const std::size_t places = place(count, 0);
  if (places <= made_.size()) return;
  made_.resize(places);
  positions_.resize(places * white_.size());
}

void ChainPool::Round::add(const ChainBlock& chains, Index lane, const Whitened& whitened, Made made) {
  const auto l = static_cast<std::size_t>(lane);
  const std::size_t here = place(iterations_[l]++, lane);
  made_[here] = std::move(made);
  for (std::size_t j = 0; j < white_.size(); ++j) white_[j] = chains.z.q(static_cast<Index>(j), lane);
  whitened.to_inner(white_, {positions_.data() + here * white_.size(), white_.size()});
}

int ChainPool::Round::iterations() const { return std::ranges::min(iterations_); }

Kernel ChainPool::make_kernel(const Tuning& tuning) const {
  KernelOptions kernel = options_.kernel;
  kernel.steps = std::max(1, static_cast<int>(std::lround(tuning.steps)));
  kernel.copy_spread = tuning.copy_spread;
  if (motion_ == Motion::as_asked) return Kernel(make_integrator(options_, structure_, tuning), kernel);
  return Kernel(Integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(model_->dim()),
                           {.step_size = tuning.step_size, .solver = {}, .copies = {}}),
                kernel);
}

void ChainPool::set(const Tuning& tuning, Motion motion) {
  motion_ = motion;
  const bool same_coordinates =
      blocks_.front().u != nullptr && tuning.center == tuning_.center && tuning.factor == tuning_.factor;
  const auto old = std::exchange(whitened_, same_coordinates ? whitened_ : whiten(model_, tuning));
  tuning_ = tuning;
  const Kernel kernel = make_kernel(tuning);
  for_each_block([&](Block& block) {
    block.kernel = std::make_unique<Kernel>(kernel);
    block.nuts = options_.trajectory == TrajectoryRule::nuts && motion_ == Motion::as_asked
                     ? std::make_unique<Nuts>(kernel.integrator(), structure_, kernel.options())
                     : nullptr;
    if (same_coordinates) return;
    for (Index lane = 0; lane < block.chains.chains; ++lane)
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
  if (options_.gradient_precision || lowest_precision_ == GradientPrecision::full) return lowest_precision_;
  std::vector<std::uint8_t> is_good(blocks_.size());
  for_each_block([&](Block& block) {
    is_good[static_cast<std::size_t>(&block - blocks_.data())] =
        single_precision_suffices(block.chains, *block.u) ? 1 : 0;
  });
  const bool all_are_good = std::ranges::all_of(is_good, [](std::uint8_t good) { return good != 0; });
  return all_are_good ? lowest_precision_ : GradientPrecision::full;
}

/// All chains take the same number of steps in an iteration, so that blocks stay full. Multiples of the golden ratio fill the
/// range of durations more evenly than random numbers would. Warm-up looks further around, to find out what is best.
int ChainPool::jittered_steps(int iteration) const {
  if (options_.fixed_steps) return std::max(1, static_cast<int>(std::lround(tuning_.steps)));
  constexpr double golden_ratio = 0.61803398874989485;
  const double turns =
      RandomStream({.seed = options_.seed, .purpose = Purpose::trajectory_length}).uniform() + golden_ratio * iteration;
  const double place = turns - std::floor(turns);
  const double factor = looks_around_ ? 0.3 * std::pow(7.0, place) : DurationRange{}.at(place);
  return std::max(1, static_cast<int>(std::lround(tuning_.steps * factor)));
}

ChainPool::Observation ChainPool::advance(int first_iteration, int count, const Sampler::OnDraw& on_draw,
                                          bool is_warmup) {
  Observation seen;
  for (int done = 0; done < count && !stopped();) {
    const int length = std::min(round_length_, count - done);
    const auto begin = std::chrono::steady_clock::now();
    std::exception_ptr failure;
    try {
      make_transitions(first_iteration + done, length);
    } catch (...) {
      failure = std::current_exception();
    }
    // Where the round was cut short, chains may have got to different iterations: only what all have made becomes draws.
    const int common = common_iterations();
    hand_over(common, on_draw, is_warmup);
    if (failure) std::rethrow_exception(failure);
    if (is_warmup) observe(common, seen);
    seen.iterations += common;
    done += length;
    if (length == round_length_) adjust_round(std::chrono::steady_clock::now() - begin);
  }
  seen.mean_acceptance /= static_cast<double>(count * options_.chains);
  return seen;
}

std::vector<double> ChainPool::gradient_of(Block& block, Index lane) const {
  const PhaseBlock& z = block.chains.z;
  const auto l = static_cast<std::size_t>(lane);
  if (z.gradient_is_current[l] != 0) return whitened_->gradient_to_inner(column(z.gradient, lane));
  std::vector<double> alone(z.status.size(), 0.0);
  alone[l] = 1.0;
  std::vector<Status> status(alone.size(), Status::ok);
  OwnedBatch gradient(z.dim(), z.lanes());
  block.u->gradient(z.q, alone, status, gradient);
  return whitened_->gradient_to_inner(column(gradient, lane));
}

void ChainPool::make_transitions(int first_iteration, int count) {
  for (Block& block : blocks_) block.round.begin(first_iteration, count, block.chains);
  for_each_block([&](Block& block) {
    const auto keep = [&](Index lane, const Transition& transition, const JumpSums& jump) {
      block.round.add(block.chains, lane, *whitened_,
                      {.potential = block.chains.z.potential[static_cast<std::size_t>(lane)],
                       .gradient = observes_gradients_ ? gradient_of(block, lane) : std::vector<double>(),
                       .transition = transition,
                       .jump = jump});
    };
    if (block.nuts)
      return block.nuts->run(block.chains, *block.u, first_iteration, count,
                             [&](Index lane, int, const Transition& transition) { keep(lane, transition, {}); });
    for (int i = first_iteration; i < first_iteration + count && !stopped(); ++i) {
      block.kernel->set_steps(jittered_steps(i));
      block.kernel->transition(block.chains, *block.u, static_cast<std::uint64_t>(i), block.transitions);
      for (std::size_t l = 0; l < block.transitions.size(); ++l)
        keep(static_cast<Index>(l), block.transitions[l], block.kernel->jumps()[l]);
    }
  });
}

int ChainPool::common_iterations() const {
  int common = std::numeric_limits<int>::max();
  for (const Block& block : blocks_) common = std::min(common, block.round.iterations());
  return common;
}

void ChainPool::hand_over(int iterations, const Sampler::OnDraw& on_draw, bool is_warmup) {
  if (!on_draw) return;
  for_each_block([&](Block& block) {
    for (int i = 0; i < iterations; ++i)
      for (Index lane = 0; lane < block.chains.chains; ++lane) report(block, i, lane, is_warmup, on_draw);
  });
}

void ChainPool::observe(int iterations, Observation& seen) const {
  for (int i = 0; i < iterations; ++i) {
    JumpSums jumps;
    for (const Block& block : blocks_) {
      for (Index lane = 0; lane < block.chains.chains; ++lane) {
        const Made& made = block.round.made(i, lane);
        const auto position = block.round.position(i, lane);
        seen.positions.insert(seen.positions.end(), position.begin(), position.end());
        seen.gradients.insert(seen.gradients.end(), made.gradient.begin(), made.gradient.end());
        seen.mean_acceptance += made.transition.acceptance_probability;
        jumps.duration = made.jump.duration;
        jumps += made.jump;
      }
    }
    if (!blocks_.front().nuts) seen.jumps.push_back(jumps);
  }
}

bool ChainPool::out_of_time() const noexcept {
  if (!options_.max_seconds) return false;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
  return taken.count() >= *options_.max_seconds;
}

/// Long enough that waiting for each other costs little, short enough that a stop is prompt and little is lost by it. Without
/// trees, the chains of a single block wait for nobody.
void ChainPool::adjust_round(std::chrono::steady_clock::duration taken) noexcept {
  using namespace std::chrono_literals;
  if (blocks_.size() == 1 && !blocks_.front().nuts) return;
  if (taken < 25ms) round_length_ *= 2;
  if (taken > 100ms && round_length_ > 1) round_length_ /= 2;
}

void ChainPool::report(Block& block, int i, Index lane, bool is_warmup, const Sampler::OnDraw& on_draw) const {
  const Made& made = block.round.made(i, lane);
  const int iteration = block.round.number(i);
  const std::uint64_t chain = block.chains.chain_of(lane);
  model_->constrain(block.round.position(i, lane),
                    {.seed = options_.seed, .chain = chain, .iteration = static_cast<std::uint64_t>(iteration)},
                    block.values);
  on_draw({.chain = static_cast<Index>(chain),
           .iteration = iteration,
           .is_warmup = is_warmup,
           .values = block.values,
           .log_density = -made.potential,
           .step_size = tuning_.step_size,
           .steps = made.transition.steps,
           .transition = &made.transition});
}

double ChainPool::try_step_size(double step_size) {
  Tuning trial = tuning_;
  trial.step_size = step_size;
  trial.steps = 1;
  const Kernel kernel = make_kernel(trial);
  for_each_block([&](Block& block) {
    ChainBlock there = block.chains;
    Kernel own = kernel;
    own.transition(there, *block.u, 0, block.transitions);
  });
  double sum = 0.0;
  for (const Block& block : blocks_)
    for (const Transition& transition : block.transitions) sum += transition.acceptance_probability;
  return sum / static_cast<double>(options_.chains);
}

std::int64_t ChainPool::gradient_evaluations() const noexcept {
  std::int64_t total = 0;
  for (const Block& block : blocks_) {
    total += block.earlier_gradients;
    if (!block.u) continue;
    const auto counts = block.u->gradient_evaluations();
    total += std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }
  return total;
}

}  // namespace darboux
