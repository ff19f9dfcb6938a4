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
                .transitions = std::vector<Transition>(static_cast<std::size_t>(width)),
                .positions = {}};
    for (Index lane = 0; lane < count; ++lane)
      for (Index j = 0; j < model_->dim(); ++j) block.chains.z.q(j, lane) = starts(j, first + lane);
    Kernel::draw_direction_and_momentum(block.chains);
    blocks_.push_back(std::move(block));
  }
}

Kernel ChainPool::make_kernel(const Tuning& tuning) const {
  IntegratorOptions integrator = options_.integrator_options;
  integrator.step_size = tuning.step_size;
  KernelOptions kernel = options_.kernel;
  kernel.steps = tuning.steps;
  if (options_.integrator == IntegratorKind::doubled) {
    kernel.copy_spread = tuning.copy_spread;
    // Composition needs a strength that does not change with the length of its stages.
    integrator.copies.binding = BindingAngle{tuning.binding_angle};
    if (integrator.order == 4)
      integrator.copies.binding = BindingStrength{0.5 * tuning.binding_angle / tuning.step_size};
  }
  return Kernel(Integrator(options_.integrator, structure_, integrator), kernel);
}

void ChainPool::set(const Tuning& tuning) {
  const bool same_coordinates =
      blocks_.front().u != nullptr && tuning.center == tuning_.center && tuning.factor == tuning_.factor;
  const auto old = std::exchange(whitened_, same_coordinates ? whitened_ : whiten(model_, tuning));
  tuning_ = tuning;
  const Kernel kernel = make_kernel(tuning);
  for (Block& block : blocks_) {
    block.kernel = std::make_unique<Kernel>(kernel);
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

/// All chains take the same number of steps in an iteration, so that blocks stay full; it varies between half and one and a
/// half of the tuned number, so that no trajectory length keeps meeting a period of the motion.
int ChainPool::jittered_steps(int iteration) const {
  if (options_.fixed_steps) return tuning_.steps;
  RandomStream random({.seed = options_.seed,
                       .purpose = Purpose::trajectory_length,
                       .iteration = static_cast<std::uint64_t>(iteration)});
  return std::max(1, static_cast<int>(std::lround(tuning_.steps * (0.5 + random.uniform()))));
}

ChainPool::Observation ChainPool::advance(int first_iteration, int count, const Sampler::OnDraw& on_draw,
                                          bool is_warmup) {
  parallel_for(options_.threads, std::ssize(blocks_), [&](Index b) {
    Block& block = blocks_[static_cast<std::size_t>(b)];
    block.positions.clear();
    block.acceptance = 0.0;
    for (int i = first_iteration; i < first_iteration + count && !stopped(); ++i) {
      block.kernel->set_steps(jittered_steps(i));
      block.kernel->transition(block.chains, *block.u, static_cast<std::uint64_t>(i), block.transitions);
      report(block, i, is_warmup, on_draw);
      if (!is_warmup) continue;
      for (Index lane = 0; lane < block.chains.chains; ++lane) {
        const auto q = whitened_->to_inner(column(block.chains.z.q, lane));
        block.positions.insert(block.positions.end(), q.begin(), q.end());
        block.acceptance += block.transitions[static_cast<std::size_t>(lane)].acceptance_probability;
      }
    }
  });
  Observation observation;
  for (const Block& block : blocks_) {
    observation.positions.insert(observation.positions.end(), block.positions.begin(), block.positions.end());
    observation.mean_acceptance += block.acceptance / static_cast<double>(count * options_.chains);
  }
  return observation;
}

void ChainPool::report(const Block& block, int iteration, bool is_warmup, const Sampler::OnDraw& on_draw) const {
  if (!on_draw) return;
  std::vector<double> values(model_->names().size());
  for (Index lane = 0; lane < block.chains.chains; ++lane) {
    const auto l = static_cast<std::size_t>(lane);
    const std::uint64_t chain = block.chains.chain_of(lane);
    const auto q = whitened_->to_inner(column(block.chains.z.q, lane));
    model_->constrain(q, {.seed = options_.seed, .chain = chain, .iteration = static_cast<std::uint64_t>(iteration)},
                      values);
    on_draw({.chain = static_cast<Index>(chain),
             .iteration = iteration,
             .is_warmup = is_warmup,
             .values = values,
             .log_density = -block.chains.potential[l],
             .step_size = tuning_.step_size,
             .steps = block.kernel->options().steps,
             .transition = &block.transitions[l]});
  }
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
