#pragma once

#include <span>
#include <vector>

#include "core/archive.hpp"
#include "darboux/core/batch.hpp"
#include "sample/stragglers.hpp"

namespace darboux {

/// How widely log densities of draws scatter: their variance over d/2, which is that of a Gaussian in d dimensions, whatever its scales.
///
/// Hamiltonian motion keeps U + ½ pᵀp, so that a chain gets from one level of U to another by what drawing momenta anew adds, √(d/2)
/// at most. Where U scatters by much more (long tails, scales that are parameters), that is slow, however long trajectories are. E-BFMI
/// tells the same of draws; this tells it before the motion is chosen. Within chains, because chains far apart say nothing of it.
class DensityScatter {
 public:
  static constexpr double wide = 1.6;            ///< from here on microcanonical motion gives more (docs/tuning.md)
  static constexpr Index fewest_dimensions = 5;  ///< of it: in fewer a direction of fixed speed is hardly random

  /// Where Hamiltonian motion would have an E-BFMI of 0.3, which is (Var K + Var K)/(Var U + Var K) = 2/(1 + scatter) of energies U + K.
  static constexpr double slow = 2.0 / 0.3 - 1.0;

  [[nodiscard]] static bool is_wide(double over_gaussian, Index dim) {
    return over_gaussian > wide && dim >= fewest_dimensions;
  }

  DensityScatter() = default;
  DensityScatter(Index chains, Index dim) : chains_(at(chains)), of_gaussian_(0.5 * static_cast<double>(dim)) {}

  /// Log densities of all chains, iteration by iteration.
  void observe(std::span<const double> log_densities);
  /// 1 of a Gaussian; the mean over chains that have arrived. 0 where there are none, or too few draws.
  [[nodiscard]] double over_gaussian(const Stragglers& stragglers) const;

  template <class Archive>
  void archive(Archive& fields) {
    fields(fixed(chains_), of_gaussian_);
  }

 private:
  struct Moments {
    double count = 0.0, mean = 0.0, squares = 0.0;
    template <class Archive>
    void archive(Archive& fields) {
      fields(count, mean, squares);
    }
  };
  std::vector<Moments> chains_;
  double of_gaussian_ = 1.0;
};

}  // namespace darboux
