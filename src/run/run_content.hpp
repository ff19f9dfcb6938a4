#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "darboux/model/model.hpp"

namespace darboux {

/// What the folder of a run knows of draws that are in Stan CSV files, where a Zarr store would have it too.
struct RunContent {
  std::vector<std::string> names{};  ///< of quantities, as the model has them; empty where only their columns are known
  std::optional<NamedAxis> axis{};
  std::vector<ModelData> data{};
  std::vector<std::filesystem::path> log_likelihood{}, posterior_predictive{};  ///< files, one for each chain, or none
  std::vector<std::string> left_out{};  ///< what there is no more, and why, in sentences
};

/// Of a run whose draws are in these columns. The data file of a regression is read again where it is what it was; else the names are
/// those in run.json, and what was observed is in observations.json. Nothing is known of a folder that is no run; programs of
/// models are not run.
[[nodiscard]] RunContent content_of(const std::filesystem::path& run, std::span<const std::string> columns);

}  // namespace darboux
