#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/core/status.hpp"

namespace darboux {

/// The signed step size of every lane: backward in time where it is negative, and a lane with step 0 is left untouched.
using LaneSteps = std::span<const double>;

/// Two copies of phase space in canonical coordinates, z̃ = (q̃, p̃) and w̃ = (x̃, ỹ), for the integrators that work there.
struct CanonicalCopies {
  OwnedBatch first;           ///< (q̃, p̃), 2n × m
  OwnedBatch second;          ///< (x̃, ỹ), 2n × m
  OwnedBatch mixed_gradient;  ///< ∇H̃ at (q̃, ỹ): current on entry to and exit from every step
};

/// m chains in phase space, on their way along a trajectory.
struct PhaseBlock {
  PhaseBlock(Index dim, Index lanes)
      : q(dim, lanes),
        p(dim, lanes),
        gradient(dim, lanes),
        offset(2 * dim, lanes),
        gradient_is_current(static_cast<std::size_t>(lanes), 0),
        potential(static_cast<std::size_t>(lanes), 0.0),
        potential_is_current(static_cast<std::size_t>(lanes), 0),
        work(static_cast<std::size_t>(lanes), 0.0),
        status(static_cast<std::size_t>(lanes), Status::ok),
        solver_iterations(static_cast<std::size_t>(lanes), 0) {}

  [[nodiscard]] Index dim() const noexcept { return q.rows(); }
  [[nodiscard]] Index lanes() const noexcept { return q.lanes(); }

  /// q of the lanes that move has changed, so that what was computed there is not current any more.
  void forget_gradient(LaneSteps dt) {
    for (std::size_t l = 0; l < dt.size(); ++l) {
      gradient_is_current[l] = dt[l] != 0.0 ? 0 : gradient_is_current[l];
      potential_is_current[l] = dt[l] != 0.0 ? 0 : potential_is_current[l];
    }
  }

  OwnedBatch q, p;
  OwnedBatch gradient;     ///< ∇U(q), in the lanes where gradient_is_current
  OwnedBatch offset;       ///< δ̃ = (z̃ − w̃)/2, 2n × m: where the copies of doubled-space integrators start and end
  CanonicalCopies copies;  ///< during a trajectory of a doubled-space integrator
  LaneVector<std::uint8_t> gradient_is_current;  ///< lane by lane; forget_gradient after changing q from outside
  LaneVector<double> potential;                  ///< U(q), in the lanes where potential_is_current
  LaneVector<std::uint8_t> potential_is_current;
  LaneVector<double> work;    ///< what a trajectory has added to U + ½ pᵀp so far: of microcanonical motion alone
  bool check_reverse = true;  ///< whether implicit steps are to be solved backward too; see ReverseCheck
  LaneVector<Status> status;  ///< of the current trajectory; the first trouble stays
  LaneVector<std::int64_t> solver_iterations;  ///< of the current trajectory, reverse checks included
};

/// Makes a batch rows × lanes if it is not so already. The contents are then zero.
inline void fit(OwnedBatch& batch, Index rows, Index lanes) {
  if (batch.rows() != rows || batch.lanes() != lanes) batch = OwnedBatch(rows, lanes);
}

}  // namespace darboux
