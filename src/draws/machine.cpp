#include "darboux/draws/machine.hpp"

#include <sys/utsname.h>

namespace darboux {

#if defined(__x86_64__)
// The levels of the x86-64 ABI, as far as compilers let one ask.
std::string cpu_class() {
  __builtin_cpu_init();
  const bool v2 =
      __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : v2 ? "x86-64-v2" : "x86-64";
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
