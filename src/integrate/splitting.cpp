#include "integrate/splitting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

const Splitting& Splitting::of(int stages) {
  static const auto all = [] {
    const double b2 = 0.21178, b3 = 0.11888010966548, a3 = 0.29619504261126;
    return std::array{Splitting{.outer = {0.5, 0.5}, .inner = {1.0}},
                      Splitting{.outer = {b2, 1.0 - 2.0 * b2, b2}, .inner = {0.5, 0.5}},
                      Splitting{.outer = {b3, 0.5 - b3, 0.5 - b3, b3}, .inner = {a3, 1.0 - 2.0 * a3, a3}}};
  }();
  if (stages < 1 || stages > std::ssize(all)) throw InputError(fmt::format("stages = {}: must be 1, 2 or 3", stages));
  return all[static_cast<std::size_t>(stages - 1)];
}

std::span<const double> composition(int order) {
  static const double gamma = 1.0 / (4.0 - std::cbrt(4.0));
  static const std::array once{1.0};
  static const std::array suzuki{gamma, gamma, 1.0 - 4.0 * gamma, gamma, gamma};
  if (order == 2) return once;
  return suzuki;
}

namespace {

/// Both columns of [[A, B], [C, A]].
struct OscillatorMap {
  std::array<double, 2> q{1.0, 0.0}, p{0.0, 1.0};

  explicit OscillatorMap(const Splitting& splitting, double step_size, int order = 2) {
    for (const double fraction : composition(order)) follow(splitting, fraction * step_size);
  }
  void follow(const Splitting& splitting, double step_size) {
    const auto kick = [&](double t) { add(-t * step_size, q, p); };
    kick(splitting.outer[0]);
    for (std::size_t i = 0; i < splitting.inner.size(); ++i) {
      add(splitting.inner[i] * step_size, p, q);
      kick(splitting.outer[i + 1]);
    }
  }
  static void add(double factor, const std::array<double, 2>& x, std::array<double, 2>& y) {
    for (std::size_t i = 0; i < 2; ++i) y[i] += factor * x[i];
  }
  [[nodiscard]] double a() const { return q[0]; }
  /// Three stages touch A = −1 at a step of 3.07 and turn on; rounding must not make that an end.
  static constexpr double rounding = 1e-9;
  [[nodiscard]] bool is_stable() const { return std::abs(a()) < 1.0 + rounding; }
};

}  // namespace

OscillatorStep oscillator_step(const Splitting& splitting, double step_size) {
  const OscillatorMap map(splitting, step_size);
  if (!map.is_stable()) return {.angle = NAN, .distortion = INFINITY};
  // B = χ sin Θ and C = −sin Θ/χ, so that B + C = (χ − 1/χ) sin Θ.
  const double sum = map.q[1] + map.p[0], a = map.a();
  return {.angle = std::acos(std::clamp(a, -1.0, 1.0)),
          .distortion = 0.5 * sum * sum / std::max(1.0 - a * a, OscillatorMap::rounding)};
}

double stability_limit(int stages, int order) {
  const Splitting& splitting = Splitting::of(stages);
  const auto is_stable = [&](double h) { return OscillatorMap(splitting, h, order).is_stable(); };
  constexpr double narrow = 0.001;  // further on there are stable steps again: of order 4 and three stages by 0.005
  double stable = 1.0, unstable = stable;
  while (is_stable(unstable)) stable = std::exchange(unstable, unstable + narrow);
  while (unstable - stable > 1e-9) {
    const double middle = 0.5 * (stable + unstable);
    (is_stable(middle) ? stable : unstable) = middle;
  }
  return stable;
}

}  // namespace darboux
