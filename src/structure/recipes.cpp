#include "darboux/structure/recipes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "darboux/core/random.hpp"
#include "linalg/skew_schur.hpp"

namespace darboux {

namespace {

void require_dimension(Index n) {
  if (n < 1) throw StructureError(fmt::format("a structure needs a dimension of at least 1, not {}", n));
}

void check(const BlockSize& size) {
  if (const auto* divisor = std::get_if<Divisor>(&size); divisor && !(std::isfinite(divisor->k) && divisor->k > 0.0))
    throw StructureError(fmt::format("k = {}: the divisor of a random block must be finite and positive", divisor->k));
  if (const auto* strength = std::get_if<SpectralStrength>(&size);
      strength && !(std::isfinite(strength->norm) && strength->norm >= 0.0))
    throw StructureError(fmt::format(
        "strength = {}: the spectral norm of a random block must be finite and not negative", strength->norm));
}

Matrix standard_normal_matrix(Index n, std::uint64_t seed) {
  Matrix m(n, n);
  RandomStream({.seed = seed, .purpose = Purpose::structure}).fill_normal({m.data(), static_cast<std::size_t>(n * n)});
  return m;
}

}  // namespace

Matrix random_skew(Index n, const BlockSize& size, std::uint64_t seed) {
  require_dimension(n);
  check(size);
  const Matrix m = standard_normal_matrix(n, seed);
  Matrix skew = m - m.transposed();
  if (n == 1) return skew;
  const auto* divisor = std::get_if<Divisor>(&size);
  // The spectral norm of a skew matrix is the largest rate of its Schur form.
  const double scale =
      divisor ? 1.0 / divisor->k : std::get<SpectralStrength>(size).norm / skew_schur(skew).rate.front();
  return skew *= scale;
}

PoissonStructure make_structure(Recipe recipe, Index n, const RecipeOptions& options) {
  require_dimension(n);
  check(options.size);
  const StructuredMatrix A = options.A.dim() == 0 ? StructuredMatrix::identity(n) : options.A;
  const auto zero = StructuredMatrix::zero(n);
  if (recipe == Recipe::canonical) return PoissonStructure::from_blocks(zero, A, zero);

  const auto random = StructuredMatrix::from(random_skew(n, options.size, options.seed));
  return PoissonStructure::from_blocks(recipe == Recipe::magnetic_position ? zero : random, A,
                                       recipe == Recipe::magnetic_momentum ? zero : random);
}

Matrix plane_rotations(Index n, const std::vector<std::pair<Index, Index>>& planes, double strength) {
  require_dimension(n);
  if (!std::isfinite(strength))
    throw StructureError(fmt::format("strength = {}: a rotation rate must be finite", strength));
  Matrix skew(n, n);
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  for (const auto& [i, j] : planes) {
    const std::string plane = fmt::format("plane ({}, {})", i, j);
    for (const Index k : {i, j})
      if (k < 0 || k >= n)
        throw StructureError(
            fmt::format("{}: coordinates count from 0 to {}, one less than the dimension", plane, n - 1));
    if (i == j) throw StructureError(fmt::format("{}: a plane needs two different coordinates", plane));
    for (const Index k : {i, j}) {
      if (taken[static_cast<std::size_t>(k)])
        throw StructureError(
            fmt::format("{}: coordinate {} is in another plane already, so neither would turn at the "
                        "given rate (coordinates count from 0)",
                        plane, k));
      taken[static_cast<std::size_t>(k)] = true;
    }
    skew(i, j) = strength;
    skew(j, i) = -strength;
  }
  return skew;
}

}  // namespace darboux
