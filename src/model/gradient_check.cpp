#include "model/gradient_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace darboux {

namespace {

constexpr std::array step_sizes{1e-2, 1e-3, 1e-4, 1e-5};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 256.0 * std::numeric_limits<double>::epsilon();

/// A log density and its differences, one point at a time.
class Probe {
 public:
  explicit Probe(const Model& model) : evaluator_(model.make_evaluator()), gradient_(model.dim(), 1) {}

  /// Whether the model answered with finite numbers; then log_density() and gradient() are those at q.
  bool ask(const std::vector<double>& q, bool gradient) {
    Status status = Status::ok;
    evaluator_->evaluate(
        {.q = {q.data(), std::ssize(q), 1, 1}, .active = active_, .value = true, .gradient = gradient},
        {.log_density = {&log_density_, 1}, .gradient = gradient ? gradient_.view() : Batch(), .status = {&status, 1}});
    return status == Status::ok && std::isfinite(log_density_);
  }
  [[nodiscard]] double log_density() const noexcept { return log_density_; }
  [[nodiscard]] double gradient(Index j) const noexcept { return gradient_(j, 0); }

  double difference(std::vector<double>& q, std::size_t j, double h) {
    const double center = q[j];
    const double right = center + h, left = center - h;
    q[j] = right;
    const double above = ask(q, false) ? log_density_ : std::nan("");
    q[j] = left;
    const double below = ask(q, false) ? log_density_ : std::nan("");
    q[j] = center;
    return (above - below) / (right - left);
  }

 private:
  std::unique_ptr<Evaluator> evaluator_;
  OwnedBatch gradient_;
  double log_density_ = 0.0;
  std::vector<std::uint8_t> active_ = {1};
};

GradientComponent compare(Probe& probe, std::vector<double>& q, std::size_t j, double gradient, double log_density) {
  GradientComponent c{.point = 0,
                      .coordinate = static_cast<Index>(j),
                      .gradient = gradient,
                      .differences = std::nan(""),
                      .uncertainty = infinity,
                      .excess = infinity};
  for (const double relative : step_sizes) {
    const double h = relative * std::max(1.0, std::abs(q[j]));
    const double coarse = probe.difference(q, j, h);
    const double fine = probe.difference(q, j, 0.5 * h);
    const double uncertainty = std::abs(fine - coarse) + rounding * (std::abs(log_density) / h + std::abs(fine));
    if (!(uncertainty < c.uncertainty)) continue;  // nor where a point was refused: NaN
    c.uncertainty = uncertainty;
    c.differences = (4.0 * fine - coarse) / 3.0;
  }
  if (const double excess = std::abs(gradient - c.differences) / c.uncertainty; std::isfinite(excess))
    c.excess = excess;
  return c;
}

}  // namespace

GradientCheck check_gradient(const Model& model, ConstBatch points) {
  GradientCheck check;
  Probe probe(model);
  for (Index lane = 0; lane < points.lanes(); ++lane) {
    std::vector<double> q, gradient;
    for (Index j = 0; j < points.rows(); ++j) q.push_back(points(j, lane));
    if (!probe.ask(q, true)) {
      ++check.refused;
      continue;
    }
    const double log_density = probe.log_density();
    for (Index j = 0; j < points.rows(); ++j) gradient.push_back(probe.gradient(j));
    for (std::size_t j = 0; j < q.size(); ++j) {
      GradientComponent c = compare(probe, q, j, gradient[j], log_density);
      c.point = lane;
      if (check.components++ == 0 || c.excess > check.worst.excess) check.worst = c;
      if (c.excess > 1.0) check.wrong.push_back(c);
    }
  }
  std::sort(check.wrong.begin(), check.wrong.end(),
            [](const GradientComponent& a, const GradientComponent& b) { return a.excess > b.excess; });
  return check;
}

}  // namespace darboux
