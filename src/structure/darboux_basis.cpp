#include "structure/darboux_basis.hpp"

#include <fmt/format.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "spectrum.hpp"

namespace darboux {

namespace {

Matrix from_four_blocks(const Matrix& top_left, const Matrix& top_right, const Matrix& bottom_left,
                        const Matrix& bottom_right) {
  const Index n = top_left.rows();
  Matrix m(2 * n, 2 * n);
  m.set_block(0, 0, top_left);
  m.set_block(0, n, top_right);
  m.set_block(n, 0, bottom_left);
  m.set_block(n, n, bottom_right);
  return m;
}

Matrix inverse_of_a(const Matrix& A) {
  if (auto inverted = inverse(A)) return *std::move(inverted);
  throw StructureError("A is singular to working precision, so the Darboux basis has no closed form");
}

/// A = L Lᵀ with symmetric L. The formulas of the header, multiplied out: L Q = G L⁻¹/2 (or E for G).
DarbouxBasis closed_form_with_root(const PoissonStructure& structure, const Matrix& L) {
  const Matrix zero(L.rows(), L.cols());
  const Matrix L_inverse = inverse_of_a(L);
  const bool e_is_zero = structure.E().is_zero();
  const Matrix LQ = 0.5 * ((e_is_zero ? structure.G() : structure.E()).matrix() * L_inverse);
  const Matrix shear = L_inverse * LQ * L_inverse;  // Q L⁻¹
  if (e_is_zero)
    return {.B = from_four_blocks(L, zero, LQ, L), .F = from_four_blocks(L_inverse, zero, -shear, L_inverse)};
  return {.B = from_four_blocks(L, -LQ, zero, L), .F = from_four_blocks(L_inverse, shear, zero, L_inverse)};
}

DarbouxBasis closed_form_without_root(const PoissonStructure& structure) {
  const Index n = structure.dim();
  const Matrix one = Matrix::identity(n), zero(n, n), A = structure.A().matrix();
  const Matrix A_inverse = inverse_of_a(A);
  if (structure.E().is_zero()) {
    const Matrix half_g = 0.5 * structure.G().matrix();
    return {.B = from_four_blocks(A, zero, half_g, one),
            .F = from_four_blocks(A_inverse, zero, -(half_g * A_inverse), one)};
  }
  const Matrix half_e = 0.5 * structure.E().matrix();
  const Matrix A_inverse_transposed = A_inverse.transposed();
  return {.B = from_four_blocks(one, -half_e, zero, A.transposed()),
          .F = from_four_blocks(one, half_e * A_inverse_transposed, zero, A_inverse_transposed)};
}

}  // namespace

DarbouxBasis schur_basis(const PoissonStructure& structure) { return schur_basis(invertible_schur(structure)); }

DarbouxBasis schur_basis(const SkewSchur& schur) {
  const Index n = schur.dim() / 2;
  DarbouxBasis basis{.B = Matrix(2 * n, 2 * n), .F = Matrix(2 * n, 2 * n)};
  for (Index k = 0; k < n; ++k) {
    const double root = std::sqrt(schur.rate[static_cast<std::size_t>(k)]);
    for (Index i = 0; i < 2 * n; ++i) {
      basis.B(i, k) = root * schur.a(i, k);
      basis.B(i, n + k) = root * schur.b(i, k);
      basis.F(k, i) = schur.a(i, k) / root;
      basis.F(n + k, i) = schur.b(i, k) / root;
    }
  }
  return basis;
}

DarbouxBasis closed_form_basis(const PoissonStructure& structure) {
  if (!structure.E().is_zero() && !structure.G().is_zero())
    throw StructureError(
        "a Darboux basis has a closed form only where E = 0 or G = 0, and here neither is: use \"schur\"");
  (void)invertible_schur(structure);
  if (structure.A().is_identity()) return closed_form_without_root(structure);
  if (const auto root = symmetric_square_root(structure.A().matrix())) return closed_form_with_root(structure, *root);
  return closed_form_without_root(structure);
}

DarbouxBasis make_basis(const PoissonStructure& structure, BasisMethod method) {
  switch (method) {
    case BasisMethod::schur: return schur_basis(structure);
    case BasisMethod::closed_form: return closed_form_basis(structure);
    case BasisMethod::gram_schmidt: return gram_schmidt_basis(structure);
  }
  throw InputError("unknown basis method");
}

double residual(const DarbouxBasis& basis, const PoissonStructure& structure) {
  const Matrix j = canonical_matrix(structure.dim());
  return frobenius_norm(basis.B * j * basis.B.transposed() - structure.matrix());
}

}  // namespace darboux
