#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/field_table.hpp"
#include "darboux/model/registry.hpp"
#include "darboux/stan/stan_model.hpp"
#include "draws/run_manifest.hpp"
#include "model/sharded_logistic.hpp"
#include "sample/sample_plan.hpp"

namespace darboux {

/// What several processes share out.
enum class Sharding : std::uint8_t { none, rows };
template <>
inline constexpr auto names_of<Sharding> =
    std::to_array<Named<Sharding>>({{Sharding::none, "none"}, {Sharding::rows, "rows"}});

/// Everything that a run can be told, as flags or in a TOML file: what sampling can be told, and what it takes to say that in text.
struct RunConfig : SampleOptions {
  std::string
      model;  ///< a built-in model's name, or the file of a Stan program (NAME.stan) or of a compiled one (NAME.so)

  std::string chain_ids;  ///< "5-8": sets `chains` and `first_chain` too

  std::string data;
  std::string response;
  std::string positive;
  bool no_intercept = false;
  std::optional<double> prior_scale;
  std::optional<double> prior_intercept;
  std::optional<Standardising> standardise;
  std::vector<std::string> columns;
  std::vector<std::string> drop;
  std::vector<std::string> category;
  std::vector<std::string> reference;
  std::optional<MissingValues> na;
  std::optional<Separator> separator;
  std::optional<DecimalSign> decimal;
  std::optional<Index> dimension;
  std::optional<Sharding> shard;
  std::string stan;  ///< a folder with Stan

  std::string init;                            ///< a method's name or a file: `start` or `starts`
  std::string structure_source = "canonical";  ///< a recipe's name or a file: `structure`
  std::optional<double> strength;
  std::optional<double> k;
  std::optional<std::uint64_t> structure_seed;
  std::string tuning_file;  ///< `tuning`

  bool log_likelihood = false;  ///< of every observation
  std::optional<std::int64_t> posterior_predictive;

  std::string out;     ///< darboux-MODEL-SEED when empty
  std::string format;  ///< of draws: names of DrawFormat between commas; csv when empty
  std::optional<double> checkpoint_seconds;
  std::string log;
  bool quiet = false;

  std::vector<std::string> given;  ///< names of the settings that somebody gave: all others are defaults
};

/// What draws are written as.
enum class DrawFormat { csv, zarr };
template <>
inline constexpr auto names_of<DrawFormat> =
    std::to_array<Named<DrawFormat>>({{DrawFormat::csv, "csv"}, {DrawFormat::zarr, "zarr"}});
/// Whether a configuration asks for a format.
[[nodiscard]] bool writes(const RunConfig& config, DrawFormat format);
/// Whether the rows of its data are shared out to processes, of which one draws.
[[nodiscard]] inline bool shards_rows(const RunConfig& config) { return config.shard == Sharding::rows; }

/// The headings of the table.
namespace groups {
inline constexpr std::string_view model = "Model";
inline constexpr std::string_view chains = "Chains";
inline constexpr std::string_view phase_space = "Phase space";
inline constexpr std::string_view integrator = "Integrator";
inline constexpr std::string_view tuning = "Tuning";
inline constexpr std::string_view observations = "Observations";
inline constexpr std::string_view output = "Output";
}  // namespace groups

/// The table that describes them all, once: flags, keys, ranges, help, manifest and documentation come from here.
[[nodiscard]] const std::vector<Field<RunConfig>>& run_fields();

/// Sets one field, or the model, by name. Throws InputError for an unknown name (with a suggestion) or a bad value. Names of
/// earlier versions do as well: those that were used are returned.
std::vector<Renamed> set_field(RunConfig& config, std::string_view name, std::string_view value);

/// Sets the fields that a TOML file names (`chains = 8`, `structure = "coupled"`). Errors name file and line. Returns a
/// note, with file and line, for every name of an earlier version.
std::vector<std::string> read_config(RunConfig& config, const std::filesystem::path& file);

/// The settings that a manifest holds. Throws InputError for what this version does not know.
[[nodiscard]] RunConfig config_of(const RunManifest& manifest);

/// What is to be done, everything decided: files read, and sampling planned.
struct RunPlan {
  RunConfig config;  ///< with what files and names stand for, and the folder
  SamplePlan sample;
  Group* rows = &alone();  ///< the processes that have the rows of its data, where these are shared out
};
/// The structure that the settings under "Phase space" name, for a model of a given dimension. Throws InputError.
[[nodiscard]] PoissonStructure plan_structure(const RunConfig& config, Index dim);
/// Throws InputError before any work is done, but for compiling a Stan program that was not compiled before. Rows that are shared out
/// lie with the processes that `lead` leads.
[[nodiscard]] RunPlan make_plan(RunConfig config, const CompilationWatch& watch = {},
                                StartsAre starts = StartsAre::wanted, const Lead& lead = Lead(alone()));
/// The same for a model that the caller brings: settings under "Model" have no meaning then.
[[nodiscard]] SamplePlan plan_with_model(const RunConfig& config, const std::shared_ptr<const Model>& model);

}  // namespace darboux
