#pragma once

#include <string>
#include <vector>

#include "method.hpp"

namespace darboux::proofs {

/// Methods that have all in common but how momenta are refreshed and what becomes of directions.
struct Family {
  std::string integrator;  ///< with its order, stages, coordinates and precision, where they are not the usual ones
  std::string structure;
  std::string rule;  ///< how trajectories vary
  bool exact = true;
  std::vector<Method> members;  ///< labels say what they differ in

  [[nodiscard]] std::string key() const;
};

/// Every integrator on every structure that suits it with every trajectory rule, for a law of this dimension; in single precision
/// where it has such gradients.
[[nodiscard]] std::vector<Family> families(const KnownLaw& law);

}  // namespace darboux::proofs
