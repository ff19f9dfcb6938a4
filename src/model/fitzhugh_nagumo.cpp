#include "darboux/model/fitzhugh_nagumo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr std::size_t tile = 8;  // lanes that are computed together; narrower blocks are padded
using Tile = std::array<double, tile>;

constexpr double first_V = -1.0, first_R = 1.0;
constexpr double noise_sd = 0.1;  // of the simulated data
constexpr double prior_variance = 0.5;
constexpr double largest_state = 1e6;  // data are of size 1: beyond this the solution has blown up
constexpr std::int64_t most_steps = 10'000'000;

/// V and R, then, if derivatives are carried, those of both by a, by b, by c.
enum Row : std::size_t { V, R, V_a, R_a, V_b, R_b, V_c, R_c };
constexpr std::size_t rows_of(bool with_gradient) { return with_gradient ? 8 : 2; }

template <std::size_t rows>
using State = std::array<Tile, rows>;

struct Parameters {
  Tile a, b, c, inverse_c;
};

/// V̇, Ṙ and, with F the right-hand side, the variational equations Ẏ_θ = (∂F/∂Y) Y_θ + ∂F/∂θ.
template <std::size_t rows>
State<rows> derivative(const State<rows>& y, const Parameters& at) {
  State<rows> out;
  for (std::size_t l = 0; l < tile; ++l) {
    const double v = y[V][l], r = y[R][l], c = at.c[l], inverse_c = at.inverse_c[l];
    const double cubic = v - v * v * v / 3.0 + r;
    const double linear = (v - at.a[l] + at.b[l] * r) * inverse_c;
    out[V][l] = c * cubic;
    out[R][l] = -linear;
    if constexpr (rows > 2) {
      const double V_by_V = c * (1.0 - v * v), R_by_R = -at.b[l] * inverse_c;
      const auto along = [&](Row row_V, Row row_R, double V_by_theta, double R_by_theta) {
        out[row_V][l] = V_by_V * y[row_V][l] + c * y[row_R][l] + V_by_theta;
        out[row_R][l] = -inverse_c * y[row_V][l] + R_by_R * y[row_R][l] + R_by_theta;
      };
      along(V_a, R_a, 0.0, inverse_c);
      along(V_b, R_b, 0.0, -r * inverse_c);
      along(V_c, R_c, cubic, linear * inverse_c);
    }
  }
  return out;
}

/// y + t k.
template <std::size_t rows>
State<rows> moved(const State<rows>& y, double t, const State<rows>& k) {
  State<rows> out;
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t l = 0; l < tile; ++l) out[j][l] = y[j][l] + t * k[j][l];
  return out;
}

/// One step of the classical Runge-Kutta method of order 4.
template <std::size_t rows>
void step(State<rows>& y, double h, const Parameters& at) {
  const State<rows> k1 = derivative(y, at);
  const State<rows> k2 = derivative(moved(y, 0.5 * h, k1), at);
  const State<rows> k3 = derivative(moved(y, 0.5 * h, k2), at);
  const State<rows> k4 = derivative(moved(y, h, k3), at);
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t l = 0; l < tile; ++l) y[j][l] += h / 6.0 * (k1[j][l] + 2.0 * (k2[j][l] + k3[j][l]) + k4[j][l]);
}

template <std::size_t rows>
State<rows> first_state() {
  State<rows> y{};
  y[V].fill(first_V);
  y[R].fill(first_R);
  return y;
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
  explicit FitzHughNagumoEvaluator(std::shared_ptr<const FitzHughNagumo::Grid> grid) : grid_(std::move(grid)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(3, query, answer);
    for (Index lane = 0; lane < query.q.lanes(); lane += Index{tile}) {
      const Index width = std::min(Index{tile}, query.q.lanes() - lane);
      bool any = false;
      for (Index l = lane; l < lane + width; ++l) any = any || is_on(query.active, l);
      if (!any) continue;
      load(query.q, lane, width);
      query.gradient ? run<true>() : run<false>();
      for (Index l = 0; l < width; ++l) store(query, answer, lane + l, static_cast<std::size_t>(l));
    }
  }

 private:
  void load(ConstBatch q, Index lane, Index width) {
    const FitzHughNagumoParameters harmless;
    at_.a.fill(harmless.a);
    at_.b.fill(harmless.b);
    at_.c.fill(harmless.c);
    std::copy_n(q.row(0) + lane, width, at_.a.begin());
    std::copy_n(q.row(1) + lane, width, at_.b.begin());
    std::copy_n(q.row(2) + lane, width, at_.c.begin());
    for (std::size_t l = 0; l < tile; ++l) at_.inverse_c[l] = 1.0 / at_.c[l];
  }

  template <bool with_gradient>
  void run() {
    constexpr std::size_t rows = rows_of(with_gradient);
    const std::array<const Tile*, 3> q{&at_.a, &at_.b, &at_.c};
    for (std::size_t l = 0; l < tile; ++l) {
      bounded_[l] = true;
      value_[l] = 0.0;
      for (std::size_t j = 0; j < 3; ++j) {
        value_[l] -= 0.5 / prior_variance * (*q[j])[l] * (*q[j])[l];
        gradient_[j][l] = -(*q[j])[l] / prior_variance;
      }
    }
    State<rows> y = first_state<rows>();
    for (std::size_t i = 0; i < grid_->steps.size(); ++i) {
      for (std::int64_t k = 0; k < grid_->steps[i].count; ++k) step(y, grid_->steps[i].length, at_);
      add_observation(y, grid_->data.V[i], grid_->data.R[i]);
    }
  }

  /// Variance ½: the factor 1/(2·½) is 1.
  template <std::size_t rows>
  void add_observation(const State<rows>& y, double observed_V, double observed_R) {
    for (std::size_t l = 0; l < tile; ++l) {
      const double off_V = y[V][l] - observed_V, off_R = y[R][l] - observed_R;
      value_[l] -= off_V * off_V + off_R * off_R;
      bounded_[l] = bounded_[l] && std::abs(y[V][l]) < largest_state && std::abs(y[R][l]) < largest_state;
      if constexpr (rows > 2)
        for (std::size_t j = 0; j < 3; ++j)
          gradient_[j][l] -= 2.0 * (off_V * y[V_a + 2 * j][l] + off_R * y[R_a + 2 * j][l]);
    }
  }

  void store(const Query& query, const Answer& answer, Index lane, std::size_t l) {
    if (!is_on(query.active, lane)) return;
    bool good = bounded_[l] && std::isfinite(value_[l]);
    for (std::size_t j = 0; query.gradient && j < 3; ++j) good = good && std::isfinite(gradient_[j][l]);
    const auto number = [&](double x) { return good ? x : std::numeric_limits<double>::quiet_NaN(); };
    if (query.value) answer.log_density[static_cast<std::size_t>(lane)] = number(value_[l]);
    if (query.gradient)
      for (std::size_t j = 0; j < 3; ++j) answer.gradient(static_cast<Index>(j), lane) = number(gradient_[j][l]);
    answer.status[static_cast<std::size_t>(lane)] = good ? Status::ok : Status::model_error;
  }

  std::shared_ptr<const FitzHughNagumo::Grid> grid_;
  Parameters at_{};
  Tile value_{};
  std::array<Tile, 3> gradient_{};
  std::array<bool, tile> bounded_{};
};

}  // namespace

FitzHughNagumoData solve_fitzhugh_nagumo(const FitzHughNagumoParameters& at, std::vector<double> times,
                                         double longest_step) {
  check_times(times);
  check::positive("longest_step", longest_step);
  Parameters same{};
  same.a.fill(at.a);
  same.b.fill(at.b);
  same.c.fill(at.c);
  same.inverse_c.fill(1.0 / at.c);
  State<2> y = first_state<2>();
  FitzHughNagumoData out{.times = std::move(times), .V = {}, .R = {}};
  for (const auto& steps : plan_steps(out.times, longest_step)) {
    for (std::int64_t k = 0; k < steps.count; ++k) step(y, steps.length, same);
    out.V.push_back(y[V][0]);
    out.R.push_back(y[R][0]);
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
