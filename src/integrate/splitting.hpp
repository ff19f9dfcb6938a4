#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace darboux {

/// A symmetric step in s stages: flows of two kinds by turns, each over a fraction of the step,
///
///     outer[0], inner[0], outer[1], …, inner[s−1], outer[s],
///
/// the same read backward. One stage with (½, 1, ½) is the leapfrog (Strang's splitting). The fractions of two and three stages are
/// those of Blanes, Casas and Sanz-Serna (2014), whose largest energy error of an oscillator over all steps up to s is least:
/// (b, ½, 1 − 2b, ½, b) and (b, a, ½ − b, 1 − 2a, ½ − b, a, b). They are of second order all the same.
struct Splitting {
  std::vector<double> outer, inner;

  /// Of 1, 2 or 3 stages. Throws InputError for any other number.
  [[nodiscard]] static const Splitting& of(int stages);

  [[nodiscard]] int stages() const noexcept { return static_cast<int>(inner.size()); }
};

/// Of a palindrome, its first half, with the middle where there is one; and where in it what stands at `i` is.
[[nodiscard]] inline std::span<const double> first_half(const std::vector<double>& palindrome) {
  return std::span(palindrome).first((palindrome.size() + 1) / 2);
}
[[nodiscard]] inline std::size_t mirrored(std::size_t i, const std::vector<double>& palindrome) noexcept {
  return std::min(i, palindrome.size() - 1 - i);
}

/// Fractions of a step in its steps of order 2: of order 2 itself just 1, of order 4 Suzuki's composition
///
///     γ, γ, 1 − 4γ, γ, γ,   γ = 1/(4 − 4^{1/3}),
///
/// which cancels the third-order error; the middle one goes back in time.
[[nodiscard]] std::span<const double> composition(int order);

/// A step of the unit oscillator U = q²/2: q' = A q + B p, p' = C q + A p with A² − BC = 1, the same whichever of kick and drift is
/// outer but for names. It turns by Θ, cos Θ = A, on an ellipse with axes 1 : χ, as long as |A| < 1.
struct OscillatorStep {
  double angle;       ///< Θ in (0, π); NaN where the step is not stable
  double distortion;  ///< ρ = ½ (χ − 1/χ)²: the mean change of energy in equilibrium is ρ sin²(LΘ) after L steps
};
[[nodiscard]] OscillatorStep oscillator_step(const Splitting& splitting, double step_size);

/// The step size of the unit oscillator beyond which energies grow without bound, |A| = 1: 2 for one stage of order 2. Of order 4 with
/// more stages it is about half a turn, and there are stable steps again beyond.
[[nodiscard]] double stability_limit(int stages, int order = 2);

}  // namespace darboux
