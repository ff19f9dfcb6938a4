#include "integrate/potential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/batch_product.hpp"

namespace darboux {

Potential::Potential(const Model& model, Index lanes, GradientPrecision precision)
    : evaluator_(model.make_evaluator()),
      precision_(precision),
      gradient_(model.dim(), lanes),
      log_density_(static_cast<std::size_t>(lanes)),
      not_finite_(static_cast<std::size_t>(lanes)),
      answered_(static_cast<std::size_t>(lanes)),
      active_(static_cast<std::size_t>(lanes)),
      asked_(static_cast<std::size_t>(lanes)),
      gradient_evaluations_(static_cast<std::size_t>(lanes)),
      value_evaluations_(static_cast<std::size_t>(lanes)) {}

bool Potential::ask(ConstBatch q, LaneSteps dt, std::span<Status> status, Wanted wanted) {
  unsigned any = 0;
  const std::size_t lanes = active_.size();
  for (std::size_t l = 0; l < lanes; ++l) {
    const unsigned is_active = static_cast<unsigned>(dt[l] != 0.0) & static_cast<unsigned>(status[l] == Status::ok);
    active_[l] = static_cast<std::uint8_t>(is_active);
    asked_[l] = is_active;
    any |= is_active;
  }
  if (any == 0) return false;
  std::int64_t* const evaluations = (wanted.gradient ? gradient_evaluations_ : value_evaluations_).data();
  for (std::size_t l = 0; l < lanes; ++l) evaluations[l] += active_[l];
  std::fill(answered_.begin(), answered_.end(), Status::ok);
  evaluator_->evaluate({.q = q,
                        .active = active_,
                        .value = wanted.value,
                        .gradient = wanted.gradient,
                        .single_precision = wanted.in_single_precision},
                       {.log_density = log_density_, .gradient = gradient_, .status = answered_});
  for (std::size_t l = 0; l < active_.size(); ++l)
    if (active_[l] != 0 && answered_[l] != Status::ok) status[l] = answered_[l];
  return true;
}

void Potential::take_gradient(std::span<Status> status, Batch out) {
  // A model may write lanes it was not asked for; copying only the others keeps each lane independent of its neighbours.
  negate_where(gradient_, asked_, out, not_finite_);
  for (std::size_t l = 0; l < active_.size(); ++l) {
    const bool diverged = active_[l] != 0 && std::isnan(not_finite_[l]) && status[l] == Status::ok;
    status[l] = diverged ? Status::diverged : status[l];
  }
}

void Potential::take_value(std::span<double> out) const {
  for (std::size_t l = 0; l < active_.size(); ++l)
    if (active_[l] != 0)
      out[l] = answered_[l] == Status::ok ? -log_density_[l] : std::numeric_limits<double>::infinity();
}

void Potential::gradient(ConstBatch q, LaneSteps dt, std::span<Status> status, Batch out) {
  const bool single = precision_ == GradientPrecision::single;
  if (ask(q, dt, status, {.value = false, .gradient = true, .in_single_precision = single})) take_gradient(status, out);
}

void Potential::rough_gradient(ConstBatch q, LaneSteps dt, std::span<Status> status, Batch out) {
  const bool single = precision_ != GradientPrecision::full;
  if (ask(q, dt, status, {.value = false, .gradient = true, .in_single_precision = single})) take_gradient(status, out);
}

void Potential::value(ConstBatch q, LaneSteps dt, std::span<Status> status, std::span<double> out) {
  if (ask(q, dt, status, {.value = true, .gradient = false})) take_value(out);
}

void Potential::refresh_gradient(PhaseBlock& z, LaneSteps dt, bool with_value) {
  const bool single = precision_ == GradientPrecision::single && !with_value;
  if (!ask(z.q, dt, z.status, {.value = with_value, .gradient = true, .in_single_precision = single})) return;
  take_gradient(z.status, z.gradient);
  if (with_value) take_value(z.potential);
  const std::uint8_t has_value = with_value ? 1 : 0;
  for (std::size_t l = 0; l < active_.size(); ++l) {
    const std::uint8_t is_current = z.status[l] == Status::ok ? 1 : 0;
    z.gradient_is_current[l] = active_[l] != 0 ? is_current : z.gradient_is_current[l];
    z.potential_is_current[l] = active_[l] != 0 ? has_value : z.potential_is_current[l];
  }
}

LaneSteps Potential::stale(LaneSteps dt, const LaneVector<std::uint8_t>& is_current) {
  stale_.assign(dt.begin(), dt.end());
  for (std::size_t l = 0; l < stale_.size(); ++l)
    if (is_current[l] != 0) stale_[l] = 0.0;
  return stale_;
}

/// In full precision: it is where trajectories begin, and where they end the gradient comes with the value and is in full
/// precision too. A trajectory and its reverse must agree on that.
void Potential::ensure_gradient(PhaseBlock& z, LaneSteps dt) {
  if (!ask(z.q, stale(dt, z.gradient_is_current), z.status, {.value = false, .gradient = true})) return;
  take_gradient(z.status, z.gradient);
  for (std::size_t l = 0; l < active_.size(); ++l)
    if (active_[l] != 0) z.gradient_is_current[l] = z.status[l] == Status::ok ? 1 : 0;
}

void Potential::ensure_value(PhaseBlock& z, LaneSteps dt) {
  if (!ask(z.q, stale(dt, z.potential_is_current), z.status, {.value = true, .gradient = false})) return;
  take_value(z.potential);
  for (std::size_t l = 0; l < active_.size(); ++l)
    if (active_[l] != 0) z.potential_is_current[l] = 1;
}

void add_kinetic_energy(const PhaseBlock& z, LaneSteps dt, std::span<double> out) {
  for (std::size_t l = 0; l < out.size(); ++l) {
    if (dt[l] == 0.0) continue;
    double squares = 0.0;
    for (Index j = 0; j < z.dim(); ++j) {
      const double p = z.p(j, static_cast<Index>(l));
      squares += p * p;
    }
    out[l] += 0.5 * squares;
  }
}

void total_energy(PhaseBlock& z, Potential& u, LaneSteps dt, std::span<double> out) {
  u.value(z.q, dt, z.status, out);
  add_kinetic_energy(z, dt, out);
  for (std::size_t l = 0; l < out.size(); ++l)
    if (dt[l] != 0.0 && z.status[l] != Status::ok) out[l] = std::numeric_limits<double>::infinity();
}

}  // namespace darboux
