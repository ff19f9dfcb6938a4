#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "darboux/structure/recipes.hpp"

namespace darboux {

/// What `structure` is where it is left to us.
inline constexpr std::string_view automatic_structure = "auto";

/// All that `structure` may be, but for files.
[[nodiscard]] const std::vector<std::string_view>& structure_names();
/// Whether it stands for random blocks, so that strength, k and structure-seed have a meaning.
[[nodiscard]] bool has_random_blocks(std::string_view structure);

/// What the map of where structure pays found (docs/reproduction.md, which a test holds this to): constant structures G ≠ 0 and
/// E ≠ 0 against canonical chains that were tuned as well.
struct StructureEvidence {
  int targets = 17;
  int cases = 48;          ///< a structure on a target
  int paying = 2;          ///< whose interval is above 1
  double by_chance = 1.2;  ///< that would be anyway
};

struct ChosenStructure {
  Recipe recipe;
  std::string reason;
};
/// By what can be known before a run. Nothing of a target that a warm-up sees tells the cases that seemed to pay from the others, and
/// they are hardly more than chance has: canonical, whatever the target.
[[nodiscard]] ChosenStructure choose_structure(const StructureEvidence& evidence = {});

}  // namespace darboux
