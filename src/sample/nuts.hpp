#pragma once

#include <vector>

#include "darboux/core/random.hpp"
#include "sample/lockstep.hpp"

namespace darboux {

/// Multinomial NUTS on any structure (Hoffman and Gelman 2014; Betancourt 2017), with a trajectory that doubles until it turns
/// back. Forward and backward in time are ±ε, never a reversed momentum, so that E and G may be anything; the velocity
/// v = q̇ = E∇U + A p takes the place of the momentum in the U-turn test. With Σv over a piece of trajectory, which is its
/// displacement over ε, the piece goes on while
///
///     v_first · Σv > 0  and  v_last · Σv > 0,
///
/// tested for every pair of subtrees that is joined, and across their seam (as Stan does). States are chosen with weights
/// e^{−H}: within a subtree evenly, and the new half over the old with probability min(1, w_new/w_old).
///
/// A lane is a state machine of its own: when its tree is done it begins its next iteration at once, whatever the others do.
class Nuts {
 public:
  /// Throws InputError for integrators on two copies of phase space, where trees have no meaning.
  Nuts(Integrator integrator, const PoissonStructure& structure, const KernelOptions& options, int max_depth);

  [[nodiscard]] const Integrator& integrator() const noexcept { return integrator_; }

  /// Makes these iterations of every chain, all of them: a tree is not given up half-way.
  void run(ChainBlock& block, Potential& u, Iterations todo, const OnTransition& on_transition, const Stopped& stopped);

 private:
  /// A point in phase space with what was computed there.
  struct State {
    std::vector<double> q, p, gradient;
    double potential = 0.0;
    bool has_gradient = false;
  };
  /// A piece of trajectory of 2^level states, in the order in which it was made.
  struct Piece {
    std::vector<double> first, last, sum;  // velocities
    double log_weight = 0.0;               // log Σ e^{H₀ − H}
    State chosen;
    int level = 0;
  };
  /// What a lane is at.
  struct Tree {
    int iteration = 0;
    RandomStream directions{RandomKey{}}, choices{RandomKey{}};
    double first_energy = 0.0;
    double direction = 1.0;  // in which it grows now
    Piece whole;             // its first end is the far one, its last the one that grows
    State far_end;
    std::vector<Piece> pieces;  // of the half that is being added
    std::size_t piece_count = 0;
    double sum_of_acceptance = 0.0;
    Transition transition;
    bool moved = false;  // away from the first state
    bool done = false;   // this iteration
    bool idle = true;    // all iterations
  };

  static void remember(const ChainBlock& block, Index lane, State& state);
  static void recall(const State& state, ChainBlock& block, Index lane);
  static bool goes_on(const Piece& a, const Piece& b);
  static bool join(Piece& a, Piece& b, double log_chance_of_b, Tree& tree);
  void measure(ChainBlock& block, Potential& u, LaneSteps lanes);
  void begin(ChainBlock& block, const Potential& u, Index lane, int iteration);
  void root(ChainBlock& block, Index lane);
  void grow(ChainBlock& block, Index lane);
  void add_half(ChainBlock& block, Index lane);
  void choose_direction(ChainBlock& block, Index lane);
  void finish(ChainBlock& block, const Potential& u, Index lane);

  Integrator integrator_;
  PoissonStructure structure_;
  KernelOptions options_;
  int max_depth_;
  std::vector<Tree> trees_;
  LaneVector<double> dt_, starting_, energy_;
  OwnedBatch velocity_;
  State here_;  // while ends change places
};

}  // namespace darboux
