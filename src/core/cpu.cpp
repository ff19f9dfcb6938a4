#include "core/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "darboux/core/error.hpp"
#include "dispatch.hpp"

namespace darboux {

namespace {

bool supports(CpuKind kind) {
  if (kind == CpuKind::baseline) return true;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (kind == CpuKind::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supports(CpuKind::avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

CpuKind checked(CpuKind kind) {
  if (!supports(kind)) throw InputError(fmt::format("cpu kind = {}: this processor cannot run it", name(kind)));
  return kind;
}

CpuKind first_choice() {
  const char* const wanted = std::getenv("DARBOUX_CPU");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  if (wanted == nullptr || *wanted == '\0') return supported_cpu_kinds().back();
  return checked(from_name<CpuKind>("DARBOUX_CPU", wanted));
}

}  // namespace

constinit ChosenCpuKind chosen_cpu_kind{};

std::vector<CpuKind> supported_cpu_kinds() {
  std::vector<CpuKind> kinds;
  std::ranges::copy_if(all_values<CpuKind>(), std::back_inserter(kinds), supports);
  return kinds;
}

CpuKind cpu_kind() {
  if (!chosen_cpu_kind.is_known) use_cpu_kind(first_choice());  // threads that ask at once find the same
  return chosen_cpu_kind.kind;
}

void use_cpu_kind(CpuKind kind) {
  chosen_cpu_kind.kind = checked(kind);
  chosen_cpu_kind.is_known = true;
}

}  // namespace darboux
