#pragma once

#include <span>
#include <vector>

#include "darboux/sample/draw.hpp"
#include "model/scratch_batch.hpp"
#include "model/whitened.hpp"
#include "sample/lockstep.hpp"

namespace darboux {

/// What the chains of a block have made since all chains last met. Memory is reused from round to round.
class ChainRound {
 public:
  /// What became of a chain in an iteration, but for where it is.
  struct Made {
    Transition transition;
    JumpSums jump;
  };

  void begin(Iterations todo, Index dim, Index chains, bool with_gradients);
  /// Takes in where a chain is after its next iteration: its lane of q, and of the gradient of U there where that was asked for.
  void add(Index lane, const Made& made, ConstBatch q, ConstBatch gradient);
  /// Chains move in coordinates of their own; what is told is of the model's: all at once, because a change of coordinates takes no
  /// longer for several chains than for one.
  void end(const Whitened& whitened);

  [[nodiscard]] int number(int i) const noexcept { return first_iteration_ + i; }
  /// How many iterations all of its chains have made.
  [[nodiscard]] int iterations() const;
  [[nodiscard]] const Made& made(int i, Index lane) const { return made_[place(i, lane)]; }
  /// In the model's own coordinates; only when the round has ended, as is the gradient.
  [[nodiscard]] std::span<const double> position(int i, Index lane) const { return of(positions_, place(i, lane)); }
  /// Empty where it was not asked for.
  [[nodiscard]] std::span<const double> gradient(int i, Index lane) const {
    return with_gradients_ ? of(gradients_, place(i, lane)) : std::span<const double>();
  }

 private:
  [[nodiscard]] std::size_t place(int i, Index lane) const noexcept {
    return static_cast<std::size_t>(i) * iterations_.size() + static_cast<std::size_t>(lane);
  }
  [[nodiscard]] std::span<const double> of(const std::vector<double>& points, std::size_t place) const {
    return {points.data() + place * at(dim_), at(dim_)};
  }

  int first_iteration_ = 0;
  Index dim_ = 0;
  bool with_gradients_ = false;
  LaneVector<int> iterations_;                 // that each chain has made
  std::vector<Made> made_;                     // by place
  std::vector<double> positions_, gradients_;  // by place
  Batch white_, white_gradients_;              // a lane for each place, in the coordinates of the chains
  ScratchBatch white_memory_, white_gradients_memory_, inner_memory_;
  LaneVector<double> jacobians_;
};

}  // namespace darboux
