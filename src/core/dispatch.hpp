#pragma once

#include <atomic>

#include "core/cpu.hpp"

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
#define DARBOUX_KERNEL(function) (::darboux::kernel_for(&baseline::function, &avx2::function, &avx512::function))
#else
#define DARBOUX_KERNEL(function) (&baseline::function)
#endif

namespace darboux {

/// What cpu_kind() says, once it has been asked.
struct ChosenCpuKind {
  std::atomic<bool> is_known;
  std::atomic<CpuKind> kind;
};
extern ChosenCpuKind chosen_cpu_kind;

template <class Function>
[[nodiscard]] Function* kernel_for(Function* baseline, Function* avx2, Function* avx512) {
  const CpuKind kind = chosen_cpu_kind.is_known.load(std::memory_order_acquire)
                           ? chosen_cpu_kind.kind.load(std::memory_order_relaxed)
                           : cpu_kind();
  return kind == CpuKind::avx512 ? avx512 : kind == CpuKind::avx2 ? avx2 : baseline;
}

}  // namespace darboux
