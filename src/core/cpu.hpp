#pragma once

#include <cstdint>
#include <vector>

#include "darboux/core/enumeration.hpp"

namespace darboux {

/// The kinds of processor that the library's kernels are compiled for. Draws have the same bits on one kind only.
enum class CpuKind : std::uint8_t {
  baseline,  ///< any of its architecture
  avx2,      ///< x86-64 with AVX2 and FMA
  avx512     ///< x86-64 with AVX-512 F, BW, CD, DQ and VL
};
template <>
inline constexpr auto names_of<CpuKind> = std::to_array<Named<CpuKind>>(
    {{CpuKind::baseline, "baseline"}, {CpuKind::avx2, "avx2"}, {CpuKind::avx512, "avx512"}});

/// What this processor can run, from the least to the best.
[[nodiscard]] std::vector<CpuKind> supported_cpu_kinds();

/// The kind that kernels use: the best, unless the environment variable DARBOUX_CPU names another, which it may in order to
/// repeat the draws of a lesser machine. Throws InputError where that is none that this processor can run.
[[nodiscard]] CpuKind cpu_kind();

/// From now on. Evaluators that exist already may stay with what they were made for. Throws InputError as above.
void use_cpu_kind(CpuKind kind);

}  // namespace darboux
