#include "model/fitzhugh_nagumo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "fitzhugh_nagumo_kernel.hpp"
#include "scratch_batch.hpp"

namespace darboux {

namespace {

constexpr double noise_sd = 0.1;  // of the simulated data
constexpr double prior_variance = 0.5;
constexpr std::int64_t most_steps = 10'000'000;

struct Point {
  double V, R;
  [[nodiscard]] Point moved(double t, const Point& k) const { return {V + t * k.V, R + t * k.R}; }
};

/// One step of the classical Runge-Kutta method of order 4. The kernels carry derivatives along.
Point stepped(const Point& y, double h, const FitzHughNagumoParameters& at) {
  const auto slope = [&](const Point& p) {
    return Point{at.c * (p.V - p.V * p.V * p.V / 3.0 + p.R), -(p.V - at.a + at.b * p.R) / at.c};
  };
  const Point k1 = slope(y), k2 = slope(y.moved(0.5 * h, k1)), k3 = slope(y.moved(0.5 * h, k2)),
              k4 = slope(y.moved(h, k3));
  return y.moved(h / 6.0, k1).moved(h / 3.0, k2).moved(h / 3.0, k3).moved(h / 6.0, k4);
}

std::vector<FitzHughNagumo::Grid::Steps> plan_steps(const std::vector<double>& times, double longest_step) {
  std::vector<FitzHughNagumo::Grid::Steps> out;
  double total = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double interval = i == 0 ? times[0] : times[i] - times[i - 1];
    const double count = std::ceil(interval / longest_step * (1.0 - 1e-12));  // 0.05/0.025 may round to above 2
    total += count;
    if (total > static_cast<double>(most_steps))
      throw InputError(fmt::format("times[{}] = {}: so late that it takes more than {} steps of {} to get there", i + 1,
                                   times[i], most_steps, longest_step));
    out.push_back({.count = static_cast<std::int64_t>(count), .length = count > 0.0 ? interval / count : 0.0});
  }
  return out;
}

void check_times(const std::vector<double>& times) {
  check::dimension("number of times", std::ssize(times));
  check::finite("times", times);
  if (times[0] < 0.0) throw InputError(fmt::format("times[1] = {}: must be 0 or later", times[0]));
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1]))
      throw InputError(
          fmt::format("times[{}] = {}: must be later than the one before it, {}", i + 1, times[i], times[i - 1]));
}

class FitzHughNagumoEvaluator final : public Evaluator {
 public:
  explicit FitzHughNagumoEvaluator(std::shared_ptr<const FitzHughNagumo::Grid> grid)
      : grid_(std::move(grid)), kernel_(DARBOUX_KERNEL(evaluate_fitzhugh_nagumo)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(3, query, answer);
    gather(query);
    if (lanes_.empty()) return;
    const auto row = [](ScratchBatch& batch, Index lanes, Index j) { return batch.get(3, lanes).row(j); };
    const Index room = padded();
    kernel_({.steps = grid_->steps.data(),
             .V = grid_->data.V.data(),
             .R = grid_->data.R.data(),
             .observations = grid_->steps.size(),
             .chains = lanes_.size(),
             .parameters = {row(q_, room, 0), row(q_, room, 1), row(q_, room, 2)},
             .log_likelihood = value_.get(1, room).row(0),
             .gradient = {query.gradient ? row(gradient_, room, 0) : nullptr, row(gradient_, room, 1),
                          row(gradient_, room, 2)}});
    for (std::size_t l = 0; l < lanes_.size(); ++l) store(query, answer, lanes_[l], static_cast<Index>(l));
  }

 private:
  [[nodiscard]] Index padded() const { return static_cast<Index>(FitzHughNagumoTask::padded(lanes_.size())); }

  /// The parameters of the lanes that are asked for, and after them harmless ones.
  void gather(const Query& query) {
    lanes_.clear();
    for (Index lane = 0; lane < query.q.lanes(); ++lane)
      if (is_on(query.active, lane)) lanes_.push_back(lane);
    const FitzHughNagumoParameters harmless;
    const std::array<double, 3> filling{harmless.a, harmless.b, harmless.c};
    const Batch q = q_.get(3, padded());
    for (Index j = 0; j < 3; ++j)
      for (Index l = 0; l < q.lanes(); ++l)
        q(j, l) = l < std::ssize(lanes_) ? query.q(j, lanes_[static_cast<std::size_t>(l)])
                                         : filling[static_cast<std::size_t>(j)];
  }

  void store(const Query& query, const Answer& answer, Index lane, Index l) {
    const Batch q = q_.get(3, padded()), gradient = gradient_.get(3, padded());
    double value = value_.get(1, padded())(0, l);
    bool good = true;
    for (Index j = 0; j < 3; ++j) {
      value -= 0.5 / prior_variance * q(j, l) * q(j, l);
      gradient(j, l) -= q(j, l) / prior_variance;
      good = good && (!query.gradient || std::isfinite(gradient(j, l)));
    }
    good = good && std::isfinite(value);
    const auto number = [&](double x) { return good ? x : std::numeric_limits<double>::quiet_NaN(); };
    if (query.value) answer.log_density[static_cast<std::size_t>(lane)] = number(value);
    if (query.gradient)
      for (Index j = 0; j < 3; ++j) answer.gradient(j, lane) = number(gradient(j, l));
    answer.status[static_cast<std::size_t>(lane)] = good ? Status::ok : Status::model_error;
  }

  std::shared_ptr<const FitzHughNagumo::Grid> grid_;
  decltype(&baseline::evaluate_fitzhugh_nagumo) kernel_;
  std::vector<Index> lanes_;  // that are asked for
  ScratchBatch q_, gradient_, value_;
};

}  // namespace

FitzHughNagumoData solve_fitzhugh_nagumo(const FitzHughNagumoParameters& at, std::vector<double> times,
                                         double longest_step) {
  check_times(times);
  check::positive("longest_step", longest_step);
  Point y{.V = FitzHughNagumoTask::first_V, .R = FitzHughNagumoTask::first_R};
  FitzHughNagumoData out{.times = std::move(times), .V = {}, .R = {}};
  for (const auto& steps : plan_steps(out.times, longest_step)) {
    for (std::int64_t k = 0; k < steps.count; ++k) y = stepped(y, steps.length, at);
    out.V.push_back(y.V);
    out.R.push_back(y.R);
  }
  return out;
}

FitzHughNagumoData simulated_fitzhugh_nagumo(std::uint64_t seed) {
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) times.push_back(0.05 * i);
  FitzHughNagumoData out = solve_fitzhugh_nagumo({}, std::move(times), 1e-3);
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  for (std::size_t i = 0; i < out.times.size(); ++i) {
    out.V[i] += noise_sd * random.normal();
    out.R[i] += noise_sd * random.normal();
  }
  return out;
}

FitzHughNagumoData fitzhugh_nagumo_data(const CsvTable& table) {
  const auto column = [&](std::string_view name) {
    const CsvColumn* found = table.find(name);
    if (found == nullptr)
      throw InputError(
          fmt::format("{} has no column {}: FitzHugh-Nagumo data must have the columns t, V and R", table.file, name));
    if (found->kind != CsvColumn::Kind::number)
      throw InputError(fmt::format("{} is \"{}\": must be a number", table.place(0, *found), found->levels[0]));
    for (Index i = 0; i < table.rows; ++i)
      if (const double value = found->numbers[static_cast<std::size_t>(i)]; !std::isfinite(value))
        throw InputError(fmt::format("{} is {}: must be a finite number", table.place(i, *found),
                                     std::isnan(value) ? "missing" : fmt::format("{}", value)));
    return found->numbers;
  };
  FitzHughNagumoData out{.times = column("t"), .V = column("V"), .R = column("R")};
  const CsvColumn& t = *table.find("t");
  for (std::size_t i = 0; i < out.times.size(); ++i) {
    const double before = i == 0 ? 0.0 : out.times[i - 1];
    if (i == 0 ? out.times[i] < 0.0 : out.times[i] <= before)
      throw InputError(fmt::format("{} is {}: must be {} {}", table.place(static_cast<Index>(i), t), out.times[i],
                                   i == 0 ? "at least" : "above the row before,", before));
  }
  return out;
}

FitzHughNagumo::FitzHughNagumo(FitzHughNagumoData data) {
  check_times(data.times);
  check::size("V", std::ssize(data.V), std::ssize(data.times));
  check::size("R", std::ssize(data.R), std::ssize(data.times));
  check::finite("V", data.V);
  check::finite("R", data.R);
  auto steps = plan_steps(data.times, longest_step);
  grid_ = std::make_shared<const Grid>(Grid{.data = std::move(data), .steps = std::move(steps)});
}

bool FitzHughNagumo::draw_prior(const RandomKey& key, std::span<double> q) const {
  RandomStream(key).fill_normal(q);
  for (double& x : q) x *= std::sqrt(prior_variance);
  return true;
}

std::unique_ptr<Evaluator> FitzHughNagumo::make_evaluator() const {
  return std::make_unique<FitzHughNagumoEvaluator>(grid_);
}

}  // namespace darboux
