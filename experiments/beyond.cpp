#include "beyond.hpp"

#include <iterator>

namespace darboux::experiments {

Experiment beyond_experiment(const Scale& scale) {
  Experiment all{.name = "beyond", .title = "Beyond the paper", .cells = {}, .reduce = {}};
  std::vector<std::function<Findings(const Tables&)>> reductions;
  for (const auto& make : {fair_part, map_part, bias_part, basis_part, solver_part}) {
    Experiment part = make(scale);
    std::move(part.cells.begin(), part.cells.end(), std::back_inserter(all.cells));
    reductions.push_back(std::move(part.reduce));
  }
  all.reduce = [reductions](const Tables& tables) {
    Findings found;
    for (const auto& reduce : reductions) {
      Findings part = reduce(tables);
      std::move(part.sections.begin(), part.sections.end(), std::back_inserter(found.sections));
      std::move(part.claims.begin(), part.claims.end(), std::back_inserter(found.claims));
    }
    return found;
  };
  return all;
}

}  // namespace darboux::experiments
