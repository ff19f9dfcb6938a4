#include "darboux/model/banana.hpp"

#include "checks.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace darboux {

Banana::Banana(Index dim, double scale, double bend) : dim_(dim), scale_(scale), bend_(bend) {
  check::dimension("dim", dim, 2);
  check::positive("scale", scale);
  check::finite("bend", bend);
}

std::unique_ptr<Evaluator> Banana::make_evaluator() const {
  return evaluate_by_lane(
      dim_, [b = bend_, variance = scale_ * scale_](std::span<const double> q, std::span<double> gradient) {
        const double off_parabola = q[1] - b * (q[0] * q[0] - variance);
        double sum = -0.5 * (q[0] * q[0] / variance + off_parabola * off_parabola);
        for (const double extra : q.subspan(2)) sum -= 0.5 * extra * extra;
        if (!gradient.empty()) {
          gradient[0] = -q[0] / variance + 2.0 * b * q[0] * off_parabola;
          gradient[1] = -off_parabola;
          for (std::size_t j = 2; j < q.size(); ++j) gradient[j] = -q[j];
        }
        return sum;
      });
}

}  // namespace darboux
