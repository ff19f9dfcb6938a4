#pragma once

#include "darboux/core/cpu.hpp"

/// Functions that are compiled for every kind of processor (cmake/Simd.cmake), in the namespaces baseline, avx2, avx512:
///     DARBOUX_DECLARE_KERNEL(void f(const Task& task);)   declares them all,
///     DARBOUX_KERNEL(f)                                    is the address of the one for the kind in use.
#define DARBOUX_DECLARE_KERNEL(declaration) \
  namespace baseline {                      \
  declaration                               \
  }                                         \
  namespace avx2 {                          \
  declaration                               \
  }                                         \
  namespace avx512 {                        \
  declaration                               \
  }

#if defined(__x86_64__)
#define DARBOUX_KERNEL(function) \
  (::darboux::kernel_for(::darboux::cpu_kind(), &baseline::function, &avx2::function, &avx512::function))
#else
#define DARBOUX_KERNEL(function) (&baseline::function)
#endif

namespace darboux {

template <class Function>
[[nodiscard]] Function* kernel_for(CpuKind kind, Function* baseline, Function* avx2, Function* avx512) noexcept {
  return kind == CpuKind::avx512 ? avx512 : kind == CpuKind::avx2 ? avx2 : baseline;
}

}  // namespace darboux
