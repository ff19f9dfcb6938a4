#include "integrate/doubled.hpp"

#include "canonical_state.hpp"

namespace darboux {

void Doubled::start(PhaseBlock& z, Potential& u, LaneSteps dt) {
  OwnedBatch& mean = z.copies.second;  // m̃ for now
  to_canonical(z, basis().F, dt, mean);
  combine(mean, z.offset, dt, 1.0, z.copies.first);
  combine(mean, z.offset, dt, -1.0, z.copies.second);
  splitting_.start(z, u, dt);
}

void Doubled::finish(PhaseBlock& z, LaneSteps dt) {
  half_difference(z, dt);
  OwnedBatch& mean = z.copies.first;
  combine(z.copies.first, z.offset, dt, -1.0, mean);
  from_canonical(mean, basis().B, dt, z);
}

void add_offset_energy(const PhaseBlock& z, double spread, LaneSteps dt, std::span<double> energy) {
  for (std::size_t l = 0; l < energy.size(); ++l) {
    if (dt[l] == 0.0) continue;
    double squares = 0.0;
    for (Index j = 0; j < z.offset.rows(); ++j) {
      const double d = z.offset(j, static_cast<Index>(l));
      squares += d * d;
    }
    energy[l] += squares / (2.0 * spread * spread);
  }
}

}  // namespace darboux
