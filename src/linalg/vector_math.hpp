#pragma once

#include "vector.hpp"

/// Functions of vectors, place by place.
namespace darboux::DARBOUX_TARGET {
namespace {

/// What exp needs to know of a kind of number. (eʳ − 1 − r)/r² for |r| ≤ ½ ln 2 is the polynomial through its values at
/// Chebyshev points: eʳ has then a relative error of 2e-17 in double precision, of 1e-8 in single precision.
template <class Number>
struct ExpConstants;
template <>
struct ExpConstants<double> {
  using Integer = std::int64_t;
  static constexpr Integer one = 1023, mantissa_bits = 52;
  static constexpr double least = -708.0;               // its exp is still a normal number
  static constexpr double round_to_integer = 0x1.8p52;  // added to a number, it leaves no room for a fraction
  static constexpr double log2_e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  static constexpr double remainder[] = {
      0x1.af38a9b0ec855p-26, 0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19, 0x1.a019b90d2ae7ap-16, 0x1.a01a01a7c41d5p-13,
      0x1.6c16c1788bd90p-10, 0x1.11111111109b3p-7,  0x1.5555555553d63p-5,  0x1.5555555555556p-3,  0x1.0000000000001p-1};
};
template <>
struct ExpConstants<float> {
  using Integer = std::int32_t;
  static constexpr Integer one = 127, mantissa_bits = 23;
  static constexpr float least = -87.0F, round_to_integer = 0x1.8p23F;
  static constexpr float log2_e = 0x1.715476p0F, ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7d1cp-20F;
  static constexpr float remainder[] = {0x1.6d1109p-10F, 0x1.120b6ep-7F, 0x1.55551ap-5F, 0x1.5554ddp-3F, 0.5F};
};

/// x = exp(x) for several vectors of numbers x ≤ 0, from x = k ln 2 + r. Where exp(x) is below the normal numbers, the least
/// of them or so; NaN for NaN. Several at a time, because each waits for itself most of the time.
template <class Number, std::size_t width, std::size_t several>
inline void exp_of_negative(Vector<Number, width> (&x)[several]) {
  using Constants = ExpConstants<Number>;
  using V = Vector<Number, width>;
  using Integers = Vector<typename Constants::Integer, width>;
  V r[several], shifted[several], sum[several];
  for (std::size_t i = 0; i < several; ++i) {
    x[i] = x[i] < Constants::least ? all<V>(Constants::least) : x[i];
    shifted[i] = fma(x[i], all<V>(Constants::log2_e), all<V>(Constants::round_to_integer));  // k, in its last bits
  }
  for (std::size_t i = 0; i < several; ++i) {
    const V k = shifted[i] - Constants::round_to_integer;
    r[i] = fma(k, all<V>(-Constants::ln2_high), x[i]);
    r[i] = fma(k, all<V>(-Constants::ln2_low), r[i]);
    sum[i] = all<V>(Constants::remainder[0]);
  }
  for (std::size_t c = 1; c < sizeof(Constants::remainder) / sizeof(Number); ++c)
    for (std::size_t i = 0; i < several; ++i) sum[i] = fma(sum[i], r[i], all<V>(Constants::remainder[c]));
  for (std::size_t i = 0; i < several; ++i) {
    const Integers power = (reinterpret_cast<Integers>(shifted[i]) + Constants::one) << Constants::mantissa_bits;
    x[i] = (fma(sum[i] * r[i], r[i], r[i]) + Number{1}) * reinterpret_cast<V>(power);
  }
}

template <class V>
inline V sqrt_of(V x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return _mm512_maskz_sqrt_pd(0xff, x);  // the plain one warns
#endif
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) return _mm256_sqrt_pd(x);
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(V) == 16) return _mm_sqrt_pd(x);
#endif
  for (std::size_t i = 0; i < sizeof(V) / sizeof(double); ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
}

/// exp(x) of any numbers, within two units in the last place, as above but that 2ᵏ is two factors: k may be beyond what a number's
/// exponent can hold, and the product then ends among the numbers below the normal ones, at 0, or at infinity. NaN for NaN.
template <class V>
inline V exp_of(V x) {
  using Constants = ExpConstants<double>;
  using Integers = decltype(x < x);
  constexpr double round = Constants::round_to_integer;
  x = x < -746.0 ? all<V>(-746.0) : x;
  x = x > 710.0 ? all<V>(710.0) : x;
  const V k = fma(x, all<V>(Constants::log2_e), all<V>(round)) - round;
  V r = fma(k, all<V>(-Constants::ln2_high), x);
  r = fma(k, all<V>(-Constants::ln2_low), r);
  V sum = all<V>(Constants::remainder[0]);
  for (std::size_t c = 1; c < sizeof(Constants::remainder) / sizeof(double); ++c)
    sum = fma(sum, r, all<V>(Constants::remainder[c]));
  const V half = fma(k, all<V>(0.5), all<V>(round)), rest = k - (half - round) + round;
  const auto power = [](V integer) {
    return reinterpret_cast<V>((reinterpret_cast<Integers>(integer) + Constants::one) << Constants::mantissa_bits);
  };
  return (fma(sum * r, r, r) + 1.0) * power(half) * power(rest);
}

/// log(x) of positive normal numbers, within one unit in the last place: from x = 2ᵏ(1 + f) with √½ ≤ 1 + f < √2 and
/// log(1 + f) = f − f²/2 + s(f²/2 + R(s²)), s = f/(2 + f), R a polynomial for log((1 + s)/(1 − s)) (FreeBSD's e_log.c).
template <class V>
inline V log_of_normal(V x) {
  using Integers = decltype(x < x);
  constexpr std::int64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e00000000, mantissa = 0x000fffffffffffff;
  constexpr std::int64_t magic = 0x4330000000000000;  // 2⁵²: with an integer below it in its last bits, it is their sum
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr double R[] = {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                          2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                          6.666666666666735130e-01};
  const Integers bits = reinterpret_cast<Integers>(x) + (one - root_half);
  const V k = reinterpret_cast<V>(((bits >> 52) & 0x7ff) | magic) - (0x1p52 + 1023.0);
  const V f = reinterpret_cast<V>((bits & mantissa) + root_half) - 1.0;
  const V s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
  V sum = all<V>(R[0]);
  for (std::size_t c = 1; c < sizeof(R) / sizeof(double); ++c) sum = fma(sum, z, all<V>(R[c]));
  return k * ln2_high - ((half_square - (s * (half_square + z * sum) + k * ln2_low)) - f);
}

/// log(x) of any numbers: −∞ at 0, NaN below.
template <class V>
inline V log_of(V x) {
  constexpr double least_normal = 0x1p-1022, infinity = __builtin_inf();
  const auto small = x < least_normal;
  const V normal = log_of_normal(small ? x * 0x1p54 : x);
  V out = small ? normal - 54.0 * 6.93147180559945286227e-01 : normal;
  out = x == 0.0 ? all<V>(-infinity) : out;
  out = x < 0.0 ? all<V>(__builtin_nan("")) : out;
  return ((x != x) | (x == infinity)) ? x : out;
}

/// log(1 + x) from u = 1 + x as rounded, and what the rounding took away from x.
template <class V>
inline V log1p_of(V x) {
  const V u = 1.0 + x, lost = x - (u - 1.0);
  return log_of(u) + (((u == 0.0) | (u == __builtin_inf())) ? V{} : lost / u);
}

/// log(1 + x) where 0 ≤ x ≤ 1, or NaN.
template <class V>
inline V log1p_of_fraction(V x) {
  const V u = 1.0 + x;
  return log_of_normal(u) + (x - (u - 1.0)) / u;
}

}  // namespace
}  // namespace darboux::DARBOUX_TARGET
