#pragma once

#include <array>
#include <cstdint>
#include <darboux/core/choices.hpp>
#include <darboux/structure/poisson_structure.hpp>
#include <span>
#include <string_view>

#include "experiment.hpp"

/// What the map of where structure pays compares, and what it finds.
namespace darboux::experiments {

struct MapMethod {
  std::string_view name;
  std::string_view colour;
  PoissonStructure (*structure)(Index n, std::uint64_t seed) = nullptr;  ///< null: canonical
  int stages = 1;
  MotionKind motion = MotionKind::hamiltonian;
  MarginalMap map = MarginalMap::none;
};
/// Canonical leapfrog first: the others are compared with it.
[[nodiscard]] std::span<const MapMethod> map_methods();

/// The same for every method.
struct MapGrid {
  static constexpr double strength = 0.5;             ///< spectral norm of every block that is not zero
  static constexpr std::array times{1.0, 1.5, 2.5};   ///< of trajectories
  static constexpr std::array acceptances{0.7, 0.9};  ///< that step sizes aim at
  static constexpr double solver_tolerance = 1e-6;
};

/// From the tables `map`, with a row for every run, and `theorem`, of chains on a Gaussian (gaussian_chain.hpp).
[[nodiscard]] Findings map_findings(const Tables& tables);

}  // namespace darboux::experiments
