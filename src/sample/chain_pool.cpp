#include "darboux/sample/chain_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "darboux/core/parallel.hpp"
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

}  // namespace

ChainPool::ChainPool(std::shared_ptr<const Model> model, const SampleOptions& options, ConstBatch starts)
    : model_(std::move(model)),
      options_(options),
      structure_(options.structure.value_or(PoissonStructure::canonical(model_->dim()))),
      whitened_(whiten(model_, {})) {
  const Index width = std::max<Index>(1, model_->traits().preferred_lanes);
  for (Index first = 0; first < options.chains; first += width) {
    const Index count = std::min(width, options.chains - first);
    Block block{.chains = ChainBlock(model_->dim(), width, options.seed, static_cast<std::uint64_t>(first), count),
                .u = nullptr,
                .kernel = nullptr,
                .nuts = nullptr,
                .transitions = std::vector<Transition>(static_cast<std::size_t>(width)),
                .made = {},
                .seen = {}};
    for (Index lane = 0; lane < count; ++lane)
      for (Index j = 0; j < model_->dim(); ++j) block.chains.z.q(j, lane) = starts(j, first + lane);
    Kernel::draw_direction_and_momentum(block.chains);
    blocks_.push_back(std::move(block));
  }
}

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
  for (Block& block : blocks_) {
    block.kernel = std::make_unique<Kernel>(kernel);
    block.nuts = options_.trajectory == TrajectoryRule::nuts && motion_ == Motion::as_asked
                     ? std::make_unique<Nuts>(kernel.integrator(), structure_, kernel.options())
                     : nullptr;
    if (same_coordinates) continue;
    for (Index lane = 0; lane < block.chains.chains; ++lane)
      set_column(block.chains.z.q, lane, whitened_->from_inner(old->to_inner(column(block.chains.z.q, lane))));
    if (block.u) {
      const auto counts = block.u->gradient_evaluations();
      block.earlier_gradients += std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    }
    block.u = std::make_unique<Potential>(*whitened_, block.chains.z.lanes(), options_.gradient_precision);
    Kernel::evaluate(block.chains, *block.u);
  }
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
  for (Block& block : blocks_) block.seen = {};
  int made_by_all = 0;
  for (int done = 0; done < count && !stopped();) {
    const int length = std::min(round_length_, count - done);
    const auto begin = std::chrono::steady_clock::now();
    std::exception_ptr failure;
    try {
      make_transitions(first_iteration + done, length);
    } catch (...) {
      failure = std::current_exception();
    }
    made_by_all += hand_over(on_draw, is_warmup);
    if (failure) std::rethrow_exception(failure);
    done += length;
    if (length == round_length_) adjust_round(std::chrono::steady_clock::now() - begin);
  }
  Observation all;
  all.iterations = made_by_all;
  for (const Block& block : blocks_) {
    all.positions.insert(all.positions.end(), block.seen.positions.begin(), block.seen.positions.end());
    all.gradients.insert(all.gradients.end(), block.seen.gradients.begin(), block.seen.gradients.end());
    all.mean_acceptance += block.seen.mean_acceptance / static_cast<double>(count * options_.chains);
    all.jumps.resize(std::max(all.jumps.size(), block.seen.jumps.size()));
    for (std::size_t i = 0; i < block.seen.jumps.size(); ++i) {
      all.jumps[i].duration = block.seen.jumps[i].duration;
      all.jumps[i] += block.seen.jumps[i];
    }
  }
  return all;
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
  for (Block& block : blocks_) block.made.assign(static_cast<std::size_t>(block.chains.chains), {});
  parallel_for(options_.threads, std::ssize(blocks_), [&](Index b) {
    Block& block = blocks_[static_cast<std::size_t>(b)];
    const auto keep = [&](Index lane, int iteration, const Transition& transition) {
      const auto l = static_cast<std::size_t>(lane);
      block.made[l].push_back({.iteration = iteration,
                               .position = whitened_->to_inner(column(block.chains.z.q, lane)),
                               .gradient = observes_gradients_ ? gradient_of(block, lane) : std::vector<double>(),
                               .potential = block.chains.z.potential[l],
                               .transition = transition});
    };
    if (block.nuts) return block.nuts->run(block.chains, *block.u, first_iteration, count, keep);
    for (int i = first_iteration; i < first_iteration + count && !stopped(); ++i) {
      block.kernel->set_steps(jittered_steps(i));
      block.kernel->transition(block.chains, *block.u, static_cast<std::uint64_t>(i), block.transitions);
      for (Index lane = 0; lane < block.chains.chains; ++lane)
        keep(lane, i, block.transitions[static_cast<std::size_t>(lane)]);
      block.seen.jumps.push_back(block.kernel->jumps());
    }
  });
}

/// Where the round was cut short, chains may have got to different iterations: only what all have made becomes draws.
int ChainPool::hand_over(const Sampler::OnDraw& on_draw, bool is_warmup) {
  std::size_t common = blocks_.front().made.front().size();
  for (const Block& block : blocks_)
    for (const auto& chain : block.made) common = std::min(common, chain.size());
  parallel_for(options_.threads, std::ssize(blocks_), [&](Index b) {
    Block& block = blocks_[static_cast<std::size_t>(b)];
    for (std::size_t i = 0; i < common; ++i) {
      for (std::size_t lane = 0; lane < block.made.size(); ++lane) {
        const Made& made = block.made[lane][i];
        if (on_draw) report(block.chains.chain_of(static_cast<Index>(lane)), made, is_warmup, on_draw);
        if (!is_warmup) continue;
        block.seen.positions.insert(block.seen.positions.end(), made.position.begin(), made.position.end());
        block.seen.gradients.insert(block.seen.gradients.end(), made.gradient.begin(), made.gradient.end());
        block.seen.mean_acceptance += made.transition.acceptance_probability;
      }
    }
  });
  return static_cast<int>(common);
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

void ChainPool::report(std::uint64_t chain, const Made& made, bool is_warmup, const Sampler::OnDraw& on_draw) const {
  std::vector<double> values(model_->names().size());
  model_->constrain(made.position,
                    {.seed = options_.seed, .chain = chain, .iteration = static_cast<std::uint64_t>(made.iteration)},
                    values);
  on_draw({.chain = static_cast<Index>(chain),
           .iteration = made.iteration,
           .is_warmup = is_warmup,
           .values = values,
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
  std::vector<double> sums(blocks_.size());
  parallel_for(options_.threads, std::ssize(blocks_), [&](Index b) {
    Block& block = blocks_[static_cast<std::size_t>(b)];
    ChainBlock there = block.chains;
    Kernel own = kernel;
    own.transition(there, *block.u, 0, block.transitions);
    for (Index lane = 0; lane < there.chains; ++lane)
      sums[static_cast<std::size_t>(b)] += block.transitions[static_cast<std::size_t>(lane)].acceptance_probability;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(options_.chains);
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
