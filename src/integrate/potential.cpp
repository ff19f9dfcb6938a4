#include "darboux/integrate/potential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace darboux {

Potential::Potential(const Model& model, Index lanes)
    : evaluator_(model.make_evaluator()),
      gradient_(model.dim(), lanes),
      log_density_(static_cast<std::size_t>(lanes)),
      poison_(static_cast<std::size_t>(lanes)),
      answered_(static_cast<std::size_t>(lanes)),
      active_(static_cast<std::size_t>(lanes)),
      gradient_evaluations_(static_cast<std::size_t>(lanes)),
      value_evaluations_(static_cast<std::size_t>(lanes)) {}

void Potential::ask(ConstBatch q, LaneSteps dt, std::span<Status> status, Wanted wanted) {
  bool any = false;
  for (std::size_t l = 0; l < active_.size(); ++l) {
    active_[l] = dt[l] != 0.0 && status[l] == Status::ok ? 1 : 0;
    answered_[l] = Status::ok;
    (wanted.gradient ? gradient_evaluations_ : value_evaluations_)[l] += active_[l];
    any = any || active_[l] != 0;
  }
  if (!any) return;
  evaluator_->evaluate({.q = q, .active = active_, .value = wanted.value, .gradient = wanted.gradient},
                       {.log_density = log_density_, .gradient = gradient_, .status = answered_});
  for (std::size_t l = 0; l < active_.size(); ++l)
    if (active_[l] != 0 && answered_[l] != Status::ok) status[l] = answered_[l];
}

void Potential::take_gradient(std::span<Status> status, Batch out) {
  // A model may write lanes it was not asked for; copying only the others keeps each lane independent of its neighbours.
  std::fill(poison_.begin(), poison_.end(), 0.0);
  const ConstBatch gradient = gradient_;
  for (Index j = 0; j < out.rows(); ++j) {
    const double* from = gradient.row(j);
    double* to = out.row(j);
    for (std::size_t l = 0; l < active_.size(); ++l) {
      to[l] = active_[l] != 0 ? -from[l] : to[l];
      poison_[l] += 0.0 * from[l];
    }
  }
  for (std::size_t l = 0; l < active_.size(); ++l)
    if (active_[l] != 0 && std::isnan(poison_[l]) && status[l] == Status::ok) status[l] = Status::diverged;
}

void Potential::take_value(std::span<double> out) const {
  for (std::size_t l = 0; l < active_.size(); ++l)
    if (active_[l] != 0)
      out[l] = answered_[l] == Status::ok ? -log_density_[l] : std::numeric_limits<double>::infinity();
}

void Potential::gradient(ConstBatch q, LaneSteps dt, std::span<Status> status, Batch out) {
  ask(q, dt, status, {.value = false, .gradient = true});
  take_gradient(status, out);
}

void Potential::value(ConstBatch q, LaneSteps dt, std::span<Status> status, std::span<double> out) {
  ask(q, dt, status, {.value = true, .gradient = false});
  take_value(out);
}

void Potential::refresh_gradient(PhaseBlock& z, LaneSteps dt) {
  ask(z.q, dt, z.status, {.value = values_wanted_, .gradient = true});
  take_gradient(z.status, z.gradient);
  if (values_wanted_) take_value(z.potential);
  for (std::size_t l = 0; l < active_.size(); ++l) {
    if (active_[l] == 0) continue;
    z.gradient_is_current[l] = z.status[l] == Status::ok ? 1 : 0;
    z.potential_is_current[l] = values_wanted_ ? 1 : 0;
  }
}

LaneSteps Potential::stale(LaneSteps dt, const std::vector<std::uint8_t>& is_current) {
  stale_.assign(dt.begin(), dt.end());
  for (std::size_t l = 0; l < stale_.size(); ++l)
    if (is_current[l] != 0) stale_[l] = 0.0;
  return stale_;
}

void Potential::ensure_gradient(PhaseBlock& z, LaneSteps dt) { refresh_gradient(z, stale(dt, z.gradient_is_current)); }

void Potential::ensure_value(PhaseBlock& z, LaneSteps dt) {
  value(z.q, stale(dt, z.potential_is_current), z.status, z.potential);
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
