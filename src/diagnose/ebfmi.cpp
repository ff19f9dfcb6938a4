#include "diagnose/ebfmi.hpp"

#include <limits>

#include "moments.hpp"

namespace darboux {

double ebfmi(std::span<const double> energies) {
  const ChainDraws chain(energies, 1);
  if (!varies(chain)) return std::numeric_limits<double>::quiet_NaN();
  double squares = 0.0;
  for (std::size_t i = 1; i < energies.size(); ++i)
    squares += (energies[i] - energies[i - 1]) * (energies[i] - energies[i - 1]);
  return squares / static_cast<double>(energies.size() - 1) / variance(chain);
}

std::vector<double> ebfmi(const ChainDraws& energies) {
  std::vector<double> result;
  result.reserve(energies.chains());
  for (const auto chain : energies) result.push_back(ebfmi(chain));
  return result;
}

}  // namespace darboux
