#pragma once

#include "darboux/core/batch.hpp"
#include "darboux/core/random.hpp"

namespace darboux {

/// x ← keep x + renew ξ in one lane, with ξ the standard normal numbers at a key: those that RandomStream::normal() has there, but for
/// rounding, and several at a time.
void mix_with_normals(const RandomKey& key, double keep, double renew, Batch x, Index lane);

}  // namespace darboux
