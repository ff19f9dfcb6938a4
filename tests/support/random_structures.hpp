#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <darboux/core/random.hpp>
#include <darboux/linalg/low_rank.hpp>
#include <darboux/structure/recipes.hpp>
#include <ostream>
#include <string_view>
#include <vector>

#include "linalg/dense.hpp"

/// Random structures to try things on: deterministic, well conditioned, with E and G of spectral norm about 1.
namespace darboux::testing {

enum class Shape { canonical_any_A, magnetic_position, magnetic_momentum, coupled, general, singular };

inline constexpr std::array all_shapes{Shape::canonical_any_A, Shape::magnetic_position, Shape::magnetic_momentum,
                                       Shape::coupled,         Shape::general,           Shape::singular};
/// Those with an invertible Poisson matrix.
inline constexpr std::array invertible_shapes{Shape::canonical_any_A, Shape::magnetic_position,
                                              Shape::magnetic_momentum, Shape::coupled, Shape::general};

inline std::string_view name(Shape shape) {
  constexpr std::array<std::string_view, all_shapes.size()> names{
      "canonical_any_A", "magnetic_position", "magnetic_momentum", "coupled", "general", "singular"};
  return names[static_cast<std::size_t>(shape)];
}
inline std::ostream& operator<<(std::ostream& out, Shape shape) { return out << name(shape); }

enum class CouplingKind { identity, diagonal, symmetric, nonsymmetric };

inline std::vector<double> random_vector(std::size_t size, RandomStream& random) {
  std::vector<double> x(size);
  random.fill_normal(x);
  return x;
}

inline Matrix random_matrix(Index rows, Index cols, RandomStream& random) {
  Matrix m(rows, cols);
  random.fill_normal({m.data(), static_cast<std::size_t>(rows * cols)});
  return m;
}

inline Matrix random_orthogonal(Index n, RandomStream& random) {
  return orthonormal_columns(random_matrix(n, n, random));
}

/// With scales before and after between 0.6 and 1.7 and stretches between 0.1 and 10.
inline LowRankMatrix random_low_rank(Index n, Index rank, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  const auto positive = [&](Index count, double least, double most) {
    std::vector<double> x(static_cast<std::size_t>(count));
    for (double& value : x) value = least * std::pow(most / least, random.uniform());
    return x;
  };
  return LowRankMatrix({.after = positive(n, 0.6, 1.7),
                        .directions = random_orthogonal(n, random).block(0, 0, rank, n),
                        .stretches = positive(rank, 0.1, 10.0),
                        .before = positive(n, 0.6, 1.7)});
}

/// A block A of the given kind, with singular values between 0.6 and 1.7.
inline Matrix random_coupling(Index n, CouplingKind kind, RandomStream& random) {
  if (kind == CouplingKind::identity) return Matrix::identity(n);
  std::vector<double> entries(static_cast<std::size_t>(n));
  for (double& x : entries) x = 0.6 + 1.1 * random.uniform();
  Matrix scale = Matrix::diagonal(entries);
  if (kind == CouplingKind::diagonal) return scale;
  const Matrix q = random_orthogonal(n, random);
  if (kind == CouplingKind::nonsymmetric) return q * scale * random_orthogonal(n, random);
  const Matrix m = q * scale * q.transposed();
  return 0.5 * (m + m.transposed());
}

/// A structure of the given shape. The kind of A goes round with the seed: identity, diagonal, symmetric positive definite,
/// nonsymmetric. |Eigenvalues| of 𝔹 differ by a factor of at most 10n unless the shape is `singular`, where one is zero. For
/// n = 1 there is neither E nor G nor a singular 𝔹: all shapes are canonical there.
inline PoissonStructure random_structure(Index n, Shape shape, std::uint64_t seed) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    RandomStream random(
        {.seed = seed, .purpose = Purpose::data, .chain = attempt, .iteration = static_cast<std::uint64_t>(shape)});
    const Matrix A = random_coupling(n, static_cast<CouplingKind>(seed % 4), random);
    const auto random_block = [&](double norm) { return random_skew(n, SpectralStrength{norm}, random.bits()); };
    const double strength = 0.7 + 0.2 * random.uniform();
    Matrix E(n, n), G(n, n);
    if (shape == Shape::magnetic_position) G = random_block(strength);
    if (shape == Shape::magnetic_momentum) E = random_block(strength);
    if (shape == Shape::coupled) E = G = random_block(strength);
    if (shape == Shape::general) {
      E = random_block(strength);
      G = random_block(1.2 * strength);
    }
    if (shape == Shape::singular) {
      // E = G = H with A = I is singular where H has the eigenvalues ±i, and congruence by diag(A, I) keeps it so.
      const Matrix H = random_block(1.0);
      const Matrix AHA = A * H * A.transposed();
      E = 0.5 * (AHA - AHA.transposed());
      G = H;
    }
    const auto structure = PoissonStructure::from_blocks(E, A, G);
    const auto range = structure.spectrum();
    if (shape == Shape::singular || 10.0 * static_cast<double>(n) * range.smallest >= range.largest) return structure;
  }
}

}  // namespace darboux::testing
