#pragma once

#include "darboux/linalg/matrix.hpp"
#include "integrate/phase_block.hpp"

/// Moving between (q, p, offset) and the two canonical copies; shared by the doubled-space integrators.
namespace darboux {

/// canonical = F (q, p) in the lanes that move.
void to_canonical(const PhaseBlock& z, const Matrix& f, LaneSteps dt, OwnedBatch& canonical);
/// (q, p) = B canonical in the lanes that move.
void from_canonical(ConstBatch canonical, const Matrix& b, LaneSteps dt, PhaseBlock& z);
/// out = base + factor · offset in the lanes that move. out may be base.
void combine(ConstBatch base, ConstBatch offset, LaneSteps dt, double factor, OwnedBatch& out);
/// offset = (first − second)/2 in the lanes that move.
void half_difference(PhaseBlock& z, LaneSteps dt);

}  // namespace darboux
