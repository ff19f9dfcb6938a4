#include "normal_kernel.hpp"

#include "vector_math.hpp"

namespace darboux::DARBOUX_TARGET {
namespace {

using Size = std::size_t;
using V = NativeVector<double>;
using Words = Vector<std::uint64_t, native_width<double>>;
static_assert(normals_together % native_width<double> == 0);

/// The middles of 2⁵² equal parts of (0, 1): k of the first 52 bits is put behind the point of 1.k, all of it exact.
inline V uniform(Words bits) { return reinterpret_cast<V>((bits >> 12) | 0x3ff0000000000000) - 1.0 + 0x1p-53; }

/// x sin(x)/x and cos x for |x| ≤ π/4, within one unit in the last place (FreeBSD's k_sin.c and k_cos.c).
struct SineAndCosine {
  V sine, cosine;
};
inline SineAndCosine near_zero(V x) {
  constexpr double S[] = {1.58969099521155010221e-10,  -2.50507602534068634195e-08, 2.75573137070700676789e-06,
                          -1.98412698298579493134e-04, 8.33333333332248946124e-03,  -1.66666666666666324348e-01};
  constexpr double C[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,  -2.75573143513906633035e-07,
                          2.48015872894767294178e-05,  -1.38888888888741095749e-03, 4.16666666666666019037e-02};
  const V z = x * x, half = 0.5 * z, rough = 1.0 - half;
  V s = all<V>(S[0]), c = all<V>(C[0]);
  for (Size i = 1; i < 6; ++i) {
    s = fma(s, z, all<V>(S[i]));
    c = fma(c, z, all<V>(C[i]));
  }
  return {fma(z * x, s, x), rough + (((1.0 - rough) - half) + z * (z * c))};
}

/// sin 2πv and cos 2πv for 0 < v < 1: 4v is n quarters of a turn and a rest, of half a quarter at most, without rounding.
inline SineAndCosine of_turns(V v) {
  constexpr double half_pi = 1.57079632679489661923, round_to_integer = 0x1.8p52;
  const V quarters = 4.0 * v, n = (quarters + round_to_integer) - round_to_integer;
  const auto [s, c] = near_zero(half_pi * (quarters - n));
  const auto swapped = (n == 1.0) | (n == 3.0);
  const V sine = swapped ? c : s, cosine = swapped ? s : c;
  return {((n == 2.0) | (n == 3.0)) ? -sine : sine, ((n == 1.0) | (n == 2.0)) ? -cosine : cosine};
}

}  // namespace

void normals(const NormalsTask& task) {
  for (Size i = 0; i < task.pairs; i += native_width<double>) {
    const V radius = sqrt_of(-2.0 * log_of_normal(uniform(load<Words>(task.of_radius + i))));
    const auto [sine, cosine] = of_turns(uniform(load<Words>(task.of_angle + i)));
    store(radius * cosine, task.cosines + i);
    store(radius * sine, task.sines + i);
  }
}

}  // namespace darboux::DARBOUX_TARGET
