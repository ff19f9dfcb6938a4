#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "darboux/core/choices.hpp"
#include "darboux/sample/draw.hpp"
#include "darboux/sample/tuning.hpp"
#include "integrate/integrator.hpp"
#include "sample/trajectory_search.hpp"

namespace darboux {

struct KernelOptions {
  double momentum_kept = 0.0;  ///< α in p ← α p + √(1 − α²) ξ: 0 draws p anew, 1 keeps it (invariant, but not ergodic)
  DirectionMode direction = DirectionMode::persistent;
  double reverse_check_rate = 1.0;   ///< share of transitions whose implicit steps are checked; below 1 is approximate
  double max_energy_error = 1000.0;  ///< ΔH above which a trajectory counts as diverged; at least 50
};
/// Throws InputError naming the option, its value and the rule.
void validate(const KernelOptions& options);

/// The Markov state of a block of chains: (q, p, d), one chain in each lane.
struct ChainBlock {
  ChainBlock(Index dim, Index chains, std::uint64_t seed, std::uint64_t first_chain);

  [[nodiscard]] Index chains() const noexcept { return z.lanes(); }

  [[nodiscard]] std::uint64_t chain_of(Index lane) const noexcept {
    return first_chain + static_cast<std::uint64_t>(lane);
  }

  PhaseBlock z;                   ///< between transitions with U(q), its potential, current: see Kernel::evaluate
  LaneVector<double> direction;   ///< d = ±1
  LaneVector<MotionKind> motion;  ///< that the momentum is of: one of another motion has another law
  std::uint64_t seed;
  std::uint64_t first_chain;
};

/// The transition kernel: refresh, trajectory, accept, direction. This file and its source own all four.
///
/// On the state (q, p, d) with law π(q) N(p; 0, I) ½:
///
///   1. refresh p ← α p + √(1 − α²) ξ;
///   2. run N steps with the signed step d·ε;
///   3. accept if log u < H − H', which is false for NaN.  accept → (q', p', d);  reject → (q, p, −d).
///
/// The momentum is never negated: with a general structure, going back in time takes −ε, not −p. In random mode d is drawn
/// before step 1 and rejection keeps (q, p, d). In alternating mode acceptance leads to (q', p', −d), rejection to (q, p, d):
/// (q, p, d) → (q', p', −d) is its own inverse and keeps volume, so that step 3 is in detailed balance by itself; persistent
/// mode is the same with d turned round afterwards in any case, which leaves its law alone. `doubled` draws its offset δ̃ ~ N(0, σ²I) with the momentum and accepts on the
/// change of H(m) + ‖δ̃‖²/(2σ²). `explicit` starts with equal copies and is approximate under any rule.
///
/// In microcanonical motion p is uniform on a sphere, and the change of U + K takes the place of that of H: the map of a
/// trajectory multiplies volumes by e^{−ΔK}, which the rule has to make up for.
class alignas(cache_line) Kernel {
 public:
  /// σ, the spread of the copies, is for `doubled` alone.
  Kernel(Integrator integrator, const KernelOptions& options, double copy_spread = Tuning().copy_spread);

  [[nodiscard]] const Integrator& integrator() const noexcept { return integrator_; }
  /// Of the next transitions, for an integrator that takes any.
  void use_step_size(double step_size) { integrator_.use_step_size(step_size); }

  /// What the last transition showed about its duration, chain by chain.
  [[nodiscard]] std::span<const JumpSums> jumps() const noexcept { return jumps_; }

  /// The first direction of every chain, fair (all at +1 would be a bias), and its first momentum.
  static void draw_direction_and_momentum(ChainBlock& block);
  /// p ← α p + √(1 − α²) ξ, or its direction of length √d in microcanonical motion: both keep the law of p. All is drawn anew where
  /// p is of another motion.
  static void refresh_momentum(ChainBlock& block, Index lane, std::uint64_t iteration, double keep,
                               MotionKind motion = MotionKind::hamiltonian);
  /// Evaluates U(q): call it whenever q was set from outside.
  static void evaluate(ChainBlock& block, Potential& u);

  /// One transition of every chain, of so many steps, with the random numbers of (seed, chain, iteration). `out` has one entry
  /// per lane.
  void transition(ChainBlock& block, Potential& u, std::uint64_t iteration, int steps, std::span<Transition> out);

 private:
  void refresh(ChainBlock& block, std::uint64_t iteration);
  void energy(const ChainBlock& block, std::span<double> out) const;
  void state_energy(const ChainBlock& block, std::span<double> out) const;
  void decide(ChainBlock& block, std::uint64_t iteration, std::span<Transition> out);
  void measure_jumps(const ChainBlock& block, std::span<const Transition> out);

  Integrator integrator_;
  KernelOptions options_;
  double copy_spread_;
  PhaseBlock start_{0, 0};  // the block after its momenta were refreshed: where rejected chains return to
  LaneVector<double> dt_, energy_before_, energy_after_;
  LaneVector<JumpSums> jumps_;
  LaneVector<double> restored_;  // 1 in the lanes that go back to their start
};

}  // namespace darboux
