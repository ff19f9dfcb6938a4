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

/// Where the score leads from a shape, and what the log likelihood is to gain there.
struct Step {
  Four to;
  double promised;
};

/// (A + λ diag A)⁻¹ b by Cholesky's method, A the information and b the score; nothing where A is not positive definite.
std::optional<Step> damped_step(const ScoreTask& at, double damping) {
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
  Step out{.to = free_numbers(at.shape), .promised = 0.0};
  for (std::size_t i = 0; i < 4; ++i) {
    out.to[i] += step[i];
    out.promised += 0.5 * step[i] * at.score[i];
  }
  return out;
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

/// The mean over so many runs of draws, about equally long, and its error by how these differ.
template <std::size_t runs>
Gain mean_of_runs(std::span<const double> gains) {
  const std::size_t n = gains.size();
  std::array<double, runs> means{};
  Gain out;
  for (std::size_t r = 0; r < runs; ++r) {
    const std::size_t first = r * n / runs, last = (r + 1) * n / runs;
    for (std::size_t i = first; i < last; ++i) means[r] += gains[i];
    means[r] /= static_cast<double>(last - first);
    out.mean += means[r] / runs;
  }
  for (const double mean : means) out.error += (mean - out.mean) * (mean - out.mean);
  out.error = std::sqrt(out.error / (runs * (runs - 1.0)));
  return out;
}

}  // namespace

/// Scoring with the draws' own information (Berndt, Hall, Hall and Hausman), damped as Levenberg and Marquardt do.
FittedShape fit_shape(std::span<const double> x, const MarginalShape& first) {
  constexpr int most_passes = 40;
  const double enough = 2e-4 * static_cast<double>(x.size());
  double damping = 0.01;
  ScoreTask best = score_of(bounded(free_numbers(first)), x);
  hold_at_bounds(best);
  for (int pass = 0; pass < most_passes; ++pass) {
    const std::optional<Step> step = damped_step(best, damping);
    if (!step || step->promised < enough) break;
    ScoreTask tried = score_of(bounded(step->to), x);
    if (tried.log_likelihood > best.log_likelihood) {
      hold_at_bounds(tried);
      best = tried;
      damping *= 0.2;
    } else {
      damping = std::max(4.0 * damping, 0.01);
    }
  }
  return {.shape = best.shape, .mean_log_likelihood = best.log_likelihood / static_cast<double>(x.size())};
}

MarginalShape fit_near(std::span<const double> x, const MarginalShape& near) {
  ScoreTask task = score_of(near, x);
  hold_at_bounds(task);
  const std::optional<Step> step = damped_step(task, 0.0);
  return step ? bounded(step->to) : near;
}

MarginalShape fit_straight(std::span<const double> x) {
  double mean = 0.0, square = 0.0;
  for (const double value : x) mean += value;
  mean /= static_cast<double>(x.size());
  for (const double value : x) square += (value - mean) * (value - mean);
  return {.place = mean, .scale = std::sqrt(square / static_cast<double>(x.size()))};
}

MarginalShape first_shape(std::span<const double> x) {
  std::vector<double> sorted(x.begin(), x.end());
  const auto quantile = [&](std::size_t quarters) {
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(quarters * (sorted.size() - 1) / 4);
    std::ranges::nth_element(sorted, place);
    return *place;
  };
  const double low = quantile(1), high = quantile(3), spread = high - low;
  if (!(spread > 0.0)) return fit_straight(x);
  constexpr double tail = ShapeBounds::least_tail, quartile = 0.6745;  // of a normal distribution
  return {.place = quantile(2), .scale = 0.5 * spread / std::sinh(std::asinh(quartile) / tail), .tail = tail};
}

double straight_log_likelihood(const MarginalShape& straight) { return -0.5 - std::log(straight.scale); }

double bend_expected(std::span<const double> x, const MarginalShape& straight) {
  double third = 0.0, fourth = 0.0;
  const double inverse_scale = 1.0 / straight.scale;
  for (const double value : x) {
    const double z = (value - straight.place) * inverse_scale, square = z * z;
    third += square * z;
    fourth += square * square;
  }
  const auto n = static_cast<double>(x.size());
  return std::pow(third / n, 2) / 12.0 + std::pow(fourth / n - 3.0, 2) / 48.0;
}

Gain gain_of(std::span<const double> gains) {
  const Gain fine = mean_of_runs<16>(gains), coarse = mean_of_runs<4>(gains);
  return {.mean = fine.mean, .error = std::max(fine.error, coarse.error)};
}

void gains_of(std::span<const double> x, const MarginalShape& shape, const MarginalShape& straight,
              std::span<double> gains) {
  DARBOUX_KERNEL(log_likelihoods)({.shape = shape, .draws = x.size(), .x = x.data(), .out = gains.data()});
  const double inverse_scale = 1.0 / straight.scale, constant = std::log(straight.scale);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z = (x[i] - straight.place) * inverse_scale;
    gains[i] += 0.5 * z * z + constant;
  }
}

}  // namespace darboux
