#include "integrate/integrator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

void require_positive(double step_size) {
  if (!(step_size > 0.0 && std::isfinite(step_size)))
    throw InputError(fmt::format("step_size = {}: must be a positive number", step_size));
}

bool has_stages(IntegratorKind kind) {
  using enum IntegratorKind;
  return kind == leapfrog || kind == magnetic_leapfrog || kind == split_midpoint;
}

void validate(IntegratorKind kind, const IntegratorOptions& options) {
  const bool uses_copies = kind == IntegratorKind::explicit_copies || kind == IntegratorKind::doubled;
  require_positive(options.step_size);
  if (options.order != 2 && options.order != 4)
    throw InputError(fmt::format("order = {}: must be 2 or 4", options.order));
  if (uses_copies && options.order == 4 && std::holds_alternative<BindingAngle>(options.copies.binding))
    throw InputError(
        "order = 4 needs a binding strength omega: at a fixed angle the error of a step on two copies has no "
        "expansion that a composition could cancel");
  if (options.stages != 1 && !has_stages(kind))
    throw InputError(
        fmt::format("stages = {}: {} has one; leapfrog, magnetic-leapfrog and split-midpoint have 1, 2 or 3",
                    options.stages, name(kind)));
}

Composition<Isokinetic> make_microcanonical(IntegratorKind kind, const PoissonStructure& structure,
                                            const IntegratorOptions& options) {
  const auto make = [&](double) { return Isokinetic(structure, options.stages); };
  Composition<Isokinetic> method(2, options.step_size, make);  // tells first where the structure does not suit
  if (kind != IntegratorKind::leapfrog)
    throw InputError(
        fmt::format("motion = microcanonical: is by steps of leapfrog, but the integrator is {}; leave one of "
                    "them out",
                    name(kind)));
  if (options.order != 2)
    throw InputError(fmt::format("order = {}: must be 2 with motion = microcanonical", options.order));
  return method;
}

}  // namespace

Integrator::Any Integrator::make(IntegratorKind kind, const PoissonStructure& structure,
                                 const IntegratorOptions& options) {
  validate(kind, options);
  if (options.motion == MotionKind::microcanonical) return make_microcanonical(kind, structure, options);
  const auto compose = [&](auto make_step) -> Any {
    return Composition<decltype(make_step(1.0))>(options.order, options.step_size, make_step);
  };
  switch (kind) {
    case IntegratorKind::leapfrog: return compose([&](double) { return Leapfrog(structure, options.stages); });
    case IntegratorKind::magnetic_leapfrog:
      return compose([&](double h) { return MagneticLeapfrog(structure, h, options.stages); });
    case IntegratorKind::midpoint: return compose([&](double h) { return Midpoint(structure, h, options.solver); });
    case IntegratorKind::split_midpoint:
      return compose([&](double h) { return SplitMidpoint(structure, h, options.solver, options.stages); });
    case IntegratorKind::explicit_copies:
      return compose([&](double h) { return Explicit(structure, h, options.copies); });
    case IntegratorKind::doubled: return compose([&](double h) { return Doubled(structure, h, options.copies); });
  }
  throw Error("unknown integrator kind");
}

namespace {

/// On the richest of three structures that the integrator is for.
IntegratorTraits richest_traits(IntegratorKind kind) {
  const Matrix zero(2, 2), one = Matrix::identity(2), skew{{0.0, 0.5}, {-0.5, 0.0}};
  for (const Matrix& e : {skew, zero}) {
    try {
      return Integrator(kind, PoissonStructure::from_blocks(e, one, skew), {}).traits();
    } catch (const StructureError&) {  // it is for simpler ones
    }
  }
  return Integrator(kind, PoissonStructure::canonical(2), {}).traits();
}

}  // namespace

const IntegratorTraits& traits_of(IntegratorKind kind) {
  static const auto all = [] {
    std::array<IntegratorTraits, names_of<IntegratorKind>.size()> traits;
    for (const IntegratorKind k : all_values<IntegratorKind>()) traits[static_cast<std::size_t>(k)] = richest_traits(k);
    return traits;
  }();
  return all[static_cast<std::size_t>(kind)];
}

Integrator::Integrator(IntegratorKind kind, const PoissonStructure& structure, const IntegratorOptions& options)
    : dim_(structure.dim()), step_size_(options.step_size), method_(make(kind, structure, options)) {}

void Integrator::use_step_size(double step_size) {
  require_positive(step_size);
  if (!traits().takes_any_step_size)
    throw InputError(fmt::format("step_size = {}: {} was made for {}", step_size, traits().name, step_size_));
  step_size_ = step_size;
}

IntegratorTraits Integrator::traits() const {
  return std::visit([](const auto& method) { return method.traits(); }, method_);
}

/// The steps of the lanes that move and are still ok: a lane in trouble takes no further part.
LaneSteps Integrator::moving(const PhaseBlock& z, LaneSteps dt) {
  moving_.resize(dt.size());
  for (std::size_t l = 0; l < dt.size(); ++l) moving_[l] = z.status[l] == Status::ok ? dt[l] : 0.0;
  return moving_;
}

void Integrator::run(PhaseBlock& z, Potential& u, LaneSteps dt, int steps) {
  start(z, u, dt);
  std::visit(
      [&](auto& method) {
        for (int i = 0; i < steps; ++i) method.step(z, u, moving(z, dt), false);
      },
      method_);
  finish(z, dt);
}

void Integrator::start(PhaseBlock& z, Potential& u, LaneSteps dt) {
  if (z.dim() != dim_ || u.dim() != dim_)
    throw InputError(fmt::format("the block has dimension {} and the model {}: must be {}, as the structure", z.dim(),
                                 u.dim(), dim_));
  if (u.lanes() != z.lanes())
    throw InputError(fmt::format("the potential is for {} lanes: must be {}, as the block", u.lanes(), z.lanes()));
  if (static_cast<Index>(dt.size()) != z.lanes())
    throw InputError(fmt::format("{} step sizes for {} lanes: must be one each", dt.size(), z.lanes()));
  for (std::size_t l = 0; l < dt.size(); ++l) {
    if (dt[l] == 0.0) continue;
    if (std::abs(dt[l]) != step_size_)
      throw InputError(
          fmt::format("the step of lane {} is {}: must be 0 or ±{}, the step size that the integrator was made "
                      "for",
                      l, dt[l], step_size_));
    z.status[l] = Status::ok;
    z.solver_iterations[l] = 0;
    z.work[l] = 0.0;
  }
  std::visit([&](auto& method) { method.start(z, u, dt); }, method_);
}

void Integrator::step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
  std::visit([&](auto& method) { method.step(z, u, moving(z, dt), with_value); }, method_);
}

void Integrator::finish(PhaseBlock& z, LaneSteps dt) {
  std::visit([&](auto& method) { method.finish(z, moving(z, dt)); }, method_);
  for (Index l = 0; l < z.lanes(); ++l) {
    const auto lane = static_cast<std::size_t>(l);
    if (moving_[lane] == 0.0) continue;
    bool finite = true;
    for (Index j = 0; j < z.dim() && finite; ++j) finite = std::isfinite(z.q(j, l)) && std::isfinite(z.p(j, l));
    if (!finite) z.status[lane] = Status::diverged;
  }
}

}  // namespace darboux
