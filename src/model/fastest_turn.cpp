#include "model/fastest_turn.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "darboux/core/random.hpp"

namespace darboux {

namespace {

/// Gradients of the log density at points moved along a direction each.
class Differences {
 public:
  Differences(const Model& model, ConstBatch points, double length)
      : evaluator_(model.make_evaluator()),
        points_(points),
        length_(length),
        moved_(points.rows(), points.lanes()),
        ahead_(points.rows(), points.lanes()),
        behind_(points.rows(), points.lanes()),
        active_(at(points.lanes()), 1),
        status_(at(points.lanes()), Status::ok) {}

  /// H v for the Hessian H of U, in place of each v.
  void multiply(OwnedBatch& v) {
    ask(v, length_, ahead_);
    ask(v, -length_, behind_);
    for (Index j = 0; j < v.rows(); ++j)
      for (Index l = 0; l < v.lanes(); ++l)
        v(j, l) = active_[at(l)] == 0 ? 0.0 : (behind_(j, l) - ahead_(j, l)) / (2.0 * length_);
  }
  [[nodiscard]] std::int64_t gradients() const noexcept { return gradients_; }

 private:
  void ask(const OwnedBatch& v, double by, OwnedBatch& gradient) {
    for (Index j = 0; j < v.rows(); ++j)
      for (Index l = 0; l < v.lanes(); ++l) moved_(j, l) = points_(j, l) + by * v(j, l);
    evaluator_->evaluate({.q = moved_.view(), .active = active_, .value = false, .gradient = true},
                         {.log_density = {}, .gradient = gradient.view(), .status = status_});
    for (std::size_t l = 0; l < status_.size(); ++l) {
      gradients_ += active_[l];
      if (status_[l] != Status::ok) active_[l] = 0;
    }
  }

  std::unique_ptr<Evaluator> evaluator_;
  ConstBatch points_;
  double length_;
  OwnedBatch moved_, ahead_, behind_;
  std::vector<std::uint8_t> active_;
  std::vector<Status> status_;
  std::int64_t gradients_ = 0;
};

double product(const OwnedBatch& a, const OwnedBatch& b, Index lane) {
  double sum = 0.0;
  for (Index j = 0; j < a.rows(); ++j) sum += a(j, lane) * b(j, lane);
  return sum;
}

}  // namespace

FastestTurn fastest_turn(const Model& model, ConstBatch points, double length) {
  constexpr int power_steps = 12;
  Differences hessian(model, points, length);
  OwnedBatch v(points.rows(), points.lanes());
  RandomStream random({.seed = 0, .purpose = Purpose::data});
  for (Index l = 0; l < v.lanes(); ++l)
    for (Index j = 0; j < v.rows(); ++j) v(j, l) = random.normal();
  std::vector<double> curvature(at(v.lanes()), 0.0);
  for (int i = 0; i < power_steps; ++i) {
    for (Index l = 0; l < v.lanes(); ++l) {
      const double norm = std::sqrt(product(v, v, l));
      for (Index j = 0; j < v.rows(); ++j) v(j, l) = norm > 0.0 && std::isfinite(norm) ? v(j, l) / norm : 0.0;
    }
    const OwnedBatch before = v;
    hessian.multiply(v);
    for (Index l = 0; l < v.lanes(); ++l)
      if (const double here = product(before, v, l); std::isfinite(here)) curvature[at(l)] = here;
  }
  std::sort(curvature.begin(), curvature.end());
  const auto frequency = [](double eigenvalue) { return std::sqrt(std::max(eigenvalue, 0.0)); };
  return {.frequency = frequency(curvature.back()),
          .typical = frequency(curvature[curvature.size() / 2]),
          .gradients = hessian.gradients()};
}

}  // namespace darboux
