#include "model/student_t.hpp"

#include <cmath>

#include "checks.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace darboux {

StudentT::StudentT(Index dim, double degrees_of_freedom, double scale)
    : dim_(dim), degrees_of_freedom_(degrees_of_freedom), scale_(scale) {
  check::dimension("dimension", dim);
  check::positive("degrees_of_freedom", degrees_of_freedom);
  check::positive("scale", scale);
}

std::unique_ptr<Evaluator> StudentT::make_evaluator() const {
  const double power = degrees_of_freedom_ + static_cast<double>(dim_);
  const double spread = degrees_of_freedom_ * scale_ * scale_;
  return evaluate_by_lane(dim_, [=](std::span<const double> q, std::span<double> gradient) {
    double squares = 0.0;
    for (const double x : q) squares += x * x;
    if (!gradient.empty())
      for (std::size_t j = 0; j < q.size(); ++j) gradient[j] = -power * q[j] / (spread + squares);
    return -0.5 * power * std::log1p(squares / spread);
  });
}

}  // namespace darboux
