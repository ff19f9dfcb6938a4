#include "known_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/choices.hpp>
#include <darboux/core/error.hpp>

namespace darboux::proofs {

double Quantity::operator()(const ChainState& at) const {
  const auto k = static_cast<std::size_t>(i), l = static_cast<std::size_t>(j);
  switch (of) {
    case Of::position: return at.q[k];
    case Of::product: return at.q[k] * at.q[l];
    case Of::below: return at.q[k] < threshold ? 1.0 : 0.0;
    case Of::above: return at.q[k] > threshold ? 1.0 : 0.0;
    case Of::momentum: return at.p[k];
    case Of::momentum_square: return at.p[k] * at.p[k];
    case Of::mixed_product: return at.q[k] * at.p[l];
    case Of::lifted: break;
  }
  return at.direction * at.q[k];
}

std::string Quantity::label() const {
  switch (of) {
    case Of::position: return fmt::format("q{}", i + 1);
    case Of::product: return i == j ? fmt::format("q{}²", i + 1) : fmt::format("q{} q{}", i + 1, j + 1);
    case Of::below: return fmt::format("q{} < {:.4g}", i + 1, threshold);
    case Of::above: return fmt::format("q{} > {:.4g}", i + 1, threshold);
    case Of::momentum: return fmt::format("p{}", i + 1);
    case Of::momentum_square: return fmt::format("p{}²", i + 1);
    case Of::mixed_product: return fmt::format("q{} p{}", i + 1, j + 1);
    case Of::lifted: break;
  }
  return fmt::format("d q{}", i + 1);
}

double Tally::z(const Quantity& of) const {
  return (mean() - of.mean) / std::sqrt(of.variance / static_cast<double>(count));
}

std::vector<Quantity> quantities_of_motion(const KnownLaw& law, MotionKind motion, DirectionMode direction) {
  using enum Quantity::Of;
  const auto n = static_cast<double>(law.dim());
  // On the sphere p_i²/n has the law Beta(½, (n − 1)/2).
  const double of_square = motion == MotionKind::hamiltonian ? 2.0 : 2.0 * (n - 1.0) / (n + 2.0);
  std::vector<Quantity> all, lifted_ones;
  for (Index i = 0; i < std::ssize(law.second); ++i) {
    const double second = law.second[static_cast<std::size_t>(i)];
    all.push_back({.of = momentum, .i = i, .mean = 0.0, .variance = 1.0});
    all.push_back({.of = momentum_square, .i = i, .mean = 1.0, .variance = of_square});
    for (Index j = 0; j < std::ssize(law.second); ++j)
      all.push_back({.of = mixed_product, .i = i, .j = j, .mean = 0.0, .variance = second});
    lifted_ones.push_back({.of = lifted, .i = i, .mean = 0.0, .variance = second});
  }
  if (direction != DirectionMode::random) all.insert(all.end(), lifted_ones.begin(), lifted_ones.end());
  return all;
}

KnownLaw known_law(std::string_view name) {
  std::string names;
  for (KnownLaw& law : known_laws()) {
    if (law.name == name) return std::move(law);
    names += (names.empty() ? "" : ", ") + law.name;
  }
  throw InputError(fmt::format("target {}: must be one of {}", name, names));
}

}  // namespace darboux::proofs
