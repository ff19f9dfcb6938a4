#include "integrate/gaussian_flow.hpp"

#include <algorithm>
#include <utility>

#include "linalg/batch_product.hpp"
#include "linalg/dense.hpp"

namespace darboux {

GaussianFlow::GaussianFlow(const PoissonStructure& structure, const Matrix& precision, std::vector<double> mean)
    : mean_(std::move(mean)) {
  const Index n = structure.dim();
  Matrix hessian = Matrix::identity(2 * n);
  hessian.set_block(0, 0, precision);
  generator_ = structure.matrix() * hessian;
}

Matrix GaussianFlow::propagator(double t) const { return exponential(t * generator_); }

void GaussianFlow::advance(PhaseBlock& z, double t) const {
  const Index n = z.dim();
  OwnedBatch from(2 * n, z.lanes());
  OwnedBatch to(2 * n, z.lanes());
  for (Index j = 0; j < n; ++j) {
    for (Index l = 0; l < z.lanes(); ++l) {
      from(j, l) = z.q(j, l) - mean_[static_cast<std::size_t>(j)];
      from(n + j, l) = z.p(j, l);
    }
  }
  multiply(propagator(t), from, to);
  for (Index j = 0; j < n; ++j) {
    for (Index l = 0; l < z.lanes(); ++l) {
      z.q(j, l) = to(j, l) + mean_[static_cast<std::size_t>(j)];
      z.p(j, l) = to(n + j, l);
    }
  }
  std::fill(z.gradient_is_current.begin(), z.gradient_is_current.end(), 0);
}

}  // namespace darboux
