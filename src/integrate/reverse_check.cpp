#include "integrate/reverse_check.hpp"

#include "linalg/batch_product.hpp"

namespace darboux {

void ReverseCheck::judge(PhaseBlock& z, LaneSteps dt) {
  const auto compare = [&](const OwnedBatch& back, const OwnedBatch& start, LaneVector<double>& excess) {
    excess.resize(dt.size());
    largest_excess(back, start, threshold_, excess);
  };
  compare(back_q_, start_q_, excess_q_);
  compare(back_p_, start_p_, excess_p_);
  for (std::size_t l = 0; l < dt.size(); ++l) {
    if (dt[l] == 0.0 || z.status[l] != Status::ok) continue;
    const bool returned = back_status_[l] == Status::ok && excess_q_[l] <= 0.0 && excess_p_[l] <= 0.0;
    if (!returned) z.status[l] = Status::not_reversible;
  }
}

}  // namespace darboux
