#pragma once

#include <darboux/linalg/structured_matrix.hpp>
#include <darboux/model/marginal_shape.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "known_law.hpp"
#include "sample/trajectory_rule.hpp"

namespace darboux::proofs {

/// How trajectories vary from one iteration to the next.
enum class Length { fixed, numbers, sizes, nuts };

/// A way to move chains, everything decided.
struct Method {
  std::string label{};
  IntegratorKind kind = IntegratorKind::leapfrog;
  PoissonStructure structure;
  IntegratorOptions integrator{};
  KernelOptions kernel{};
  Length length = Length::fixed;
  int steps = 3;
  double copy_spread = 0.2;
  StructuredMatrix preconditioner{};    ///< empty: the identity
  std::vector<MarginalShape> shapes{};  ///< empty: coordinates as they are
  GradientPrecision precision = GradientPrecision::full;

  friend std::ostream& operator<<(std::ostream& out, const Method& m) { return out << m.label; }
};

struct Effort {
  int blocks = 1;       ///< of 16 chains
  int transitions = 5;  ///< of each
  std::uint64_t seed = 1;
};

/// Where many independent chains are that began in the law itself, with fair directions, and made some transitions.
struct Outcome {
  std::vector<Quantity> quantities{};
  std::vector<Tally> tallies{};  ///< one for each quantity
  double rejected =
      0.0;  ///< share of the proposals; with NUTS, one less the mean acceptance probability along trajectories
  std::int64_t chains = 0;

  [[nodiscard]] double worst_z() const;
  void add(const Outcome& more);
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

inline constexpr Index chains_per_block = 16;

/// If the method leaves the law alone, means are those of the law, up to chance.
[[nodiscard]] Outcome outcome_of(const Method& method, const KnownLaw& law, const Effort& effort);

/// What pilot runs find.
struct Coarseness {
  double step_size = 0.1;
  double copy_spread = 0.2;

  [[nodiscard]] Method of(Method method) const {
    method.integrator.step_size = step_size;
    method.copy_spread = copy_spread;
    return method;
  }
};
/// Steps so coarse that about three of ten proposals are rejected, or the coarsest that are tried where even these are nearly always
/// accepted; and copies no wider than that fine steps are mostly accepted, which near a wall takes narrow ones.
[[nodiscard]] Coarseness coarse_for(const Method& method, const KnownLaw& law, std::uint64_t seed);

}  // namespace darboux::proofs
