#include "darboux/sample/chain_pool.hpp"

#include <algorithm>
#include <cmath>
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

constexpr int nuts_chunk = 20;  // iterations between looks at whether to stop

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
    block.u = std::make_unique<Potential>(*whitened_, block.chains.z.lanes());
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
  is_warmup_ = is_warmup;
  on_draw_ = on_draw ? &on_draw : nullptr;
  parallel_for(options_.threads, std::ssize(blocks_), [&](Index b) {
    Block& block = blocks_[static_cast<std::size_t>(b)];
    block.seen = {};
    for (int i = first_iteration; i < first_iteration + count && !stopped(); ++i) {
      if (block.nuts) {
        const int chunk = std::min(nuts_chunk, first_iteration + count - i);
        block.nuts->run(block.chains, *block.u, i, chunk,
                        [&](Index lane, int iteration, const Transition& t) { record(block, lane, iteration, t); });
        i += chunk - 1;
        continue;
      }
      block.kernel->set_steps(jittered_steps(i));
      block.kernel->transition(block.chains, *block.u, static_cast<std::uint64_t>(i), block.transitions);
      for (Index lane = 0; lane < block.chains.chains; ++lane)
        record(block, lane, i, block.transitions[static_cast<std::size_t>(lane)]);
      if (is_warmup) block.seen.jumps.push_back(block.kernel->jumps());
    }
  });
  Observation all;
  for (const Block& block : blocks_) {
    all.positions.insert(all.positions.end(), block.seen.positions.begin(), block.seen.positions.end());
    all.mean_acceptance += block.seen.mean_acceptance / static_cast<double>(count * options_.chains);
    all.jumps.resize(std::max(all.jumps.size(), block.seen.jumps.size()));
    for (std::size_t i = 0; i < block.seen.jumps.size(); ++i) {
      all.jumps[i].duration = block.seen.jumps[i].duration;
      all.jumps[i] += block.seen.jumps[i];
    }
  }
  return all;
}

void ChainPool::record(Block& block, Index lane, int iteration, const Transition& transition) const {
  report(block, lane, iteration, transition);
  if (!is_warmup_) return;
  const auto q = whitened_->to_inner(column(block.chains.z.q, lane));
  block.seen.positions.insert(block.seen.positions.end(), q.begin(), q.end());
  block.seen.mean_acceptance += transition.acceptance_probability;
}

void ChainPool::report(const Block& block, Index lane, int iteration, const Transition& transition) const {
  if (on_draw_ == nullptr) return;
  std::vector<double> values(model_->names().size());
  const std::uint64_t chain = block.chains.chain_of(lane);
  const auto q = whitened_->to_inner(column(block.chains.z.q, lane));
  model_->constrain(q, {.seed = options_.seed, .chain = chain, .iteration = static_cast<std::uint64_t>(iteration)},
                    values);
  (*on_draw_)({.chain = static_cast<Index>(chain),
               .iteration = iteration,
               .is_warmup = is_warmup_,
               .values = values,
               .log_density = -block.chains.z.potential[static_cast<std::size_t>(lane)],
               .step_size = tuning_.step_size,
               .steps = transition.steps,
               .transition = &transition});
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
