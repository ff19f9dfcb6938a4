#include "map_methods.hpp"

#include <darboux/structure/recipes.hpp>
#include <utility>
#include <vector>

namespace darboux::experiments {

namespace {

/// Skew, of rank 4, or 2 where there are not four dimensions: it turns two coordinate planes, or one.
PoissonStructure with_two_planes(Index n) {
  std::vector<std::pair<Index, Index>> planes{{0, 1}};
  if (n >= 4) planes.emplace_back(2, 3);
  return PoissonStructure::from_blocks(plane_rotations(n, planes, MapGrid::strength), Matrix::identity(n),
                                       Matrix(n, n));
}

template <Recipe recipe>
PoissonStructure random_structure(Index n, std::uint64_t seed) {
  return make_structure(recipe, n, {.size = SpectralStrength{MapGrid::strength}, .seed = seed, .A = {}});
}

constexpr std::array methods{
    MapMethod{"canonical", "#3d6d9e"},
    MapMethod{"magnetic position, G ≠ 0", "#8a63b8", random_structure<Recipe::magnetic_position>},
    MapMethod{"magnetic momentum, E ≠ 0", "#a33a05", random_structure<Recipe::magnetic_momentum>},
    MapMethod{"E ≠ 0 in two planes", "#ee7d11", [](Index n, std::uint64_t) { return with_two_planes(n); }},
    MapMethod{"two stages", "#7fb2dc", nullptr, 2},
    MapMethod{"microcanonical, two stages", "#2c7a30", nullptr, 2, MotionKind::microcanonical},
    MapMethod{"marginal map, two stages", "#83cc75", nullptr, 2, MotionKind::hamiltonian, MarginalMap::sinh_arcsinh}};

}  // namespace

std::span<const MapMethod> map_methods() { return methods; }

}  // namespace darboux::experiments
