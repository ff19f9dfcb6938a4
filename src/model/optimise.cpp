#include "model/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_trials = 60;                        // of a line search
constexpr double least_gain = 1e-4, most_slope = 0.9;  // of the weak Wolfe conditions
constexpr int short_climb = 30;                        // steps
constexpr std::size_t finalists = 3;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// One search. It asks for the model's answer at trial() and goes on when it is told.
class Climb {
 public:
  Climb(std::vector<double> start, const ClimbOptions& options) : options_(options), trial_(std::move(start)) {
    at_ = {.q = trial_, .gradient = {}, .log_density = -infinity};
  }

  [[nodiscard]] const std::vector<double>& trial() const noexcept { return trial_; }
  [[nodiscard]] bool done() const noexcept { return done_; }
  [[nodiscard]] const Waypoint& at() const noexcept { return at_; }
  [[nodiscard]] Summit summit() const {
    return {.q = at_.q, .log_density = at_.log_density, .converged = converged_, .gradients = gradients_};
  }

  /// Whether the trial is where the climb is at now.
  bool tell(bool good, double log_density, std::vector<double> gradient) {
    if (++gradients_ == 1) {
      done_ = !good;
      if (good) arrive({.q = trial_, .gradient = std::move(gradient), .log_density = log_density});
      return good;
    }
    // Bisection for the weak Wolfe conditions: gain enough, and arrive where the slope has flattened. Close to the
    // maximum gains drown in rounding, so that much is allowed for.
    const double rounding = 1e-14 * std::abs(at_.log_density);
    if (!good || log_density - at_.log_density < least_gain * step_ * slope_ - rounding)
      too_far_ = step_;
    else if (dot(gradient, direction_) > most_slope * slope_)
      too_near_ = step_;
    else {
      arrive({.q = trial_, .gradient = std::move(gradient), .log_density = log_density});
      return true;
    }
    if (++trials_ >= most_trials) done_ = true;
    step_ = std::isinf(too_far_) ? 2.0 * too_near_ : 0.5 * (too_near_ + too_far_);
    propose();
    return false;
  }

 private:
  void remember(std::optional<CurvaturePair> pair) {
    if (!pair) return;
    pairs_.push_back(*std::move(pair));
    if (std::ssize(pairs_) > options_.memory) pairs_.pop_front();
  }

  void arrive(Waypoint reached) {
    if (gradients_ > 1) remember(curvature_between(at_, reached));
    at_ = std::move(reached);
    choose_direction();
    converged_ = slope_ < options_.tolerance;
    done_ = converged_ || steps_++ >= options_.most_steps;
    step_ = 1.0;
    too_near_ = 0.0;
    too_far_ = infinity;
    trials_ = 0;
    propose();
  }

  /// The two-loop recursion: direction = H ∇, with H the estimate of the inverse negative Hessian from the pairs. Without
  /// any, a step uphill of length at most 1.
  void choose_direction() {
    direction_ = at_.gradient;
    std::vector<double> weights(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      weights[k] = pairs_[k].inverse_product * dot(pairs_[k].s, direction_);
      for (std::size_t j = 0; j < direction_.size(); ++j) direction_[j] -= weights[k] * pairs_[k].y[j];
    }
    const double scale = pairs_.empty() ? 1.0 / std::max(1.0, std::sqrt(dot(at_.gradient, at_.gradient)))
                                        : 1.0 / (pairs_.back().inverse_product * dot(pairs_.back().y, pairs_.back().y));
    for (double& d : direction_) d *= scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const double correction = weights[k] - pairs_[k].inverse_product * dot(pairs_[k].y, direction_);
      for (std::size_t j = 0; j < direction_.size(); ++j) direction_[j] += correction * pairs_[k].s[j];
    }
    slope_ = dot(at_.gradient, direction_);
  }

  void propose() {
    for (std::size_t j = 0; j < trial_.size(); ++j) trial_[j] = at_.q[j] + step_ * direction_[j];
  }

  ClimbOptions options_;
  Waypoint at_;
  std::vector<double> trial_, direction_;
  std::deque<CurvaturePair> pairs_;
  double slope_ = 0.0;  // of the log density along the direction, at the start of the line
  double step_ = 0.0, too_near_ = 0.0, too_far_ = infinity;
  int steps_ = 0, trials_ = 0, gradients_ = 0;
  bool converged_ = false, done_ = false;
};

/// A block of points and the model's answers.
struct Block {
  Block(const Model& model, Index lanes)
      : evaluator(model.make_evaluator()),
        q(model.dim(), lanes),
        gradient(model.dim(), lanes),
        log_density(static_cast<std::size_t>(lanes)),
        status(static_cast<std::size_t>(lanes)),
        active(static_cast<std::size_t>(lanes), 1) {}

  void evaluate() {
    evaluator->evaluate({.q = q, .active = active},
                        {.log_density = log_density, .gradient = gradient, .status = status});
  }
  [[nodiscard]] std::vector<double> gradient_of(Index lane) const {
    std::vector<double> out;
    for (Index j = 0; j < gradient.rows(); ++j) out.push_back(gradient(j, lane));
    return out;
  }
  [[nodiscard]] bool is_good(Index lane) const {
    const auto l = static_cast<std::size_t>(lane);
    bool good = status[l] == Status::ok && std::isfinite(log_density[l]);
    for (Index j = 0; j < gradient.rows(); ++j) good = good && std::isfinite(gradient(j, lane));
    return good;
  }

  std::unique_ptr<Evaluator> evaluator;
  OwnedBatch q, gradient;
  std::vector<double> log_density;
  std::vector<Status> status;
  std::vector<std::uint8_t> active;
};

void sort_best_first(std::vector<Summit>& summits) {
  std::sort(summits.begin(), summits.end(), [](const Summit& a, const Summit& b) {
    return a.log_density != b.log_density ? a.log_density > b.log_density : a.q < b.q;
  });
}

}  // namespace

std::optional<CurvaturePair> curvature_between(const Waypoint& from, const Waypoint& to) {
  CurvaturePair pair{.s = to.q, .y = from.gradient, .inverse_product = 0.0};
  for (std::size_t j = 0; j < pair.s.size(); ++j) {
    pair.s[j] -= from.q[j];
    pair.y[j] -= to.gradient[j];
  }
  const double product = dot(pair.s, pair.y);
  if (!(product > 1e-14 * std::sqrt(dot(pair.s, pair.s) * dot(pair.y, pair.y)))) return std::nullopt;
  pair.inverse_product = 1.0 / product;
  return pair;
}

std::vector<Summit> climb(const Model& model, ConstBatch starts, const ClimbOptions& options,
                          const ClimbObserver& observe) {
  check::size("a start", starts.rows(), model.dim());
  check::positive("tolerance", options.tolerance);
  check::dimension("memory", options.memory);
  check::dimension("most_steps", options.most_steps);
  std::vector<Climb> climbs;
  for (Index l = 0; l < starts.lanes(); ++l) {
    std::vector<double> q;
    for (Index j = 0; j < starts.rows(); ++j) q.push_back(starts(j, l));
    climbs.emplace_back(std::move(q), options);
  }
  Block block(model, starts.lanes());
  while (true) {
    bool any = false;
    for (Index l = 0; l < starts.lanes(); ++l) {
      const Climb& one = climbs[static_cast<std::size_t>(l)];
      block.active[static_cast<std::size_t>(l)] = one.done() ? 0 : 1;
      any = any || !one.done();
      for (Index j = 0; j < starts.rows(); ++j) block.q(j, l) = one.trial()[static_cast<std::size_t>(j)];
    }
    if (!any) break;
    block.evaluate();
    for (Index l = 0; l < starts.lanes(); ++l) {
      const auto lane = static_cast<std::size_t>(l);
      if (block.active[lane] == 0) continue;
      if (climbs[lane].tell(block.is_good(l), block.log_density[lane], block.gradient_of(l)) && observe)
        observe(l, climbs[lane].at());
    }
  }
  std::vector<Summit> out;
  for (const Climb& one : climbs) out.push_back(one.summit());
  return out;
}

Summit best_climb(const Model& model, ConstBatch starts) {
  std::vector<Summit> summits = climb(model, starts, {.most_steps = short_climb});
  const auto gradients_of = [](const std::vector<Summit>& climbs) {
    return std::accumulate(climbs.begin(), climbs.end(), 0, [](int sum, const Summit& s) { return sum + s.gradients; });
  };
  const int of_short_climbs = gradients_of(summits);
  sort_best_first(summits);
  if (summits.empty() || summits[0].log_density == -infinity)
    throw Error("no search for the mode could start: the log density is finite at none of its starting points");
  summits.resize(std::min(finalists, summits.size()));
  OwnedBatch best(model.dim(), std::ssize(summits));
  for (Index l = 0; l < best.lanes(); ++l)
    for (Index j = 0; j < best.rows(); ++j)
      best(j, l) = summits[static_cast<std::size_t>(l)].q[static_cast<std::size_t>(j)];
  summits = climb(model, best);
  const int of_finalists = gradients_of(summits);
  sort_best_first(summits);
  summits[0].gradients = of_short_climbs + of_finalists;
  return summits[0];
}

std::optional<Matrix> negative_hessian(const Model& model, std::span<const double> q) {
  const Index n = model.dim();
  check::size("q", std::ssize(q), n);
  std::vector<double> h;
  for (const double x : q) h.push_back(1e-4 * std::max(1.0, std::abs(x)));
  Block block(model, 2 * n);
  Matrix out(n, n);
  // Once to learn the scales √(1/curvature), once with differences of a thousandth of those.
  for (int round = 0; round < 2; ++round) {
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < 2 * n; ++l) {
        const double move = l / 2 == j ? (l % 2 == 0 ? -1.0 : 1.0) * h[static_cast<std::size_t>(j)] : 0.0;
        block.q(j, l) = q[static_cast<std::size_t>(j)] + move;
      }
    block.evaluate();
    for (Index l = 0; l < 2 * n; ++l)
      if (!block.is_good(l)) return std::nullopt;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        out(i, j) =
            (block.gradient(i, 2 * j) - block.gradient(i, 2 * j + 1)) / (block.q(j, 2 * j + 1) - block.q(j, 2 * j));
    for (Index j = 0; j < n; ++j)
      if (out(j, j) > 0.0) h[static_cast<std::size_t>(j)] = 1e-3 / std::sqrt(out(j, j));
  }
  return 0.5 * (out + out.transposed());
}

}  // namespace darboux
