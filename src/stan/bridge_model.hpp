#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "darboux/model/model.hpp"

namespace darboux {

struct BridgeModelSource {
  std::filesystem::path library;  ///< with BridgeStan's C interface
  std::string shown_as;           ///< what messages call it: the program's file, or the library's
  std::string data;               ///< JSON; empty for none
  std::string data_shown_as;      ///< likewise
  std::uint64_t seed = 0;         ///< for random numbers in `transformed data`
};

/// The model of a compiled Stan program with its data. Log densities are as Stan's sampler sees them: up to a constant, on
/// unconstrained parameters, with the Jacobian. A draw reports parameters, transformed parameters and generated quantities; random
/// numbers of the latter are a function of the draw's key. Throws InputError where library, program and data do not fit together.
[[nodiscard]] std::shared_ptr<const Model> load_bridge_model(const BridgeModelSource& source);

}  // namespace darboux
