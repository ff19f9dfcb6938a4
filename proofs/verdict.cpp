#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace darboux::proofs {

double p_value(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(p[i], i); });
  std::vector<double> adjusted(p.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - k) * p[order[k]]));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

double critical_z(std::size_t tests) {
  const double wanted = false_alarm / static_cast<double>(tests);
  double low = 0.0, high = 38.0;  // beyond which P is less than the smallest number
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (p_value(middle) > wanted ? low : high) = middle;
  }
  return high;
}

double visible_bias(double draws, std::size_t tests) {
  constexpr double nine_tenths = 1.2815515655446004;  // Φ⁻¹(0.9)
  return (critical_z(tests) + nine_tenths) / std::sqrt(draws);
}

/// FNV-1a, then the finaliser of MurmurHash3.
std::uint64_t seed_of(std::uint64_t seed, std::string_view words) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ (seed * 0x9e3779b97f4a7c15U);
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33U);
}

}  // namespace darboux::proofs
