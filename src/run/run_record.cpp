#include "run/run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "io/checksum.hpp"
#include "run/ess_target.hpp"
#include "run/model_source.hpp"
#include "run/settings_in_force.hpp"
#include "run/structure_choice.hpp"
#include "sample/result_in_words.hpp"

namespace darboux {

namespace {

MetricShape shape_of(const SamplePlan& plan) {
  if ((plan.settings.warmup == 0 && !plan.tuning) || plan.settings.metric == Metric::identity) return MetricShape::unit;
  return plan.settings.metric == Metric::dense ? MetricShape::dense : MetricShape::diagonal;
}

/// A run whose time was up is complete: that is what was asked for. But without a single draw it is of no use to anybody.
void describe_end(const RunPlan& plan, const SampleResult& result, bool target_reached, RunManifest& manifest) {
  manifest.status = RunStatus::complete;
  switch (result.end) {
    case SampleEnd::interrupted: manifest.status = RunStatus::interrupted; return;
    case SampleEnd::out_of_time:
      manifest.stopped_by = StoppedBy::max_seconds;
      if (result.draws > 0) return;
      manifest.status = RunStatus::interrupted;
      manifest.message = "time was up before warm-up had ended: there are no draws; allow more, or a shorter warm-up";
      return;
    case SampleEnd::complete:
      manifest.stopped_by = !plan.config.target_ess ? StoppedBy::draws
                            : target_reached        ? StoppedBy::target_ess
                                                    : StoppedBy::max_draws;
      return;
  }
}

/// Nothing stands for the model, so that it was given however it was named.
ValueTree given_settings(const RunConfig& config) {
  ValueTree::List names{"model"};
  for (const std::string& name : config.given)
    if (name != "model") names.emplace_back(name);
  return names;
}

/// What a model says of its data and its prior has sections of its own.
void describe_fact(ModelFact fact, RunManifest& manifest) {
  ValueTree* const section = fact.key == "data" ? &manifest.data : fact.key == "prior" ? &manifest.prior : nullptr;
  auto* const entries = std::get_if<ValueTree::Entries>(&fact.value.value());
  if (section == nullptr || entries == nullptr) {
    manifest.decided.set(fact.key, std::move(fact.value));
    return;
  }
  for (const auto& [key, value] : *entries) section->set(key, value);
}

void describe_cost(const SampleResult& result, RunManifest& manifest) {
  manifest.warmup = {
      .seconds = result.warmup_seconds, .cpu_seconds = result.warmup_cpu_seconds, .gradients = result.warmup_gradients};
  manifest.sampling = {.seconds = result.sampling_seconds,
                       .cpu_seconds = result.sampling_cpu_seconds,
                       .gradients = result.sampling_gradients};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> input_files(const RunConfig& config) {
  std::vector<std::pair<std::string, std::string>> files;
  const auto add = [&](const char* setting, const std::string& value, std::initializer_list<std::string_view> endings) {
    if (std::ranges::any_of(endings, [&](std::string_view ending) { return value.ends_with(ending); }))
      files.emplace_back(setting, value);
  };
  if (!config.data.empty() && !shards_rows(config))
    files.emplace_back("data", config.data);  // which no one reads as a whole
  add("model", config.model, {".stan", ".so"});
  if (config.model.ends_with(".stan"))
    for (const auto& [name, file] : included_files(config.model)) files.emplace_back("#include " + name, file.string());
  add("init", config.init, {".json"});
  add("structure", config.structure_source, {".json"});
  if (!config.tuning_file.empty()) files.emplace_back("tuning", config.tuning_file);
  return files;
}

RunManifest begin_manifest(const RunPlan& plan, const std::string& started) {
  const SamplerSettings& s = plan.sample.settings;
  RunManifest manifest = new_manifest();
  manifest.seed = plan.sample.asked.seed.value();
  manifest.started = started;
  for (const auto& [setting, file] : input_files(plan.config))
    if (std::filesystem::is_regular_file(file)) manifest.inputs.set(setting, checksum_of_file(file));
  manifest.asked.set("model", plan.config.model);
  for (const auto& field : run_fields())
    if (auto value = field.get(plan.config)) manifest.asked.set(field.name, *std::move(value));
  manifest.given = given_settings(plan.config);
  if (plan.config.structure_source == automatic_structure) {
    const ChosenStructure chosen = choose_structure();
    manifest.decided.set("structure", name(chosen.recipe));
    manifest.decided.set("structure_reason", chosen.reason);
  }
  manifest.decided.set("integrator", name(s.integrator));
  manifest.decided.set("metric", name(s.metric));
  manifest.decided.set("trajectory", name(s.trajectory.kind()));
  manifest.decided.set("threads", s.threads);
  manifest.decided.set("warmup", s.warmup);
  manifest.decided.set("target_acceptance", s.target_acceptance.value());
  manifest.decided.set("approximate", is_approximate(s));
  add_settings_in_force(plan, manifest.asked, manifest.decided);
  if (!plan.config.data.empty()) manifest.data.set("file", plan.config.data);
  if (const ValueTree* const checksum = manifest.inputs.find("data")) manifest.data.set("checksum", *checksum);
  for (ModelFact& fact : plan.sample.model->describe()) describe_fact(std::move(fact), manifest);
  return manifest;
}

std::uint32_t identity_of(const RunManifest& manifest) {
  constexpr std::array<std::string_view, 12> others{"draws", "target-ess", "max-draws",      "max-seconds",
                                                    "seed",  "threads",    "log-likelihood", "posterior-predictive",
                                                    "out",   "log",        "quiet",          "checkpoint-seconds"};
  const RunConfig config = config_of(manifest), defaults;
  std::string text = fmt::format("{} {}\n", manifest.seed, config.model);
  for (const auto& field : run_fields()) {
    if (std::ranges::find(others, field.name) != others.end()) continue;
    const auto value = field.get(config);
    if (value && value != field.get(defaults)) text += fmt::format("{} = {}\n", field.name, text_of(*value));
  }
  return checksum(text);
}

StanCsvHeader csv_header(const RunPlan& plan, const std::string& started) {
  const SamplerSettings& s = plan.sample.settings;
  StanCsvHeader header{.model = short_name(plan.config.model),
                       .seed = plan.sample.asked.seed.value(),
                       .chain = static_cast<int>(s.first_chain) + 1,
                       .warmup_iterations = s.warmup,
                       .sampling_iterations = s.draws,
                       .thin = plan.config.thin,
                       .save_warmup = plan.config.save_warmup,
                       .adapts = s.warmup > 0 && !plan.sample.tuning,
                       .target_acceptance = s.target_acceptance.value(),
                       .max_tree_depth = plan.config.max_depth.value_or(NutsTrajectory().max_depth),
                       .metric = shape_of(plan.sample),
                       .first_step_size = s.first.step_size,
                       .data_file = plan.config.data,
                       .started = started,
                       .notes = {{"integrator", std::string(name(s.integrator))}}};
  RunConfig config = plan.config;
  if (config.structure_source == automatic_structure) config.structure_source = name(choose_structure().recipe);
  for (const auto& field : run_fields())
    if (const auto value = field.get(config); value && field.name != "integrator" && field.name != "metric")
      header.notes.emplace_back(field.name, text_of(*value));
  return header;
}

ZarrContent zarr_content(const RunPlan& plan, const std::string& started) {
  const Model& model = *plan.sample.model;
  return {.header = csv_header(plan, started),
          .names = model.names(),
          .axis = model.named_axis(),
          .data = model.kept_data()};
}

std::vector<OtherBits> compare_bits(const RunManifest& one, const RunManifest& other) {
  std::vector<OtherBits> found;
  const auto compare = [&](std::string_view what, const std::string RunManifest::* member) {
    if (one.*member != other.*member) found.push_back({.what = what, .one = one.*member, .other = other.*member});
  };
  compare("a processor of the class", &RunManifest::cpu_class);
  compare("darboux", &RunManifest::darboux_version);
  compare("a library compiled by", &RunManifest::compiler);
  return found;
}

void describe_result(const RunPlan& plan, const SampleResult& result, bool target_reached, RunManifest& manifest) {
  describe_end(plan, result, target_reached, manifest);
  describe_cost(result, manifest);
  manifest.told = told_by(*plan.sample.model, result);
  if (std::string words = target_in_words(plan.config); !words.empty())
    manifest.told.insert(manifest.told.begin(), std::move(words));
  manifest.warnings.insert(manifest.warnings.end(), manifest.told.begin(), manifest.told.end());
  for (std::string& words : std::vector{care_in_words(result), walls_in_words(result)})
    if (!words.empty()) manifest.warnings.push_back(std::move(words));
}

void describe_tuning(const RunPlan& plan, const SampleResult& result, RunManifest& manifest) {
  const Tuning& tuning = result.tuning;
  manifest.tuning.set("step_size", tuning.step_size);
  const SamplerSettings& settings = plan.sample.settings;
  manifest.tuning.set("steps", tuning.steps);
  if (!settings.trajectory.traits().goes_both_ways)
    manifest.tuning.set("trajectory_time", tuning.steps * tuning.step_size);
  manifest.tuning.set("reason", steps_reason(result, settings));
  manifest.tuning.set("motion", name(tuning.motion));
  manifest.tuning.set("motion_searched", settings.chooses_motion && result.scatter > 0.0);
  if (result.scatter > 0.0) manifest.tuning.set("density_scatter", result.scatter);
  manifest.tuning.set("stages", tuning.stages);
  manifest.tuning.set("step_spread", tuning.step_spread);
  manifest.tuning.set("momentum_kept", tuning.momentum_kept);
  if (result.foreseen > 0.0) {
    manifest.tuning.set("foreseen_per_gradient", result.foreseen);
    manifest.tuning.set("foreseen_otherwise", result.foreseen_otherwise);
  }
  manifest.tuning.set("metric", name(metric_of(tuning.factor)));
  if (tuning.factor.kind() == StructuredMatrix::Kind::low_rank)
    manifest.tuning.set("metric_directions", tuning.factor.low_rank().rank());
  manifest.tuning.set("metric_draws", tuning.metric_draws);
  manifest.tuning.set("coordinates_bent", bent_coordinates(tuning));
  if (result.target_acceptance > 0.0) manifest.tuning.set("target_acceptance", result.target_acceptance);
  manifest.tuning.set("gradient_precision", name(result.gradient_precision));
  manifest.tuning.set("single_precision_is_too_rough", result.single_precision_is_too_rough);
  manifest.tuning.set("file", "tuning.json");
}

}  // namespace darboux
