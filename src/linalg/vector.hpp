#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Short vectors for the kernels that are compiled once for each kind of processor (*.simd.cpp, see cmake/Simd.cmake).
///
/// Everything here and in those files has internal linkage or lives in namespace DARBOUX_TARGET: an inline function that two
/// files share would be compiled for several processors, and the linker would keep any one of them for all. For the same
/// reason they use no inline functions of the standard library. Sums and products are never fused unless it says fma, so
/// that all compilers round alike.
namespace darboux::DARBOUX_TARGET {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

template <class Number, std::size_t width>
struct VectorOf {
  typedef Number type __attribute__((vector_size(sizeof(Number) * width)));  // NOLINT(modernize-use-using)
};
/// `width` numbers with the arithmetic of one.
template <class Number, std::size_t width>
using Vector = typename VectorOf<Number, width>::type;

/// As many numbers as fill a register.
template <class Number>
constexpr std::size_t native_width = vector_bytes / sizeof(Number);
template <class Number>
using NativeVector = Vector<Number, native_width<Number>>;

template <class V, class Number>
inline V load(const Number* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <class V, class Number>
inline void store(V v, Number* to) {
  __builtin_memcpy(to, &v, sizeof(V));
}
/// x in every place.
template <class V, class Number>
inline V all(Number x) {
  return x - V{};
}

/// a b + c: rounded once where the processor can.
template <class V>
inline V fma(V a, V b, V c) {
#if defined(__FMA__)
  if constexpr (sizeof(V) == 16 && sizeof(a[0]) == 8) return _mm_fmadd_pd(a, b, c);
  if constexpr (sizeof(V) == 16 && sizeof(a[0]) == 4) return _mm_fmadd_ps(a, b, c);
  if constexpr (sizeof(V) == 32 && sizeof(a[0]) == 8) return _mm256_fmadd_pd(a, b, c);
  if constexpr (sizeof(V) == 32 && sizeof(a[0]) == 4) return _mm256_fmadd_ps(a, b, c);
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && sizeof(a[0]) == 8) return _mm512_fmadd_pd(a, b, c);
  if constexpr (sizeof(V) == 64 && sizeof(a[0]) == 4) return _mm512_fmadd_ps(a, b, c);
#endif
  return a * b + c;
}
inline double fma(double a, double b, double c) {
#if defined(__FMA__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

#if defined(__AVX512VL__)
/// The places of a and b, those of b counted on from those of a, in the order that `from` says.
inline Vector<double, 8> pick(Vector<double, 8> a, Vector<double, 8> b, Vector<std::int64_t, 8> from) {
  return _mm512_permutex2var_pd(a, reinterpret_cast<__m512i>(from), b);
}
#endif

/// The larger of the two, b where one of them is NaN.
template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}

/// −|x|.
template <class V>
inline V minus_abs(V x) {
  using Integers = decltype(x < x);
  return reinterpret_cast<V>(reinterpret_cast<Integers>(x) |
                             reinterpret_cast<Integers>(all<V>(static_cast<decltype(x[0] + x[0])>(-0.0))));
}

inline double minus_abs(double x) { return -__builtin_fabs(x); }

}  // namespace
}  // namespace darboux::DARBOUX_TARGET
