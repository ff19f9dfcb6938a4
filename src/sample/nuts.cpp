#include "sample/nuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

void load(ConstBatch from, Index lane, std::vector<double>& to) {
  to.resize(static_cast<std::size_t>(from.rows()));
  for (Index j = 0; j < from.rows(); ++j) to[static_cast<std::size_t>(j)] = from(j, lane);
}
void store(const std::vector<double>& from, Batch to, Index lane) {
  for (Index j = 0; j < to.rows(); ++j) to(j, lane) = from[static_cast<std::size_t>(j)];
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double log_sum_exp(double a, double b) {
  const double larger = std::max(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

}  // namespace

Nuts::Nuts(Integrator integrator, const PoissonStructure& structure, const KernelOptions& options, int max_depth)
    : integrator_(std::move(integrator)), structure_(structure), options_(options), max_depth_(max_depth) {
  validate(options);
  if (max_depth < 1 || max_depth > 30) throw InputError(fmt::format("max-depth = {}: must be from 1 to 30", max_depth));
  if (integrator_.traits().doubled_space)
    throw InputError(fmt::format(
        "trajectory = nuts: must be jittered or chees for the integrator {}, whose states are pairs of copies; or use "
        "leapfrog, magnetic-leapfrog, midpoint or split-midpoint",
        integrator_.traits().name));
}

void Nuts::run(ChainBlock& block, Potential& u, Iterations todo, const OnTransition& on_transition,
               const Stopped& /*stopped*/) {
  const std::size_t lanes = block.direction.size();
  trees_.resize(lanes);
  for (auto* scratch : {&dt_, &starting_, &energy_}) scratch->assign(lanes, 0.0);
  fit(velocity_, block.z.dim(), block.z.lanes());
  Index busy = 0;
  for (Index lane = 0; lane < block.chains() && todo.count > 0; ++lane, ++busy) begin(block, u, lane, todo.first);
  while (busy > 0) {
    if (std::any_of(starting_.begin(), starting_.end(), [](double s) { return s != 0.0; })) {
      integrator_.start(block.z, u, starting_);
      measure(block, u, starting_);
      for (Index lane = 0; lane < block.chains(); ++lane)
        if (starting_[at(lane)] != 0.0) root(block, lane);
      std::fill(starting_.begin(), starting_.end(), 0.0);
    }
    integrator_.step(block.z, u, dt_, true);
    measure(block, u, dt_);
    for (Index lane = 0; lane < block.chains(); ++lane) {
      Tree& tree = trees_[at(lane)];
      if (tree.idle) continue;
      grow(block, lane);
      if (!tree.done) continue;
      finish(block, u, lane);
      on_transition(lane, tree.transition, {});
      if (tree.iteration + 1 < todo.first + todo.count) {
        begin(block, u, lane, tree.iteration + 1);
      } else {
        tree.idle = true;
        dt_[at(lane)] = 0.0;
        --busy;
      }
    }
  }
}

/// Energies and velocities where the given lanes are now.
void Nuts::measure(ChainBlock& block, Potential& u, LaneSteps lanes) {
  if (!structure_.E().is_zero()) u.ensure_gradient(block.z, lanes);
  u.ensure_value(block.z, lanes);
  std::copy(block.z.potential.begin(), block.z.potential.end(), energy_.begin());
  add_kinetic_energy(block.z, lanes, energy_);
  structure_.A().multiply(block.z.p, velocity_);
  if (!structure_.E().is_zero()) structure_.E().add_product(block.z.gradient, velocity_);
}

void Nuts::begin(ChainBlock& block, const Potential& u, Index lane, int iteration) {
  Tree& tree = trees_[at(lane)];
  RandomKey key{.seed = block.seed,
                .purpose = Purpose::tree_direction,
                .chain = block.chain_of(lane),
                .iteration = static_cast<std::uint64_t>(iteration)};
  tree.directions = RandomStream(key);
  key.purpose = Purpose::tree_choice;
  tree.choices = RandomStream(key);
  tree.iteration = iteration;
  tree.pieces.resize(static_cast<std::size_t>(max_depth_) + 1);
  tree.piece_count = 0;
  tree.sum_of_acceptance = 0.0;
  tree.transition = {
      .step_size = integrator_.step_size(), .direction = 1.0, .gradients = -u.gradient_evaluations()[at(lane)]};
  tree.moved = tree.done = tree.idle = false;
  Kernel::refresh_momentum(block, lane, static_cast<std::uint64_t>(iteration), options_.momentum_kept);
  starting_[at(lane)] = integrator_.step_size();
}

/// The tree of one state.
void Nuts::root(ChainBlock& block, Index lane) {
  Tree& tree = trees_[at(lane)];
  tree.first_energy = energy_[at(lane)];
  load(velocity_, lane, tree.whole.first);
  tree.whole.last = tree.whole.first;
  tree.whole.sum = tree.whole.first;
  tree.whole.log_weight = 0.0;
  tree.whole.level = 0;
  remember(block, lane, tree.whole.chosen);
  tree.far_end = tree.whole.chosen;
  tree.direction = 1.0;
  choose_direction(block, lane);
}

void Nuts::remember(const ChainBlock& block, Index lane, State& state) {
  load(block.z.q, lane, state.q);
  load(block.z.p, lane, state.p);
  state.has_gradient = block.z.gradient_is_current[at(lane)] != 0;
  if (state.has_gradient) load(block.z.gradient, lane, state.gradient);
  state.potential = block.z.potential[at(lane)];
}

void Nuts::recall(const State& state, ChainBlock& block, Index lane) {
  store(state.q, block.z.q, lane);
  store(state.p, block.z.p, lane);
  block.z.gradient_is_current[at(lane)] = state.has_gradient ? 1 : 0;
  if (state.has_gradient) store(state.gradient, block.z.gradient, lane);
  block.z.potential[at(lane)] = state.potential;
  block.z.potential_is_current[at(lane)] = 1;
}

/// Whether a piece of trajectory made of these two has not turned back, as a whole and across the seam.
bool Nuts::goes_on(const Piece& a, const Piece& b) {
  const double first_a = dot(a.first, a.sum), first_b = dot(a.first, b.sum);
  const double last_a = dot(b.last, a.sum), last_b = dot(b.last, b.sum);
  return first_a + first_b > 0.0 && last_a + last_b > 0.0 &&                                            //
         first_a + dot(a.first, b.first) > 0.0 && dot(b.first, a.sum) + dot(b.first, b.first) > 0.0 &&  //
         dot(a.last, b.sum) + dot(a.last, a.last) > 0.0 && last_b + dot(b.last, a.last) > 0.0;
}

/// b comes after a: a becomes both. Whether it goes on.
bool Nuts::join(Piece& a, Piece& b, double log_chance_of_b, Tree& tree) {
  if (std::log(tree.choices.uniform()) < log_chance_of_b) {
    std::swap(a.chosen, b.chosen);
    if (&a == &tree.whole) tree.moved = true;
  }
  a.log_weight = log_sum_exp(a.log_weight, b.log_weight);
  const bool on = goes_on(a, b);
  for (std::size_t j = 0; j < a.sum.size(); ++j) a.sum[j] += b.sum[j];
  std::swap(a.last, b.last);
  ++a.level;
  return on;
}

/// One state more.
void Nuts::grow(ChainBlock& block, Index lane) {
  Tree& tree = trees_[at(lane)];
  Transition& t = tree.transition;
  ++t.steps;
  double change = energy_[at(lane)] - tree.first_energy;
  Status status = block.z.status[at(lane)];
  if (status == Status::ok && !(std::isfinite(energy_[at(lane)]) && change <= options_.max_energy_error))
    status = Status::diverged;
  if (status != Status::ok) {
    t.status = status;
    tree.done = true;
    return;
  }
  tree.sum_of_acceptance += std::min(1.0, std::exp(-change));

  Piece& leaf = tree.pieces[tree.piece_count++];
  load(velocity_, lane, leaf.first);
  leaf.last = leaf.sum = leaf.first;
  leaf.log_weight = -change;
  leaf.level = 0;
  remember(block, lane, leaf.chosen);
  while (tree.piece_count > 1) {
    Piece& a = tree.pieces[tree.piece_count - 2];
    Piece& b = tree.pieces[tree.piece_count - 1];
    if (a.level != b.level) break;
    const double log_chance_of_b = b.log_weight - log_sum_exp(a.log_weight, b.log_weight);
    if (!join(a, b, log_chance_of_b, tree)) {
      tree.done = true;
      return;
    }
    --tree.piece_count;
  }
  if (tree.pieces.front().level == tree.whole.level && tree.piece_count == 1) add_half(block, lane);
}

/// The new half is as long as the tree was.
void Nuts::add_half(ChainBlock& block, Index lane) {
  Tree& tree = trees_[at(lane)];
  Piece& half = tree.pieces.front();
  tree.piece_count = 0;
  const bool on = join(tree.whole, half, half.log_weight - tree.whole.log_weight, tree);
  tree.transition.tree_depth = tree.whole.level;
  tree.done = !on || tree.whole.level >= max_depth_;
  if (!tree.done) choose_direction(block, lane);
}

void Nuts::choose_direction(ChainBlock& block, Index lane) {
  Tree& tree = trees_[at(lane)];
  const double direction = tree.directions.uniform() < 0.5 ? -1.0 : 1.0;
  if (direction != tree.direction) {  // go on from the other end
    std::swap(tree.whole.first, tree.whole.last);
    remember(block, lane, here_);
    recall(tree.far_end, block, lane);
    std::swap(tree.far_end, here_);
  }
  tree.direction = direction;
  dt_[at(lane)] = direction * integrator_.step_size();
}

void Nuts::finish(ChainBlock& block, const Potential& u, Index lane) {
  Tree& tree = trees_[at(lane)];
  Transition& t = tree.transition;
  const State& chosen = tree.whole.chosen;
  t.accepted = tree.moved;
  recall(chosen, block, lane);
  t.log_density = -chosen.potential;
  t.energy = chosen.potential + 0.5 * dot(chosen.p, chosen.p);
  t.energy_error = t.energy - tree.first_energy;
  t.acceptance_probability = tree.sum_of_acceptance / t.steps;
  t.gradients += u.gradient_evaluations()[at(lane)];
  t.solver_iterations = block.z.solver_iterations[at(lane)];
}

}  // namespace darboux
