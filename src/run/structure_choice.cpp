#include "run/structure_choice.hpp"

#include <fmt/format.h>

namespace darboux {

const std::vector<std::string_view>& structure_names() {
  static const auto names = [] {
    std::vector<std::string_view> all{automatic_structure};
    for (const std::string_view recipe : all_names<Recipe>()) all.push_back(recipe);
    return all;
  }();
  return names;
}

bool has_random_blocks(std::string_view structure) {
  return structure != automatic_structure && structure != name(Recipe::canonical) && !structure.ends_with(".json");
}

ChosenStructure choose_structure(const StructureEvidence& evidence) {
  return {.recipe = Recipe::canonical,
          .reason = fmt::format(
              "on {} targets constant structures gave more effective draws per gradient than canonical chains tuned as "
              "well in {} of {} cases, where chance alone gives {:.2g}; nothing known before a run tells which",
              evidence.targets, evidence.paying, evidence.cases, evidence.by_chance)};
}

}  // namespace darboux
