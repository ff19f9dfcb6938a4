#pragma once

// Stan programs as models: translated and compiled by the Stan that is at hand, or compiled by others.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "darboux/core/export.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

/// What somebody who waits for a compilation is told.
struct CompilationNews {
  std::string what;      ///< what is being done
  double seconds = 0.0;  ///< for so long
  bool done = false;
};
using CompilationWatch = std::function<void(const CompilationNews&)>;

struct StanOptions {
  std::string data{};                      ///< a JSON file, or JSON itself; empty for a program without data
  std::uint64_t seed = 0;                  ///< for random numbers in `transformed data`
  std::filesystem::path toolchain{};       ///< a folder with Stan; looked for when empty, see docs/stan.md
  std::filesystem::path last_toolchain{};  ///< where none is found
  CompilationWatch watch{};
};

/// A model from a Stan program (NAME.stan) or from a library with BridgeStan's interface (NAME.so). A program is compiled once
/// and kept in the user's cache folder. Throws InputError where the program does not compile or the data do not fit, and where
/// there is no Stan, saying how to get it.
[[nodiscard]] DARBOUX_API std::shared_ptr<const Model> stan_model(const std::filesystem::path& file,
                                                                  const StanOptions& options = {});

}  // namespace darboux
