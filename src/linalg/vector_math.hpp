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

}  // namespace
}  // namespace darboux::DARBOUX_TARGET
