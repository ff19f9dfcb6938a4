#include "darboux/integrate/reverse_check.hpp"

#include <algorithm>

namespace darboux {

void ReverseCheck::judge(PhaseBlock& z, LaneSteps dt) const {
  const auto is_near = [&](double back, double start) {
    return std::abs(back - start) <= threshold_ * std::max(1.0, std::abs(start));
  };
  for (std::size_t l = 0; l < dt.size(); ++l) {
    if (dt[l] == 0.0 || z.status[l] != Status::ok) continue;
    const auto lane = static_cast<Index>(l);
    bool returned = back_status_[l] == Status::ok;
    for (Index j = 0; j < z.dim() && returned; ++j)
      returned = is_near(back_q_(j, lane), start_q_(j, lane)) && is_near(back_p_(j, lane), start_p_(j, lane));
    if (!returned) z.status[l] = Status::not_reversible;
  }
}

}  // namespace darboux
