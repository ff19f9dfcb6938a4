#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "integrate/integrator.hpp"
#include "sample/trajectory_search.hpp"

namespace darboux {

/// What happens to a chain's direction in time.
enum class DirectionMode {
  persistent,  ///< kept while proposals are accepted, turned round on rejection: a lifted, non-reversible chain
  random       ///< drawn anew, fairly, before every transition
};
template <>
inline constexpr auto names_of<DirectionMode> =
    std::to_array<Named<DirectionMode>>({{DirectionMode::persistent, "persistent"}, {DirectionMode::random, "random"}});

struct KernelOptions {
  int steps = 10;            ///< of each trajectory
  int max_depth = 10;        ///< of NUTS: at most 2^max_depth steps
  double persistence = 0.0;  ///< α in p ← α p + √(1 − α²) ξ: 0 draws p anew, 1 keeps it (invariant, but not ergodic)
  DirectionMode direction = DirectionMode::persistent;
  double copy_spread = 0.2;          ///< σ of `doubled`
  double reverse_check_rate = 1.0;   ///< share of transitions whose implicit steps are checked; below 1 is approximate
  double max_energy_error = 1000.0;  ///< ΔH above which a trajectory counts as diverged; at least 50
};
/// Throws InputError naming the option, its value and the rule.
void validate(const KernelOptions& options);

/// The Markov state of a block of chains: (q, p, d) per lane. Lanes beyond the last chain are padding.
struct ChainBlock {
  ChainBlock(Index dim, Index lanes, std::uint64_t seed, std::uint64_t first_chain, Index chains);

  [[nodiscard]] std::uint64_t chain_of(Index lane) const noexcept {
    return first_chain + static_cast<std::uint64_t>(lane);
  }

  PhaseBlock z;                  ///< between transitions with U(q), its potential, current: see Kernel::evaluate
  LaneVector<double> direction;  ///< d = ±1; 0 for padding lanes
  std::uint64_t seed;
  std::uint64_t first_chain;
  Index chains;  ///< lanes in use
};

/// What a transition did to one chain.
struct Transition {
  double energy_error = 0.0;            ///< ΔH of the proposal; +∞ where it failed
  double acceptance_probability = 0.0;  ///< min(1, e^{−ΔH}); 0 where it failed
  double energy = 0.0;                  ///< H of the state after the transition
  double direction = 0.0;               ///< ±1: of the proposal in time
  bool accepted = false;
  Status status = Status::ok;  ///< of the proposal; anything but ok was rejected
  std::int64_t gradients = 0;
  std::int64_t solver_iterations = 0;
  int steps = 0;       ///< of the integrator
  int tree_depth = 0;  ///< of NUTS
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
/// before step 1 and rejection keeps (q, p). `doubled` draws its offset δ̃ ~ N(0, σ²I) with the momentum and accepts on the
/// change of H(m) + ‖δ̃‖²/(2σ²). `explicit` starts with equal copies and is approximate under any rule.
class alignas(cache_line) Kernel {
 public:
  Kernel(Integrator integrator, const KernelOptions& options);

  [[nodiscard]] const Integrator& integrator() const noexcept { return integrator_; }
  [[nodiscard]] const KernelOptions& options() const noexcept { return options_; }

  void set_steps(int steps) noexcept { options_.steps = steps; }

  /// What the last transition showed about its duration, chain by chain.
  [[nodiscard]] std::span<const JumpSums> jumps() const noexcept { return jumps_; }

  /// The first direction of every chain, fair (all at +1 would be a bias), and its first momentum.
  static void draw_direction_and_momentum(ChainBlock& block);
  /// p ← α p + √(1 − α²) ξ.
  static void refresh_momentum(ChainBlock& block, Index lane, std::uint64_t iteration, double keep);
  /// Evaluates U(q): call it whenever q was set from outside.
  static void evaluate(ChainBlock& block, Potential& u);

  /// One transition of every chain, with the random numbers of (seed, chain, iteration). `out` has one entry per lane.
  void transition(ChainBlock& block, Potential& u, std::uint64_t iteration, std::span<Transition> out);

 private:
  void refresh(ChainBlock& block, std::uint64_t iteration);
  void energy(const ChainBlock& block, std::span<double> out) const;
  void decide(ChainBlock& block, std::uint64_t iteration, std::span<Transition> out);
  void measure_jumps(const ChainBlock& block, std::span<const Transition> out);

  Integrator integrator_;
  KernelOptions options_;
  PhaseBlock start_{0, 0};  // the block after its momenta were refreshed: where rejected chains return to
  LaneVector<double> dt_, energy_before_, energy_after_;
  LaneVector<JumpSums> jumps_;
  LaneVector<double> restored_;  // 1 in the lanes that go back to their start
};

}  // namespace darboux
