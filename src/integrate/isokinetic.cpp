#include "integrate/isokinetic.hpp"

#include <algorithm>
#include <cmath>

#include "darboux/core/error.hpp"
#include "integrate/potential.hpp"
#include "linalg/batch_product.hpp"

namespace darboux {

namespace {

/// The flow of a constant gradient as a linear combination, p ← of_p · p + of_g · g, and its work. Everything is multiplied by
/// e^{−|δ|}, so that nothing overflows: with the push s e for s = sign δ, c = s e·u and E = e^{−|δ|},
///
///     Z e^{−|δ|} = ½ [(1 + c) + (1 − c) E²],   (sinh |δ| + c (cosh δ − 1)) e^{−|δ|} = ½ (1 − E) [(1 + E) + c (1 − E)],
///
/// sums of terms that are not negative. The direction of p alone counts, so that rounding of its length does not add up.
struct Turn {
  double of_g, of_p, work;

  Turn(double t, double dim, double gg, double gp, double pp) {
    const double g = std::sqrt(gg), p = std::sqrt(pp), speed = std::sqrt(dim), sign = t < 0.0 ? -1.0 : 1.0;
    const double delta = std::abs(t) * speed * g / (dim - 1.0);
    const double cosine = g > 0.0 ? std::clamp(-sign * gp / (g * p), -1.0, 1.0) : 0.0;
    const double e = std::exp(-delta), rest = -std::expm1(-delta);
    const double z = 0.5 * ((1.0 + cosine) + (1.0 - cosine) * e * e);
    const double push = 0.5 * rest * ((1.0 + e) + cosine * rest);
    of_p = speed * e / (p * z);
    of_g = g > 0.0 ? -sign * speed * push / (g * z) : 0.0;
    work = (dim - 1.0) * (delta + std::log(z));
  }
};

}  // namespace

Isokinetic::Isokinetic(const PoissonStructure& structure, int stages) : splitting_(&Splitting::of(stages)) {
  if (!structure.E().is_zero() || !structure.G().is_zero() || !structure.A().is_identity())
    throw StructureError(
        "motion = microcanonical: moves on a structure of its own, which depends on the momentum; must be hamiltonian "
        "with any structure but the canonical one");
  if (structure.dim() < 2)
    throw InputError("motion = microcanonical: momenta only turn, and there is 1 dimension; must be hamiltonian there");
}

void Isokinetic::start(PhaseBlock& z, Potential& u, LaneSteps dt) const { u.ensure_gradient(z, dt); }

void Isokinetic::step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
  const auto& [kicks, drifts] = *splitting_;
  kick(z, dt, kicks[0]);
  for (std::size_t i = 0; i < drifts.size(); ++i) {
    z.forget_gradient(dt);
    add_scaled(z.p, dt, z.q, drifts[i]);
    u.refresh_gradient(z, dt, with_value && i + 1 == drifts.size());
    kick(z, dt, kicks[i + 1]);
  }
}

void Isokinetic::kick(PhaseBlock& z, LaneSteps dt, double fraction) {
  for (auto* lanes : {&gg_, &gp_, &pp_, &of_g_, &of_p_}) lanes->resize(dt.size());
  dot_products(z.gradient, z.p, gg_, gp_, pp_);
  const auto dim = static_cast<double>(z.dim());
  for (std::size_t l = 0; l < dt.size(); ++l) {
    if (dt[l] == 0.0) continue;
    const Turn turn(fraction * dt[l], dim, gg_[l], gp_[l], pp_[l]);
    of_g_[l] = turn.of_g;
    of_p_[l] = turn.of_p;
    z.work[l] += turn.work;
  }
  combine_where(z.gradient, of_g_, of_p_, dt, z.p);
}

void fix_speed(PhaseBlock& z, Index lane) {
  double squares = 0.0;
  for (Index j = 0; j < z.dim(); ++j) squares += z.p(j, lane) * z.p(j, lane);
  const double factor = std::sqrt(static_cast<double>(z.dim()) / squares);
  for (Index j = 0; j < z.dim(); ++j) z.p(j, lane) *= factor;
}

}  // namespace darboux
