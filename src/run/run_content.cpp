#include "run/run_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "darboux/core/error.hpp"
#include "draws/observation_file.hpp"
#include "draws/run_directory.hpp"
#include "io/checksum.hpp"
#include "io/column_names.hpp"
#include "model/logistic_data.hpp"
#include "run/model_source.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

/// Throws InputError, saying why, where the data are not what they were.
std::shared_ptr<const Model> model_of(const RunManifest& manifest, const RunConfig& config) {
  const ValueTree* const then = manifest.inputs.find("data");
  if (then == nullptr) throw InputError("the version that made the run did not keep a checksum of its data");
  if (!fs::is_regular_file(config.data))
    throw InputError(
        fmt::format("there is no file {} here; paths are as they were given: convert the run in the folder in which it "
                    "was started, or put the file there",
                    config.data));
  if (checksum_of_file(config.data) != text_of(*then))
    throw InputError(
        fmt::format("{} has changed since the run began; put it back as it was, and convert again", config.data));
  return open_model(config, {});
}

std::string text_in(const ValueTree* tree, std::string_view key) {
  const ValueTree* const found = tree == nullptr ? nullptr : tree->find(key);
  return found == nullptr ? "" : text_of(*found);
}

/// Those of coefficients, as the manifest has them.
std::vector<std::string> names_in(const RunManifest& manifest) {
  std::vector<std::string> names;
  const ValueTree* const parameters = manifest.prior.find("parameters");
  const auto* const list = parameters == nullptr ? nullptr : std::get_if<ValueTree::List>(&parameters->value());
  if (list != nullptr)
    for (const ValueTree& parameter : *list) names.push_back(text_in(&parameter, "name"));
  return names;
}

/// Outcomes of a regression, where the run has kept them for what it says of observations.
std::vector<ModelData> observed_in(const RunManifest& manifest, const fs::path& run) {
  if (!fs::exists(run / observations_name)) return {};
  ModelData y{.name = text_in(manifest.data.find("outcome"), "column"), .whole = true};
  if (y.name.empty()) y.name = text_in(&manifest.decided, "response");
  if (y.name.empty()) y.name = "y";
  y.values = read_observation_summary(run / observations_name).observed;
  if (y.values.empty()) return {};
  y.axes.push_back({.name = stan_column_name(y.name) + "_dim_0", .size = std::ssize(y.values)});
  return {std::move(y)};
}

/// What a run with a regression would have told a Zarr store.
void add_regression(const RunManifest& manifest, const RunConfig& config, const fs::path& run,
                    std::span<const std::string> columns, RunContent& content) {
  try {
    if (const auto model = shards_rows(config) ? nullptr : model_of(manifest, config)) {
      content.names = model->names();
      content.data = model->kept_data();
    }
  } catch (const InputError& e) {
    content.data = observed_in(manifest, run);
    content.left_out.push_back(
        fmt::format("{} left out: {}",
                    content.data.empty() ? "observed_data and constant_data are" : "constant_data is", e.what()));
  }
  if (content.names.empty()) content.names = names_in(manifest);
  if (!content.names.empty() && std::ranges::equal(stan_column_names(content.names), columns))
    content.axis = coefficient_axis;
  else
    content.names.clear();
}

}  // namespace

RunContent content_of(const fs::path& run, std::span<const std::string> columns) {
  RunContent content;
  if (!fs::exists(run / manifest_name)) return content;
  const RunManifest manifest = read_manifest(run / manifest_name);
  for (const DrawFile& file : manifest.files) {
    if (!file.log_likelihood.empty()) content.log_likelihood.push_back(run / file.log_likelihood);
    if (!file.posterior_predictive.empty()) content.posterior_predictive.push_back(run / file.posterior_predictive);
  }
  for (auto* const files : {&content.log_likelihood, &content.posterior_predictive})
    if (files->size() != manifest.files.size()) files->clear();
  if (text_in(&manifest.asked, "model") == "logistic")
    add_regression(manifest, config_of(manifest), run, columns, content);
  return content;
}

}  // namespace darboux
