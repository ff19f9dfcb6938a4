#pragma once

#include <string>
#include <string_view>

/// What a run's last bits depend on, besides its configuration.
namespace darboux {

/// The kind of processor that the program runs on, by what it can compute: "x86-64-v4" (AVX-512), "x86-64-v3" (AVX2, FMA),
/// "x86-64-v2" (SSE4.2), "x86-64", or the name of another architecture, e.g. "aarch64". Where lesser kernels
/// were asked for (cpu.hpp) it says so: "x86-64-v4 with kernels for avx2". Draws are the same to the last bit in one class.
[[nodiscard]] std::string cpu_class();

/// The compiler that built the library, e.g. "g++ 12.2.0".
[[nodiscard]] std::string_view compiler() noexcept;

}  // namespace darboux
