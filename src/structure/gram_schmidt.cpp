#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "darboux/core/error.hpp"
#include "darboux/core/random.hpp"
#include "linalg/dense.hpp"
#include "spectrum.hpp"
#include "structure/darboux_basis.hpp"

/// Symplectic Gram-Schmidt. For i = 1, …, n: draw Gaussian v and w, project both onto the orthogonal complement of
/// span(𝕁B), B being the columns so far (then Ω(b, v) = bᵀ𝕁v = 0 for each of them), and scale them to Ω(v, w) = 1.
namespace darboux {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Vector product(const Matrix& m, const Vector& x) {
  Vector y(static_cast<std::size_t>(m.rows()));
  for (Index i = 0; i < m.rows(); ++i)
    y[static_cast<std::size_t>(i)] = std::inner_product(x.begin(), x.end(), m.data() + i * m.cols(), 0.0);
  return y;
}

/// A growing orthonormal set. One pass of orthogonalisation leaves what cancellation brought back; the second removes it.
class OrthonormalSet {
 public:
  void project_out(Vector& v) const {
    for (int pass = 0; pass < 2; ++pass)
      for (const Vector& u : vectors_) {
        const double c = dot(u, v);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= c * u[i];
      }
  }
  void add(Vector v) {
    project_out(v);
    const double norm = std::sqrt(dot(v, v));
    for (double& x : v) x /= norm;
    vectors_.push_back(std::move(v));
  }

 private:
  std::vector<Vector> vectors_;
};

/// One run of the algorithm; the columns come as (v_1, …, v_n, w_1, …, w_n).
Matrix random_symplectic_columns(const Matrix& J, RandomStream random) {
  const Index n = J.rows() / 2;
  Matrix B(2 * n, 2 * n);
  OrthonormalSet image;  // of the columns so far, under 𝕁
  for (Index k = 0; k < n; ++k) {
    Vector v(static_cast<std::size_t>(2 * n)), w(v.size());
    random.fill_normal(v);
    random.fill_normal(w);
    image.project_out(v);
    image.project_out(w);
    const double omega = dot(v, product(J, w));
    const double scale = 1.0 / std::sqrt(std::abs(omega));
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] *= std::copysign(scale, omega);
      w[i] *= scale;
      B(static_cast<Index>(i), k) = v[i];
      B(static_cast<Index>(i), n + k) = w[i];
    }
    image.add(product(J, v));
    image.add(product(J, w));
  }
  return B;
}

/// A Newton step towards B J_can Bᵀ = 𝔹. With R = 𝔹 − B J_can Bᵀ, the basis B − ½ R Fᵀ J_can has a defect of order R², so
/// what errors of Ω(v, w), whose terms nearly cancel, have left in R goes down to the rounding of B J_can Bᵀ itself.
Matrix polished(const Matrix& B, const Matrix& poisson) {
  const auto F = inverse(B);
  if (!F) return B;
  const Matrix J_can = canonical_matrix(B.rows() / 2);
  const Matrix R = poisson - B * J_can * B.transposed();
  return B - 0.5 * (R * F->transposed() * J_can);
}

}  // namespace

DarbouxBasis gram_schmidt_basis(const PoissonStructure& structure, const GramSchmidtOptions& options) {
  if (options.restarts < 1)
    throw InputError(fmt::format("restarts = {}: Gram-Schmidt needs at least one run", options.restarts));
  const Matrix J = negative_inverse(invertible_schur(structure));
  const Matrix poisson = structure.matrix();

  std::optional<DarbouxBasis> best;
  double best_norm = 0.0;
  for (int restart = 0; restart < options.restarts; ++restart) {
    const RandomStream random(
        {.seed = options.seed, .purpose = Purpose::basis, .iteration = static_cast<std::uint64_t>(restart)});
    const Matrix B = polished(random_symplectic_columns(J, random), poisson);
    const double norm = frobenius_norm(B);
    if (!std::isfinite(norm) || (best && norm >= best_norm)) continue;
    auto F = inverse(B);
    if (!F) continue;
    best = DarbouxBasis{.B = B, .F = *std::move(F)};
    best_norm = norm;
  }
  if (!best)
    throw StructureError(
        fmt::format("none of {} Gram-Schmidt runs gave an invertible basis: use \"schur\"", options.restarts));
  return *std::move(best);
}

}  // namespace darboux
