// JSON, and the files that are JSON: structures, starting points, tunings, manifests, observations; TOML, its sibling.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "darboux/model/registry.hpp"
#include "draws/observation_file.hpp"
#include "draws/run_manifest.hpp"
#include "io/json_text.hpp"
#include "model/start.hpp"
#include "report/run_differences.hpp"
#include "run/run_config.hpp"
#include "run/tuning_file.hpp"
#include "structure/structure_facts.hpp"
#include "structure/structure_json.hpp"
#include "target.hpp"

namespace darboux::fuzz {
namespace {

const Target json("json", [](std::string_view input) {
  attempt([&] {
    require_json(input, "input");
    const auto parsed = nlohmann::ordered_json::parse(input.begin(), input.end());
    const std::string text = parsed.dump();
    demand(nlohmann::ordered_json::parse(text).dump() == text, "JSON is what it is");
  });
});

/// Beyond this, decompositions take the time.
constexpr Index small = 24;

bool is_large(std::string_view input) {
  const auto parsed = nlohmann::json::parse(input, nullptr, false);
  return parsed.is_object() && parsed.contains("dimension") && parsed["dimension"].is_number() &&
         parsed["dimension"] > small;
}

const Target structure("structure", [](std::string_view input) {
  attempt([&] {
    require_json(input, "structure.json");
    if (is_large(input)) return;
    const PoissonStructure read = structure_from_json(input, "structure.json");
    const std::string text = structure_to_json(read);
    demand(structure_to_json(structure_from_json(text, "again")) == text, "a structure comes back");
    if (read.dim() <= small) (void)facts_of(read);
  });
});

const Target starts("starts", [](std::string_view input) {
  static const MemoryFile file;
  static const auto model = make_model("eight-schools", {});
  attempt([&] {
    const OwnedBatch q = read_starts(*model, file.fill(input), 3);
    demand(q.rows() == model->dim() && q.lanes() == 3, "a point for each chain");
  });
});

const Target tuning("tuning", [](std::string_view input) {
  attempt([&] {
    const TunedModel model{.name = "banana", .dim = 2};
    const Tuning read = parse_tuning(std::string(input), "tuning.json", model);
    demand(read == parse_tuning(tuning_text(read, model), "again", model), "a tuning comes back");
  });
});

const Target manifest("manifest", [](std::string_view input) {
  RunManifest read;
  if (!attempt([&] { read = manifest_from_json(input, "run.json"); })) return;
  const std::string text = manifest_to_json(read);
  demand(manifest_to_json(manifest_from_json(text, "again")) == text, "a manifest comes back");
  demand(differences(read, read).empty(), "a run does not differ from itself");
  attempt([&] { (void)config_of(read); });
});

const Target observations("observations", [](std::string_view input) {
  static const MemoryFile file;
  attempt([&] { (void)read_observation_summary(file.fill(input)); });
});

const Target toml("toml", [](std::string_view input) {
  static const MemoryFile file;
  attempt([&] {
    RunConfig config;
    (void)read_config(config, file.fill(input));
  });
});

}  // namespace
}  // namespace darboux::fuzz
