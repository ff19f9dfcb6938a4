#include "model/skewed.hpp"

#include <cmath>

#include "checks.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace darboux {

Skewed::Skewed(Index dim) : dim_(dim) { check::dimension("dimension", dim); }

std::unique_ptr<Evaluator> Skewed::make_evaluator() const {
  return evaluate_by_lane(dim_, [](std::span<const double> q, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double e = std::exp(q[i]);
      sum += q[i] - e;
      if (!gradient.empty()) gradient[i] = 1.0 - e;
    }
    return sum;
  });
}

}  // namespace darboux
