#pragma once

#include <cmath>
#include <cstddef>
#include <darboux/core/random.hpp>
#include <darboux/diagnose/chain_draws.hpp>
#include <functional>
#include <numbers>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

/// Draws for the tests: small arrays that any language can make again, and chains with known properties.
namespace darboux::testing {

/// Chains one after another, and their view.
struct Draws {
  std::vector<double> values;
  std::size_t chains = 1;

  [[nodiscard]] ChainDraws view() const { return {values, chains}; }
  [[nodiscard]] std::size_t length() const { return values.size() / chains; }
  double& at(std::size_t draw, std::size_t chain) { return values[chain * length() + draw]; }

  [[nodiscard]] Draws map(const std::function<double(double)>& function) const {
    Draws result = *this;
    for (double& x : result.values) x = function(x);
    return result;
  }
  [[nodiscard]] Draws map_chain(std::size_t chain, const std::function<double(double)>& function) const {
    Draws result = *this;
    for (std::size_t i = 0; i < length(); ++i) result.at(i, chain) = function(result.at(i, chain));
    return result;
  }
};

/// Uniform on (−1/2, 1/2): Lehmer's generator with multiplier 16807, seed 1000 + 37 c for chain c = 1, 2, ….
class Lehmer {
 public:
  explicit Lehmer(std::size_t chain) : generator_(static_cast<std::minstd_rand0::result_type>(1000 + 37 * chain)) {}
  double operator()() { return static_cast<double>(generator_()) / 2147483647.0 - 0.5; }

 private:
  std::minstd_rand0 generator_;
};

/// x_i = φ x_{i−1} + u_i, from 0.
inline Draws autoregression(std::size_t length, std::size_t chains, double phi) {
  Draws draws{.values = {}, .chains = chains};
  for (std::size_t c = 1; c <= chains; ++c) {
    Lehmer uniform(c);
    double x = 0.0;
    for (std::size_t i = 0; i < length; ++i) draws.values.push_back(x = phi * x + uniform());
  }
  return draws;
}

inline Draws cauchy(std::size_t length, std::size_t chains) {
  return autoregression(length, chains, 0.0).map([](double u) { return std::tan(std::numbers::pi * u); });
}

inline Draws waves(std::size_t length, std::size_t chains) {
  Draws draws{.values = {}, .chains = chains};
  for (std::size_t c = 1; c <= chains; ++c) {
    for (std::size_t k = 1; k <= length; ++k) {
      const auto i = static_cast<double>(k);
      const auto j = static_cast<double>(c);
      draws.values.push_back(std::sin(0.9 * i + j) + 0.3 * std::cos(0.37 * i * j));
    }
  }
  return draws;
}

inline double to_quarters(double x) { return std::floor(4.0 * x + 0.5) / 4.0; }

/// By the names in reference_values.hpp.
inline Draws reference_array(std::string_view name) {
  Draws a = autoregression(100, 4, 0.7);
  if (name == "A") return a;
  if (name == "B") return a.map_chain(3, [](double x) { return x + 1.5; });  // one chain elsewhere
  if (name == "C") return autoregression(100, 4, -0.6);                      // anticorrelated
  if (name == "D") return autoregression(101, 3, 0.3);                       // odd length
  if (name == "E") return a.map(to_quarters);                                // ties
  if (name == "F") return a.map_chain(3, [](double x) { return 3.0 * x; });  // one chain wider
  if (name == "G") return autoregression(200, 1, 0.9);                       // one chain
  if (name == "H") return cauchy(100, 4);                                    // no moments
  if (name == "S") return waves(50, 4);
  if (name == "T6") return autoregression(6, 2, 0.5);
  if (name == "L") return autoregression(1000, 4, 0.95);
  return {};
}

/// Stationary Gaussian chains with correlation φ^t and variance 1. φ = 0: independent.
inline Draws gaussian_chains(std::size_t length, std::size_t chains, double phi, std::uint64_t seed) {
  Draws draws{.values = {}, .chains = chains};
  for (std::size_t c = 0; c < chains; ++c) {
    RandomStream random({.seed = seed, .purpose = Purpose::data, .chain = c});
    double x = random.normal();
    for (std::size_t i = 0; i < length; ++i) {
      draws.values.push_back(x);
      x = phi * x + std::sqrt(1.0 - phi * phi) * random.normal();
    }
  }
  return draws;
}

}  // namespace darboux::testing
