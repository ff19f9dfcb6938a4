#pragma once

#include "core/cpu.hpp"

namespace darboux::testing {

/// While it lives, kernels are those for one kind of processor.
class OnCpu {
 public:
  explicit OnCpu(CpuKind kind) : before_(cpu_kind()) { use_cpu_kind(kind); }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;
  ~OnCpu() { use_cpu_kind(before_); }

 private:
  CpuKind before_;
};

/// Calls test(kind) on every kind of processor that this one can be.
template <class Test>
void on_every_cpu(Test test) {
  for (const CpuKind kind : supported_cpu_kinds()) {
    const OnCpu on_cpu(kind);
    test(kind);
  }
}

}  // namespace darboux::testing
