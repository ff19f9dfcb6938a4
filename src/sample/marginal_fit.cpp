#include "sample/marginal_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "darboux/core/batch.hpp"
#include "model/marginal_kernel.hpp"

namespace darboux {

namespace {

using Four = std::array<double, 4>;

/// A shape by numbers without a sign to keep: place, log scale, skew, log tail.
Four free_numbers(const MarginalShape& s) { return {s.place, std::log(s.scale), s.skew, std::log(s.tail)}; }

MarginalShape bounded(const Four& p) {
  MarginalShape s{.place = p[0], .scale = std::exp(p[1]), .tail = std::exp(p[3])};
  s.tail = std::clamp(s.tail, ShapeBounds::least_tail, ShapeBounds::most_tail);
  s.skew = std::clamp(p[2], -ShapeBounds::most_lean * s.tail, ShapeBounds::most_lean * s.tail);
  return s;
}

ScoreTask score_of(const MarginalShape& shape, std::span<const double> x) {
  ScoreTask task{.shape = shape, .draws = x.size(), .x = x.data()};
  DARBOUX_KERNEL(score)(task);
  return task;
}

/// (A + λ diag A)⁻¹ b by Cholesky's method, for A given by its lower triangle; nothing where that is not positive definite.
std::optional<Four> damped_step(const ScoreTask& at, double damping) {
  std::array<Four, 4> l{};
  Four step{};
  for (std::size_t i = 0, k = 0; i < 4; ++i) {
    for (std::size_t j = 0; j <= i; ++j, ++k) {
      double sum = at.information[k] * (i == j ? 1.0 + damping : 1.0);
      for (std::size_t m = 0; m < j; ++m) sum -= l[i][m] * l[j][m];
      if (i == j && !(sum > 1e-12 * at.information[k])) return std::nullopt;
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    step[i] = at.score[i];
    for (std::size_t m = 0; m < i; ++m) step[i] -= l[i][m] * step[m];
    step[i] /= l[i][i];
  }
  for (std::size_t i = 4; i-- > 0;) {
    for (std::size_t m = i + 1; m < 4; ++m) step[i] -= l[m][i] * step[m];
    step[i] /= l[i][i];
  }
  return step;
}

/// Where skew or tail are at their bounds and likelihood grows beyond, the others alone are to move.
void hold_at_bounds(ScoreTask& at) {
  const MarginalShape& s = at.shape;
  const auto beyond = [](double value, double least, double most, double score) {
    return (value >= most && score > 0.0) || (value <= least && score < 0.0);
  };
  const double most_skew = ShapeBounds::most_lean * s.tail * (1.0 - 1e-12);
  const auto hold = [&](std::size_t i) {
    at.score[i] = 0.0;
    for (std::size_t j = 0; j < 4; ++j)
      if (j != i) at.information[std::max(i, j) * (std::max(i, j) + 1) / 2 + std::min(i, j)] = 0.0;
  };
  if (beyond(s.skew, -most_skew, most_skew, at.score[2])) hold(2);
  if (beyond(s.tail, ShapeBounds::least_tail, ShapeBounds::most_tail, at.score[3])) hold(3);
}

}  // namespace

/// Scoring with the draws' own information (Berndt, Hall, Hall and Hausman), damped as Levenberg and Marquardt do.
MarginalShape fit_shape(std::span<const double> x, const MarginalShape& first) {
  constexpr int most_passes = 40;
  const double enough = 1e-4 * static_cast<double>(x.size());
  double damping = 0.1;
  ScoreTask best = score_of(bounded(free_numbers(first)), x);
  hold_at_bounds(best);
  for (int pass = 0; pass < most_passes; ++pass) {
    const std::optional<Four> step = damped_step(best, damping);
    if (!step) return best.shape;
    double promised = 0.0;  // twice what the step is to gain
    Four to = free_numbers(best.shape);
    for (std::size_t i = 0; i < 4; ++i) {
      promised += (*step)[i] * best.score[i];
      to[i] += (*step)[i];
    }
    if (promised < 2.0 * enough) break;
    ScoreTask tried = score_of(bounded(to), x);
    if (tried.log_likelihood > best.log_likelihood) {
      hold_at_bounds(tried);
      best = tried;
      damping *= 0.2;
    } else {
      damping = std::max(4.0 * damping, 0.01);
    }
  }
  return best.shape;
}

MarginalShape fit_straight(std::span<const double> x) {
  double mean = 0.0, square = 0.0;
  for (const double value : x) mean += value;
  mean /= static_cast<double>(x.size());
  for (const double value : x) square += (value - mean) * (value - mean);
  return {.place = mean, .scale = std::sqrt(square / static_cast<double>(x.size()))};
}

double bend_expected(std::span<const double> x) {
  const MarginalShape straight = fit_straight(x);
  double third = 0.0, fourth = 0.0;
  for (const double value : x) {
    const double z = (value - straight.place) / straight.scale;
    third += z * z * z;
    fourth += z * z * z * z;
  }
  const auto n = static_cast<double>(x.size());
  return std::pow(third / n, 2) / 12.0 + std::pow(fourth / n - 3.0, 2) / 48.0;
}

Gain gain_of(std::span<const double> gains) {
  constexpr std::size_t runs = 16;
  const std::size_t n = gains.size();
  std::array<double, runs> means{};
  Gain out;
  for (std::size_t r = 0; r < runs; ++r) {
    const std::size_t first = r * n / runs, last = (r + 1) * n / runs;
    for (std::size_t i = first; i < last; ++i) means[r] += gains[i] / static_cast<double>(last - first);
    out.mean += means[r] / runs;
  }
  for (const double mean : means) out.error += (mean - out.mean) * (mean - out.mean);
  out.error = std::sqrt(out.error / (runs * (runs - 1.0)));
  return out;
}

void add_gains(std::span<const double> x, const MarginalShape& shape, const MarginalShape& over,
               std::span<double> gains) {
  std::vector<double> other(x.size());
  DARBOUX_KERNEL(log_likelihoods)({.shape = shape, .draws = x.size(), .x = x.data(), .out = gains.data()});
  DARBOUX_KERNEL(log_likelihoods)({.shape = over, .draws = x.size(), .x = x.data(), .out = other.data()});
  std::transform(gains.begin(), gains.end(), other.begin(), gains.begin(), std::minus<>());
}

}  // namespace darboux
