#pragma once

#include <cmath>
#include <vector>

#include "integrate/implicit_solver.hpp"
#include "integrate/phase_block.hpp"

namespace darboux {

/// Applies an implicit flow to (q, p) and, if asked, solves back from where it ended. The forward solve may converge where
/// the reverse one does not, or to another root: the reverse transition would then not exist, and accepting it would bias
/// the sampler. Such a lane gets Status::not_reversible.
class ReverseCheck {
 public:
  explicit ReverseCheck(const SolverOptions& options) : threshold_(options.reverse_threshold) {}

  /// `flow(q, p, dt, status)` advances the lanes of q and p that move.
  template <class Flow>
  void apply(PhaseBlock& z, LaneSteps dt, Flow&& flow) {
    if (!z.check_reverse) return flow(z.q, z.p, dt, z.status);
    start_q_ = z.q;
    start_p_ = z.p;
    flow(z.q, z.p, dt, z.status);
    back_q_ = z.q;
    back_p_ = z.p;
    back_status_ = z.status;
    back_dt_.assign(dt.begin(), dt.end());
    for (double& h : back_dt_) h = -h;
    flow(back_q_, back_p_, LaneSteps(back_dt_), back_status_);
    judge(z, dt);
  }

 private:
  void judge(PhaseBlock& z, LaneSteps dt);

  double threshold_;
  OwnedBatch start_q_, start_p_, back_q_, back_p_;
  LaneVector<Status> back_status_;
  LaneVector<double> back_dt_;
  LaneVector<double> excess_q_, excess_p_;  // of the distance to the start over the threshold
};

}  // namespace darboux
