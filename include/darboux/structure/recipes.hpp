#pragma once

// Named structures of phase space, with random blocks.

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/core/export.hpp"
#include "darboux/structure/poisson_structure.hpp"

namespace darboux {

/// The named families of structures.
enum class Recipe {
  canonical,          ///< E = G = 0
  magnetic_position,  ///< E = 0, G random
  magnetic_momentum,  ///< G = 0, E random
  coupled             ///< E = G random
};
template <>
inline constexpr auto names_of<Recipe> = std::to_array<Named<Recipe>>({{Recipe::canonical, "canonical"},
                                                                       {Recipe::magnetic_position, "magnetic-position"},
                                                                       {Recipe::magnetic_momentum, "magnetic-momentum"},
                                                                       {Recipe::coupled, "coupled"}});

/// How large a random skew block is. With M standard normal: (M − Mᵀ)/k, or the same scaled to a spectral norm, so that
/// structures of different size turn equally fast.
struct Divisor {
  double k = 2.0;
};
struct SpectralStrength {
  double norm = 1.0;
};
using BlockSize = std::variant<Divisor, SpectralStrength>;

struct RecipeOptions {
  BlockSize size = Divisor{};
  std::uint64_t seed = 0;
  StructuredMatrix A;  ///< identity when left empty
};

/// A random skew matrix of size n. The same seed gives the same M whatever the size rule; n = 1 has only the zero matrix.
[[nodiscard]] DARBOUX_API Matrix random_skew(Index n, const BlockSize& size, std::uint64_t seed);

[[nodiscard]] DARBOUX_API PoissonStructure make_structure(Recipe recipe, Index n, const RecipeOptions& options = {});

/// A skew matrix that turns each of the given coordinate planes (i, j) at rate `strength`: entry (i, j) is +strength.
[[nodiscard]] DARBOUX_API Matrix plane_rotations(Index n, const std::vector<std::pair<Index, Index>>& planes,
                                                 double strength);

}  // namespace darboux
