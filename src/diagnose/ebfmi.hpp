#pragma once

#include <span>
#include <vector>

#include "darboux/diagnose/chain_draws.hpp"

namespace darboux {

/// Energy Bayesian fraction of missing information of one chain, from its energies H:
///   mean of (H_{i+1} − H_i)² / variance of H   (divisors n − 1 both).
/// How far a momentum refreshment moves the energy, compared with how far it must move. Below 0.3 the chain wanders slowly
/// between energies and may miss the tails; independent energies give 2. NaN for fewer than 2 draws, or if not all are finite
/// and different. Betancourt, "Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo" (2016).
[[nodiscard]] double ebfmi(std::span<const double> energies);

/// Of each chain by itself.
[[nodiscard]] std::vector<double> ebfmi(const ChainDraws& energies);

}  // namespace darboux
