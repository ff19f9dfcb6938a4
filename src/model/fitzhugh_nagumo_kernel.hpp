#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "model/fitzhugh_nagumo.hpp"

namespace darboux {

/// What a kernel for FitzHugh-Nagumo computes, and from what. Arrays over chains have room for `padded(chains)`, and all of
/// it is computed: what is beyond the last chain must be parameters too.
struct FitzHughNagumoTask {
  static constexpr double first_V = -1.0, first_R = 1.0;

  const FitzHughNagumo::Grid::Steps* steps;  ///< before each observation
  const double *V, *R;                       ///< observations
  std::size_t observations;

  std::size_t chains;
  const double* parameters[3];  ///< a, b, c
  double* log_likelihood;       ///< NaN where the solution leaves all bounds
  double* gradient[3];          ///< of the log likelihood; null if not wanted

  static constexpr std::size_t padded(std::size_t chains) { return (chains + 7) / 8 * 8; }
};

/// The log likelihood and its gradient. A chain's numbers do not depend on the others, nor on how many there are.
DARBOUX_DECLARE_KERNEL(void evaluate_fitzhugh_nagumo(const FitzHughNagumoTask& task);)

}  // namespace darboux
