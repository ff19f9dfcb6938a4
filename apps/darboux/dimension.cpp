#include "dimension.hpp"

#include <nlohmann/json.hpp>

#include "io/file.hpp"

namespace darboux::cli {

Index dimension_of(const std::filesystem::path& run, const RunInput& input) {
  const auto columns = static_cast<Index>(summarised_columns(input.draws.front()).size()) - 1;
  const std::filesystem::path file = run / "tuning.json";
  if (!std::filesystem::exists(file)) return columns;
  const auto tuning = nlohmann::json::parse(read_text(file), nullptr, false);
  const bool has_center = tuning.is_object() && tuning.contains("center") && tuning["center"].is_array();
  return has_center && !tuning["center"].empty() ? static_cast<Index>(tuning["center"].size()) : columns;
}

}  // namespace darboux::cli
