#pragma once

#include <span>
#include <vector>

#include "core/archive.hpp"
#include "darboux/core/batch.hpp"

namespace darboux {

/// Which chains have not arrived where the others are. In n dimensions the log density of a posterior scatters by about √(n/2), or
/// by what chains themselves show; one that is lower than that of the others by many times as much is somewhere else: on its way,
/// stuck, or in a mode that hardly matters. Such a chain must not decide about step sizes and preconditioners of the others.
///
/// Means are over the last rounds (each new one counts for a third). The yardstick is the median chain, the upper one of two: a
/// minority of chains that are high, in a spike say, makes nobody late.
class Stragglers {
 public:
  Stragglers(Index chains, Index dim);

  /// The mean log density of every chain in a round of a few iterations.
  void observe(std::span<const double> log_density);
  /// Forgets a chain's past, which was moved.
  void forget(Index chain);

  [[nodiscard]] bool is_late(Index chain) const { return late_[at(chain)] != 0; }
  [[nodiscard]] std::vector<Index> late() const;
  [[nodiscard]] bool any() const;
  /// The first of the others.
  [[nodiscard]] std::vector<Index> others(std::size_t at_most) const;
  /// Of what each chain showed, over those that are where the others are.
  [[nodiscard]] double mean_of_arrived(std::span<const double> values) const;

  template <class Archive>
  void archive(Archive& fields) {
    fields(fixed(past_), fixed(late_));
  }

 private:
  struct Past {
    double mean = 0.0;
    double change = 0.0;  // mean square of differences between rounds
    int rounds = 0;

    template <class Archive>
    void archive(Archive& fields) {
      fields(mean, change, rounds);
    }
  };
  [[nodiscard]] double spread() const;

  std::vector<Past> past_;
  std::vector<char> late_;
  double scale_;
};

}  // namespace darboux
