#include "spectrum.hpp"

#include <fmt/format.h>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"

namespace darboux {

Spectrum spectrum_of(const SkewSchur& schur) { return {.smallest = schur.rate.back(), .largest = schur.rate.front()}; }

std::string describe(const Spectrum& spectrum) {
  if (spectrum.largest == 0.0) return "are all zero";
  return fmt::format("range from {:.3g} to {:.3g}, a ratio of {:.3g}, below {:g}", spectrum.smallest, spectrum.largest,
                     spectrum.smallest / spectrum.largest, Spectrum::singular_ratio);
}

SkewSchur invertible_schur(const PoissonStructure& structure) {
  SkewSchur schur = skew_schur(structure.matrix());
  if (const Spectrum range = spectrum_of(schur); range.degenerate())
    throw StructureError(
        fmt::format("no Darboux basis exists, because the Poisson matrix is singular: its |eigenvalues| "
                    "{}. Change the structure (its strength), or use midpoint or split-midpoint, which need no basis",
                    describe(range)));
  return schur;
}

Matrix negative_inverse(const SkewSchur& schur) {
  Matrix a_over_rate = schur.a;
  for (Index i = 0; i < a_over_rate.rows(); ++i)
    for (Index k = 0; k < a_over_rate.cols(); ++k) a_over_rate(i, k) /= schur.rate[static_cast<std::size_t>(k)];
  const Matrix half = a_over_rate * schur.b.transposed();
  return half - half.transposed();
}

}  // namespace darboux
