#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/field_table.hpp"
#include "darboux/model/registry.hpp"
#include "sample/sampler.hpp"

namespace darboux {

/// Everything that a run can be told, as flags or in a TOML file: plain values, nothing derived.
struct RunConfig {
  std::string model;

  std::string data;
  std::string response;
  bool no_intercept = false;
  std::optional<double> prior_scale;
  std::optional<Index> dimension;

  Index chains = 4;
  int warmup = 1000;
  int draws = 1000;
  std::optional<double> target_ess;
  std::optional<int> max_draws;
  std::optional<double> max_seconds;
  int thin = 1;
  bool save_warmup = false;
  std::optional<std::uint64_t> seed;
  std::optional<int> threads;
  std::string init;

  std::string structure = "canonical";
  std::optional<double> strength;
  std::optional<double> k;
  std::optional<std::uint64_t> structure_seed;
  std::optional<IntegratorKind> integrator;
  int order = 2;
  std::optional<double> tolerance;
  std::optional<double> binding;
  std::optional<double> angle;
  std::optional<double> copy_spread;
  double reverse_check = 1.0;

  std::optional<Metric> metric;
  std::optional<TrajectoryRule> trajectory;
  std::optional<double> step_size;
  std::optional<int> steps;
  std::optional<int> max_depth;
  std::optional<double> trajectory_time;
  std::optional<double> target_acceptance;
  std::optional<GradientPrecision> gradient_precision;
  DirectionMode direction = DirectionMode::persistent;
  double refresh = 0.0;

  std::string tuning;
  std::string out;
  std::string log;
  bool quiet = false;
};

/// The headings of the table.
namespace groups {
inline constexpr std::string_view model = "Model";
inline constexpr std::string_view chains = "Chains";
inline constexpr std::string_view phase_space = "Phase space";
inline constexpr std::string_view integrator = "Integrator";
inline constexpr std::string_view tuning = "Tuning";
inline constexpr std::string_view output = "Output";
}  // namespace groups

/// The table that describes them all, once: flags, keys, ranges, help, manifest and documentation come from here.
[[nodiscard]] const std::vector<Field<RunConfig>>& run_fields();

/// Sets one field, or the model, by name. Throws InputError for an unknown name (with a suggestion) or a bad value.
void set_field(RunConfig& config, std::string_view name, std::string_view value);

/// Sets the fields that a TOML file names (`chains = 8`, `structure = "coupled"`). Errors name file and line.
void read_config(RunConfig& config, const std::filesystem::path& file);

/// What is to be done, everything decided: auto choices made, files read, combinations checked.
struct RunPlan {
  std::shared_ptr<const Model> model;
  SampleOptions options;
  OwnedBatch starts;
  std::optional<Tuning> tuning;
};
/// The structure that the settings under "Phase space" name, for a model of a given dimension. Throws InputError.
[[nodiscard]] PoissonStructure plan_structure(const RunConfig& config, Index dim);
/// The cheapest exact integrator for a structure.
[[nodiscard]] IntegratorKind cheapest_exact_integrator(const PoissonStructure& structure);
/// The starting points that the configuration asks for, with its seed. Throws InputError.
[[nodiscard]] OwnedBatch plan_starts(const RunConfig& config, const Model& model);
/// The most draws of each chain: `draws`, or more where sampling goes on until a target is reached.
[[nodiscard]] int most_draws(const RunConfig& config) noexcept;
/// Throws InputError before any work is done. The seed and the number of threads must be set in the configuration.
[[nodiscard]] RunPlan make_plan(const RunConfig& config);

}  // namespace darboux
