#include "integrate/copy_splitting.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "darboux/core/error.hpp"
#include "linalg/batch_product.hpp"
#include "linalg/dense.hpp"

namespace darboux {

void validate(const CopyOptions& options) {
  if (const auto* strength = std::get_if<BindingStrength>(&options.binding)) {
    if (!(strength->omega >= 0.0 && std::isfinite(strength->omega)))
      throw InputError(fmt::format("binding omega = {}: must be a number ≥ 0", strength->omega));
  } else {
    const double theta = std::get<BindingAngle>(options.binding).theta;
    if (!(theta >= 0.0 && theta < std::numbers::pi))
      throw InputError(
          fmt::format("binding angle = {}: must be in [0, π); at π the copies swap, and up to 1 is safe", theta));
  }
}

namespace {

double step_angle(const Binding& binding, double step_size) {
  if (const auto* strength = std::get_if<BindingStrength>(&binding)) return 2.0 * step_size * strength->omega;
  return std::get<BindingAngle>(binding).theta;
}

/// A basis that does not belong to the structure would make an exact integrator a wrong one, so it is checked.
DarbouxBasis basis_for(const PoissonStructure& structure, const DarbouxBasis& given) {
  if (given.B.empty() && given.F.empty()) return schur_basis(structure);
  const Index size = 2 * structure.dim();
  const auto check_size = [&](const Matrix& m, std::string_view which) {
    if (m.rows() != size || m.cols() != size)
      throw InputError(
          fmt::format("basis {} is {} × {}: must be {} × {}, as the structure", which, m.rows(), m.cols(), size, size));
  };
  check_size(given.B, "B");
  check_size(given.F, "F");
  const double scale = frobenius_norm(given.B);
  if (!(residual(given, structure) <= 1e-8 * scale * scale))
    throw InputError("basis B does not belong to the structure: B J Bᵀ must be its Poisson matrix");
  if (!(max_abs(given.F * given.B - Matrix::identity(size)) <= 1e-8))
    throw InputError("basis F must be the inverse of B");
  return given;
}

double checked_angle(const CopyOptions& options, double step_size) {
  validate(options);
  const double angle = step_angle(options.binding, step_size);
  if (!(angle < std::numbers::pi))
    throw InputError(
        fmt::format("binding turns the copies by {} at step size {}: must be below π, where they swap; lower "
                    "omega or the step size",
                    angle, step_size));
  return angle;
}

}  // namespace

CopySplitting::CopySplitting(const PoissonStructure& structure, double step_size, const CopyOptions& options)
    : sequence_(options.sequence),
      angle_(checked_angle(options, step_size)),
      basis_(basis_for(structure, options.basis)),
      basis_transposed_(basis_.B.transposed()) {}

void CopySplitting::start(PhaseBlock& z, Potential& u, LaneSteps dt) {
  fit(z.copies.mixed_gradient, 2 * z.dim(), z.lanes());
  refresh(z, u, dt);
}

void CopySplitting::step(PhaseBlock& z, Potential& u, LaneSteps dt) {
  phi1(z, dt, 0.5);
  if (sequence_ == CopySequence::paper) {
    phi2(z, u, dt, 0.5);
    phi3(z, dt, 1.0);
    phi2(z, u, dt, 0.5);
  } else {
    phi3(z, dt, 0.5);
    phi2(z, u, dt, 1.0);
    phi3(z, dt, 0.5);
  }
  refresh(z, u, dt);
  phi1(z, dt, 0.5);
}

/// gradient_ = ∇H̃ = Bᵀ (∇U(q), p) at (q, p) = B (position, momentum): one evaluation gives both partial derivatives.
void CopySplitting::gradient(MixedPoint at, PhaseBlock& z, Potential& u, LaneSteps dt) {
  const Index n = z.dim();
  for (OwnedBatch* scratch : {&mixed_, &physical_, &gradient_}) fit(*scratch, 2 * n, z.lanes());
  copy(at.position, mixed_.view().middle_rows(0, n));
  copy(at.momentum, mixed_.view().middle_rows(n, n));
  multiply(basis_.B, mixed_, physical_);
  u.gradient(physical_.view().middle_rows(0, n), dt, z.status, mixed_.view().middle_rows(0, n));
  copy(physical_.view().middle_rows(n, n), mixed_.view().middle_rows(n, n));
  multiply(basis_transposed_, mixed_, gradient_);
}

void CopySplitting::refresh(PhaseBlock& z, Potential& u, LaneSteps dt) {
  const Index n = z.dim();
  gradient({z.copies.first.view().middle_rows(0, n), z.copies.second.view().middle_rows(n, n)}, z, u, dt);
  assign_where(gradient_, dt, z.copies.mixed_gradient);
}

void CopySplitting::phi1(PhaseBlock& z, LaneSteps dt, double fraction) const {
  const Index n = z.dim();
  const ConstBatch g = z.copies.mixed_gradient;
  add_scaled(g.middle_rows(0, n), dt, z.copies.first.view().middle_rows(n, n), -fraction);
  add_scaled(g.middle_rows(n, n), dt, z.copies.second.view().middle_rows(0, n), fraction);
}

void CopySplitting::phi2(PhaseBlock& z, Potential& u, LaneSteps dt, double fraction) {
  const Index n = z.dim();
  gradient({z.copies.second.view().middle_rows(0, n), z.copies.first.view().middle_rows(n, n)}, z, u, dt);
  add_scaled(gradient_.view().middle_rows(n, n), dt, z.copies.first.view().middle_rows(0, n), fraction);
  add_scaled(gradient_.view().middle_rows(0, n), dt, z.copies.second.view().middle_rows(n, n), -fraction);
}

void CopySplitting::phi3(PhaseBlock& z, LaneSteps dt, double fraction) const {
  turn_difference(z.copies.first, z.copies.second, dt, fraction * angle_);
}

}  // namespace darboux
