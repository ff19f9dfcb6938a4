#pragma once

#include <filesystem>
#include <string>

#include "darboux/stan/stan_model.hpp"
#include "stan/toolchain.hpp"

namespace darboux {

struct CompiledProgram {
  std::filesystem::path library;  ///< NAME_model.so, with BridgeStan's C interface
  bool is_new = false;            ///< it was compiled now, and not found in the cache
  std::string notes;              ///< what the translator remarked; mostly nothing
};

/// Translates a Stan program and compiles it, unless the user's cache has the library already. The cache is keyed by the
/// translation (hence by the program with all that it includes), the flags, the compiler and the version of Stan. Throws InputError
/// with the translator's message where the program is not valid, and Error where the compiler fails.
[[nodiscard]] CompiledProgram compile_stan(const std::filesystem::path& program, const StanToolchain& toolchain,
                                           const CompilationWatch& watch);

/// Compiles Stan's headers ahead, once for a toolchain and a compiler: 0.8 GB in the cache, and every program takes half the time.
void precompile_headers(const StanToolchain& toolchain, const CompilationWatch& watch);

}  // namespace darboux
