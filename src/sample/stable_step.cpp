#include "sample/stable_step.hpp"

#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/model/function_model.hpp>
#include <memory>
#include <utility>

namespace darboux {

namespace {

/// log π beside a point up to second order, −½ qᵀHq. H q is a difference along q.
class Nearby {
 public:
  Nearby(const Model& model, std::vector<double> point, double length)
      : evaluator_(model.make_evaluator()),
        point_(std::move(point)),
        length_(length),
        ends_(model.dim(), 2),
        gradients_at_ends_(model.dim(), 2) {}

  double operator()(std::span<const double> q, std::span<double> gradient) {
    double norm = 0.0;
    for (const double x : q) norm = std::hypot(norm, x);
    if (norm == 0.0) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      return 0.0;
    }
    for (std::size_t j = 0; j < q.size(); ++j)
      for (const Index end : {0, 1})
        ends_(static_cast<Index>(j), end) = point_[j] + (end == 0 ? length_ : -length_) * q[j] / norm;
    evaluator_->evaluate({.q = ends_.view(), .active = active_, .value = false, .gradient = true},
                         {.log_density = {}, .gradient = gradients_at_ends_.view(), .status = status_});
    gradients_ += 2;
    double half_square = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      const auto row = static_cast<Index>(j);
      const double g = (gradients_at_ends_(row, 0) - gradients_at_ends_(row, 1)) * norm / (2.0 * length_);
      if (status_[0] != Status::ok || status_[1] != Status::ok || !std::isfinite(g)) throw Reject();
      if (!gradient.empty()) gradient[j] = g;
      half_square += 0.5 * q[j] * g;
    }
    return half_square;
  }
  [[nodiscard]] std::int64_t gradients() const noexcept { return gradients_; }

 private:
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<double> point_;
  double length_;
  OwnedBatch ends_, gradients_at_ends_;
  std::vector<std::uint8_t> active_{1, 1};
  std::vector<Status> status_{Status::ok, Status::ok};
  std::int64_t gradients_ = 0;
};

bool is_stable(const Model& quadratic, Integrator integrator) {
  constexpr int steps = 30;
  constexpr double within =
      1000.0;  // by far more than a stable step adds and takes, unless it is a percent from the limit
  PhaseBlock z(quadratic.dim(), 1);
  z.check_reverse = false;
  Potential u(quadratic, 1);
  RandomStream random({.seed = 0, .purpose = Purpose::data});
  double energy = 0.0;
  for (Index j = 0; j < z.dim(); ++j) {
    z.p(j, 0) = random.normal();
    energy += 0.5 * z.p(j, 0) * z.p(j, 0);
  }
  const std::vector<double> dt(1, integrator.step_size());
  integrator.run(z, u, dt, steps);
  if (z.status[0] == Status::model_error) return true;  // nobody knows
  if (z.status[0] != Status::ok) return false;
  u.ensure_value(z, dt);
  return z.potential[0] <= within * energy;
}

}  // namespace

StableStep longest_stable_step(const Model& model, std::vector<double> point, double length, double step_size,
                               const std::function<Integrator(double)>& integrator) {
  const auto nearby = std::make_shared<Nearby>(model, std::move(point), length);
  const FunctionModel quadratic(
      model.dim(), [nearby](std::span<const double> q, std::span<double> gradient) { return (*nearby)(q, gradient); });
  double stable = step_size, unstable = step_size;
  while (stable > 1e-6 * step_size && !is_stable(quadratic, integrator(stable)))
    stable = 0.5 * std::exchange(unstable, stable);
  while (unstable - stable > 0.01 * unstable) {
    const double middle = 0.5 * (stable + unstable);
    (is_stable(quadratic, integrator(middle)) ? stable : unstable) = middle;
  }
  return {.step_size = stable, .gradients = nearby->gradients()};
}

}  // namespace darboux
