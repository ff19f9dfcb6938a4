#include "draws/machine.hpp"

#include <sys/utsname.h>

#include "core/cpu.hpp"

namespace darboux {

#if defined(__x86_64__)
namespace {

/// The levels of the x86-64 ABI, as far as compilers let one ask.
std::string_view level() {
  __builtin_cpu_init();
  const bool v2 =
      __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const auto kinds = supported_cpu_kinds();
  const bool v3 =
      v2 && kinds.back() >= CpuKind::avx2 && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return v3 && kinds.back() == CpuKind::avx512 ? "x86-64-v4" : v3 ? "x86-64-v3" : v2 ? "x86-64-v2" : "x86-64";
}

}  // namespace

std::string cpu_class() {
  std::string out(level());
  if (cpu_kind() != supported_cpu_kinds().back()) out.append(" with kernels for ").append(name(cpu_kind()));
  return out;
}
#else
std::string cpu_class() {
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "unknown";
}
#endif

#if defined(__clang__)
std::string_view compiler() noexcept { return "clang++ " __clang_version__; }
#else
std::string_view compiler() noexcept { return "g++ " __VERSION__; }
#endif

}  // namespace darboux
