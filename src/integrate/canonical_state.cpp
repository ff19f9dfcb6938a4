#include "canonical_state.hpp"

#include "linalg/batch_product.hpp"

namespace darboux {

void to_canonical(const PhaseBlock& z, const Matrix& f, LaneSteps dt, OwnedBatch& canonical) {
  const Index n = z.dim();
  OwnedBatch stacked(2 * n, z.lanes());
  copy(z.q, stacked.view().middle_rows(0, n));
  copy(z.p, stacked.view().middle_rows(n, n));
  OwnedBatch product(2 * n, z.lanes());
  multiply(f, stacked, product);
  fit(canonical, 2 * n, z.lanes());
  assign_where(product, dt, canonical);
}

void from_canonical(ConstBatch canonical, const Matrix& b, LaneSteps dt, PhaseBlock& z) {
  const Index n = z.dim();
  OwnedBatch stacked(2 * n, z.lanes());
  multiply(b, canonical, stacked);
  assign_where(stacked.view().middle_rows(0, n), dt, z.q);
  assign_where(stacked.view().middle_rows(n, n), dt, z.p);
  z.forget_gradient(dt);
}

void combine(ConstBatch base, ConstBatch offset, LaneSteps dt, double factor, OwnedBatch& out) {
  fit(out, base.rows(), base.lanes());
  for (Index j = 0; j < base.rows(); ++j)
    for (Index l = 0; l < base.lanes(); ++l)
      if (dt[static_cast<std::size_t>(l)] != 0.0) out(j, l) = base(j, l) + factor * offset(j, l);
}

void half_difference(PhaseBlock& z, LaneSteps dt) {
  for (Index j = 0; j < z.offset.rows(); ++j)
    for (Index l = 0; l < z.lanes(); ++l)
      if (dt[static_cast<std::size_t>(l)] != 0.0) z.offset(j, l) = 0.5 * (z.copies.first(j, l) - z.copies.second(j, l));
}

}  // namespace darboux
