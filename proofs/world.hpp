#pragma once

#include <cstdint>
#include <darboux/model/model.hpp>
#include <memory>
#include <string>
#include <vector>

namespace darboux::proofs {

/// Parameters from a model's prior, and the posterior given data made from them.
struct World {
  std::shared_ptr<const Model> posterior;
  std::vector<double> truth;  ///< in the posterior's coordinates
};

/// The models that are calibrated.
[[nodiscard]] std::vector<std::string> world_names();
/// False for a Stan program where there is no Stan.
[[nodiscard]] bool can_make(const std::string& name);
[[nodiscard]] World make_world(const std::string& name, std::uint64_t seed);

}  // namespace darboux::proofs
