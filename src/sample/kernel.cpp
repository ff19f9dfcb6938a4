#include "sample/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "darboux/core/error.hpp"
#include "darboux/core/random.hpp"
#include "linalg/batch_product.hpp"
#include "linalg/normals.hpp"

namespace darboux {

namespace {

double fair_sign(const RandomKey& key) { return RandomStream(key).uniform() < 0.5 ? -1.0 : 1.0; }

}  // namespace

void validate(const KernelOptions& options) {
  if (!(options.momentum_kept >= 0.0 && options.momentum_kept <= 1.0))
    throw InputError(fmt::format("momentum-kept = {}: must be between 0 and 1", options.momentum_kept));
  if (!(options.reverse_check_rate >= 0.0 && options.reverse_check_rate <= 1.0))
    throw InputError(fmt::format("reverse-check = {}: must be between 0 and 1", options.reverse_check_rate));
  if (!(options.max_energy_error >= 50.0))
    throw InputError(
        fmt::format("max_energy_error = {}: must be at least 50, where no proposal would be accepted anyway; "
                    "rejecting smaller errors outright would bias the draws",
                    options.max_energy_error));
}

ChainBlock::ChainBlock(Index dim, Index chains, std::uint64_t seed_, std::uint64_t first_chain_)
    : z(dim, chains),
      direction(at(chains), 1.0),
      motion(at(chains), MotionKind::hamiltonian),
      seed(seed_),
      first_chain(first_chain_) {}

Kernel::Kernel(Integrator integrator, const KernelOptions& options, double copy_spread)
    : integrator_(std::move(integrator)), options_(options), copy_spread_(copy_spread) {
  validate(options);
  if (!(copy_spread > 0.0 && std::isfinite(copy_spread)))
    throw InputError(fmt::format("copy-spread = {}: must be a positive number", copy_spread));
}

void Kernel::draw_direction_and_momentum(ChainBlock& block) {
  for (Index lane = 0; lane < block.chains(); ++lane) {
    RandomKey key{.seed = block.seed, .purpose = Purpose::first_direction, .chain = block.chain_of(lane)};
    block.direction[at(lane)] = fair_sign(key);
    key.purpose = Purpose::first_momentum;
    RandomStream random(key);
    for (Index j = 0; j < block.z.dim(); ++j) block.z.p(j, lane) = random.normal();
    block.motion[at(lane)] = MotionKind::hamiltonian;
  }
}

void Kernel::refresh_momentum(ChainBlock& block, Index lane, std::uint64_t iteration, double keep, MotionKind motion) {
  if (block.motion[at(lane)] != motion) keep = 0.0;
  block.motion[at(lane)] = motion;
  const double renew = std::sqrt(1.0 - keep * keep);
  if (renew == 0.0) return;
  mix_with_normals(
      {.seed = block.seed, .purpose = Purpose::momentum, .chain = block.chain_of(lane), .iteration = iteration}, keep,
      renew, block.z.p, lane);
  if (motion == MotionKind::microcanonical) fix_speed(block.z, lane);
}

void Kernel::evaluate(ChainBlock& block, Potential& u) {
  block.z.forget_gradient(block.direction);
  std::fill(block.z.status.begin(), block.z.status.end(), Status::ok);
  u.ensure_value(block.z, block.direction);
}

void Kernel::refresh(ChainBlock& block, std::uint64_t iteration) {
  PhaseBlock& z = block.z;
  z.check_reverse =
      RandomStream({.seed = block.seed, .purpose = Purpose::reverse_check, .chain = 0, .iteration = iteration})
          .uniform() < options_.reverse_check_rate;
  const IntegratorTraits traits = integrator_.traits();
  for (Index lane = 0; lane < block.chains(); ++lane) {
    RandomKey key{
        .seed = block.seed, .purpose = Purpose::direction, .chain = block.chain_of(lane), .iteration = iteration};
    refresh_momentum(block, lane, iteration, options_.momentum_kept, traits.motion);
    if (options_.direction == DirectionMode::random) block.direction[at(lane)] = fair_sign(key);
    if (traits.doubled_space) {
      key.purpose = Purpose::copy_offset;
      RandomStream random(key);
      const double spread = traits.random_offset ? copy_spread_ : 0.0;
      for (Index j = 0; j < z.offset.rows(); ++j) z.offset(j, lane) = spread * random.normal();
    }
  }
}

/// H(q, p) = U(q) + ½ pᵀp, or U(q) alone in microcanonical motion, where pᵀp = d always.
void Kernel::state_energy(const ChainBlock& block, std::span<double> out) const {
  std::copy(block.z.potential.begin(), block.z.potential.end(), out.begin());
  if (integrator_.traits().motion == MotionKind::hamiltonian) add_kinetic_energy(block.z, block.direction, out);
}

/// With ‖δ̃‖²/(2σ²) for `doubled`.
void Kernel::energy(const ChainBlock& block, std::span<double> out) const {
  const IntegratorTraits traits = integrator_.traits();
  state_energy(block, out);
  if (traits.random_offset) add_offset_energy(block.z, copy_spread_, block.direction, out);
}

void Kernel::transition(ChainBlock& block, Potential& u, std::uint64_t iteration, int steps,
                        std::span<Transition> out) {
  const std::size_t lanes = block.direction.size();
  if (steps < 1) throw InputError(fmt::format("steps = {}: must be at least 1", steps));
  if (out.size() != lanes)
    throw InputError(fmt::format("{} transitions for {} lanes: must be one each", out.size(), lanes));
  for (auto* scratch : {&dt_, &energy_before_, &energy_after_, &restored_}) scratch->resize(lanes);
  refresh(block, iteration);
  for (std::size_t l = 0; l < lanes; ++l) {
    dt_[l] = block.direction[l] * integrator_.step_size();
    out[l] = {.step_size = integrator_.step_size(),
              .direction = block.direction[l],
              .gradients = -u.gradient_evaluations()[l],
              .steps = steps};
  }
  energy(block, energy_before_);
  integrator_.start(block.z, u, dt_);
  start_ = block.z;
  for (int i = 1; i <= steps; ++i) integrator_.step(block.z, u, dt_, i == steps);
  integrator_.finish(block.z, dt_);
  u.ensure_value(block.z, dt_);
  energy(block, energy_after_);
  for (std::size_t l = 0; l < lanes; ++l) {
    energy_after_[l] += block.z.work[l];
    out[l].gradients += u.gradient_evaluations()[l];
    out[l].solver_iterations = block.z.solver_iterations[l];
  }
  measure_jumps(block, out);
  decide(block, iteration, out);
}

/// Before decide() puts rejected chains back.
void Kernel::measure_jumps(const ChainBlock& block, std::span<const Transition> out) {
  const PhaseBlock& z = block.z;
  jumps_.clear();
  for (Index lane = 0; lane < block.chains(); ++lane) {
    double before = 0.0, after = 0.0, distance = 0.0;
    for (Index j = 0; j < z.dim(); ++j) {
      const double q = start_.q(j, lane), end = z.q(j, lane);
      before += q * q;
      after += end * end;
      distance += (end - q) * (end - q);
    }
    before = std::sqrt(before);
    after = std::sqrt(after);
    JumpSums& jump = jumps_.emplace_back(JumpSums{.duration = out[at(lane)].steps * integrator_.step_size(),
                                                  .norm = before,
                                                  .norm_squared = before * before,
                                                  .gradients = static_cast<double>(out[at(lane)].gradients),
                                                  .count = 1.0});
    const double change = energy_after_[at(lane)] - energy_before_[at(lane)];
    const Status status = z.status[at(lane)];
    if (status != Status::ok || !std::isfinite(change)) {
      if (status == Status::ok || status == Status::diverged || status == Status::model_error) jump.undefined = 1.0;
      continue;
    }
    const double acceptance = std::min(1.0, std::exp(-change));
    jump.linear = acceptance * distance;
    jump.radial = acceptance * (after - before) * (after - before);
  }
}

void Kernel::decide(ChainBlock& block, std::uint64_t iteration, std::span<Transition> out) {
  PhaseBlock& z = block.z;
  std::fill(restored_.begin(), restored_.end(), 0.0);
  for (Index lane = 0; lane < block.chains(); ++lane) {
    const std::size_t l = at(lane);
    Transition& t = out[l];
    double change = energy_after_[l] - energy_before_[l];
    if (z.status[l] == Status::ok && !(std::isfinite(energy_after_[l]) && change <= options_.max_energy_error))
      z.status[l] = Status::diverged;
    t.status = z.status[l];
    if (t.status != Status::ok) change = std::numeric_limits<double>::infinity();
    t.energy_error = change;
    t.acceptance_probability = std::min(1.0, std::exp(-change));
    const double u =
        RandomStream(
            {.seed = block.seed, .purpose = Purpose::acceptance, .chain = block.chain_of(lane), .iteration = iteration})
            .uniform();
    t.accepted = std::log(u) < -change;
    if (options_.direction == (t.accepted ? DirectionMode::alternating : DirectionMode::persistent))
      block.direction[l] = -block.direction[l];
    if (!t.accepted) restored_[l] = 1.0;
  }
  assign_where(start_.q, restored_, z.q);
  assign_where(start_.p, restored_, z.p);
  assign_where(start_.gradient, restored_, z.gradient);
  for (std::size_t l = 0; l < restored_.size(); ++l) {
    if (restored_[l] == 0.0) continue;
    z.gradient_is_current[l] = start_.gradient_is_current[l];
    z.potential[l] = start_.potential[l];
    z.potential_is_current[l] = 1;
  }
  state_energy(block, energy_after_);
  for (std::size_t l = 0; l < out.size(); ++l) {
    out[l].energy = energy_after_[l];
    out[l].log_density = -z.potential[l];
  }
}

}  // namespace darboux
