#include "draws/run_manifest.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "darboux/version.hpp"
#include "draws/machine.hpp"
#include "io/file.hpp"
#include "io/json_text.hpp"

namespace darboux {

namespace {

using nlohmann::ordered_json;

// --- writing ----------------------------------------------------------------------------------------------------------

ordered_json json_number(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}
ordered_json json_number(const std::optional<double>& x) { return x ? json_number(*x) : ordered_json(nullptr); }

ordered_json json_of(const ValueTree& tree);

struct ToJson {
  ordered_json operator()(const ValueTree::Entries& entries) const {
    ordered_json out = ordered_json::object();
    for (const auto& [key, value] : entries) out[key] = json_of(value);
    return out;
  }
  ordered_json operator()(const ValueTree::List& list) const {
    ordered_json out = ordered_json::array();
    for (const ValueTree& value : list) out.push_back(json_of(value));
    return out;
  }
  ordered_json operator()(double x) const { return json_number(x); }
  ordered_json operator()(const auto& value) const { return value; }
};

ordered_json json_of(const ValueTree& tree) { return std::visit(ToJson(), tree.value()); }

ordered_json json_of(const PhaseCost& cost) {
  return {{"seconds", json_number(cost.seconds)},
          {"cpu_seconds", json_number(cost.cpu_seconds)},
          {"gradients", cost.gradients}};
}

ordered_json json_of(const DrawFile& file) {
  ordered_json out{{"file", file.file},
                   {"statistics", file.statistics},
                   {"chain", file.chain},
                   {"warmup_rows", file.warmup_rows},
                   {"rows", file.rows}};
  if (!file.log_likelihood.empty()) out["log_likelihood"] = file.log_likelihood;
  if (!file.posterior_predictive.empty()) out["posterior_predictive"] = file.posterior_predictive;
  return out;
}

// --- reading ----------------------------------------------------------------------------------------------------------

ValueTree tree_of(const ordered_json& value) {
  if (value.is_object()) {
    ValueTree::Entries entries;
    for (const auto& [key, entry] : value.items()) entries.emplace_back(key, tree_of(entry));
    return entries;
  }
  if (value.is_array()) {
    ValueTree::List list;
    for (const ordered_json& entry : value) list.push_back(tree_of(entry));
    return list;
  }
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Fields of one object of a manifest. Knows where it is, for messages: "run.json: field "warmup.seconds": …".
class Fields {
 public:
  Fields(const ordered_json& object, std::string_view source, std::string where)
      : object_(object), source_(source), where_(std::move(where)) {
    if (!object.is_object()) throw InputError(fmt::format("{}: {}an object {{…}} is expected", source_, place("")));
  }

  [[nodiscard]] const ordered_json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(key, "is missing");
    return *found;
  }
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
  [[nodiscard]] Fields object(const char* key) const { return {at(key), source_, where_ + key + "."}; }

  [[nodiscard]] std::string text(const char* key) const {
    const ordered_json& value = at(key);
    if (!value.is_string()) fail(key, "expected a text in quotes, not " + value.dump());
    return value.get<std::string>();
  }
  /// Of a field that earlier versions did not write.
  [[nodiscard]] std::string text_or_none(const char* key) const { return has(key) ? text(key) : ""; }
  template <class Integer>
  [[nodiscard]] Integer whole_number(const char* key) const {
    const ordered_json& value = at(key);
    if (!value.is_number_unsigned() || !std::in_range<Integer>(value.get<std::uint64_t>()))
      fail(key, "expected a whole number that is not negative, not " + value.dump());
    return static_cast<Integer>(value.get<std::uint64_t>());
  }
  [[nodiscard]] std::optional<double> number_or_null(const char* key) const {
    const ordered_json& value = at(key);
    if (value.is_null()) return std::nullopt;
    if (value.is_number()) return value.get<double>();
    if (value == "nan") return std::nan("");
    if (value == "inf") return INFINITY;
    if (value == "-inf") return -INFINITY;
    fail(key, "expected a number, not " + value.dump());
  }
  [[nodiscard]] double number(const char* key) const {
    const auto value = number_or_null(key);
    if (!value) fail(key, "expected a number, not null");
    return *value;
  }
  [[nodiscard]] const ordered_json& list(const char* key) const {
    const ordered_json& value = at(key);
    if (!value.is_array()) fail(key, "expected a list […]");
    return value;
  }

  [[noreturn]] void fail(std::string_view key, std::string_view why) const {
    throw InputError(fmt::format("{}: {}{}", source_, place(key), why));
  }

 private:
  [[nodiscard]] std::string place(std::string_view key) const {
    const std::string field = where_ + std::string(key);
    return field.empty() ? "" : fmt::format("field \"{}\": ", field);
  }

  const ordered_json& object_;
  std::string_view source_;
  std::string where_;
};

RunStatus read_status(const Fields& fields) {
  const std::string text = fields.text("status");
  if (const auto status = find_name<RunStatus>(text)) return *status;
  fields.fail("status", unknown_name("status", text, all_names<RunStatus>()));
}

/// Before version 2 there was one set of settings, "configuration".
constexpr std::string_view first_schema = "darboux-run/1";

bool is_of_first_schema(const Fields& fields) {
  const std::string schema = fields.text("schema");
  if (schema == run_schema || schema == first_schema) return schema == first_schema;
  fields.fail("schema", fmt::format("{} is not known to darboux {}, which reads \"{}\"; a newer darboux may read it",
                                    shown(schema), version(), run_schema));
}

PhaseCost read_cost(const Fields& fields) {
  return {.seconds = fields.number("seconds"),
          .cpu_seconds = fields.has("cpu_seconds") ? fields.number("cpu_seconds") : 0.0,
          .gradients = fields.whole_number<std::int64_t>("gradients")};
}

DrawFile read_draw_file(const Fields& fields) {
  return {.file = fields.text("file"),
          .statistics = fields.text("statistics"),
          .chain = fields.whole_number<int>("chain"),
          .warmup_rows = fields.whole_number<std::int64_t>("warmup_rows"),
          .rows = fields.whole_number<std::int64_t>("rows"),
          .log_likelihood = fields.text_or_none("log_likelihood"),
          .posterior_predictive = fields.text_or_none("posterior_predictive")};
}

RunManifest read(const Fields& fields, std::string_view source) {
  const bool is_of_first = is_of_first_schema(fields);
  RunManifest manifest;
  manifest.status = read_status(fields);
  manifest.message = fields.text("message");
  if (const std::string rule = fields.text_or_none("stopped_by"); !rule.empty())
    manifest.stopped_by = from_name<StoppedBy>("rule that stopped the run", rule);
  manifest.started = fields.text("started");
  manifest.seed = fields.whole_number<std::uint64_t>("seed");
  manifest.darboux_version = fields.object("versions").text("darboux");
  manifest.compiler = fields.object("versions").text("compiler");
  manifest.cpu_class = fields.text("cpu_class");
  manifest.asked = tree_of(fields.at(is_of_first ? "configuration" : "asked"));
  if (!is_of_first) manifest.decided = tree_of(fields.at("decided"));
  for (const char* key : {"integrator", "metric", "trajectory", "response"})
    if (const ValueTree* value = manifest.asked.find(key); is_of_first && value != nullptr)
      manifest.decided.set(key, *value);
  for (const auto& [key, section] :
       {std::pair("given", &manifest.given), std::pair("data", &manifest.data), std::pair("prior", &manifest.prior),
        std::pair("inputs", &manifest.inputs), std::pair("cluster", &manifest.cluster)})
    if (fields.has(key)) *section = tree_of(fields.at(key));
  manifest.tuning = tree_of(fields.at("tuning"));
  manifest.warmup = read_cost(fields.object("warmup"));
  manifest.sampling = read_cost(fields.object("sampling"));
  const Fields diagnostics = fields.object("diagnostics");
  manifest.min_bulk_ess = diagnostics.number_or_null("min_bulk_ess");
  manifest.min_tail_ess = diagnostics.number_or_null("min_tail_ess");
  manifest.max_rhat = diagnostics.number_or_null("max_rhat");
  for (const ordered_json& warning : fields.list("warnings")) {
    if (!warning.is_string()) fields.fail("warnings", "expected texts in quotes, not " + warning.dump());
    manifest.warnings.push_back(warning.get<std::string>());
  }
  for (const ordered_json& file : fields.list("files"))
    manifest.files.push_back(
        read_draw_file(Fields(file, source, fmt::format("files[{}].", manifest.files.size() + 1))));
  return manifest;
}

}  // namespace

RunManifest new_manifest() {
  RunManifest manifest;
  manifest.darboux_version = version();
  manifest.compiler = compiler();
  manifest.cpu_class = cpu_class();
  return manifest;
}

std::string manifest_to_json(const RunManifest& manifest) {
  ordered_json out = {{"schema", run_schema},
                      {"status", name(manifest.status)},
                      {"message", manifest.message},
                      {"stopped_by", manifest.stopped_by ? name(*manifest.stopped_by) : ""},
                      {"started", manifest.started},
                      {"seed", manifest.seed},
                      {"versions", {{"darboux", manifest.darboux_version}, {"compiler", manifest.compiler}}},
                      {"cpu_class", manifest.cpu_class},
                      {"asked", json_of(manifest.asked)},
                      {"given", json_of(manifest.given)},
                      {"decided", json_of(manifest.decided)},
                      {"data", json_of(manifest.data)},
                      {"prior", json_of(manifest.prior)},
                      {"inputs", json_of(manifest.inputs)},
                      {"tuning", json_of(manifest.tuning)},
                      {"warmup", json_of(manifest.warmup)},
                      {"sampling", json_of(manifest.sampling)},
                      {"diagnostics",
                       {{"min_bulk_ess", json_number(manifest.min_bulk_ess)},
                        {"min_tail_ess", json_number(manifest.min_tail_ess)},
                        {"max_rhat", json_number(manifest.max_rhat)}}},
                      {"warnings", manifest.warnings},
                      {"files", ordered_json::array()}};
  if (manifest.cluster != ValueTree()) out["cluster"] = json_of(manifest.cluster);
  for (const DrawFile& file : manifest.files) out["files"].push_back(json_of(file));
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

RunManifest manifest_from_json(std::string_view text, std::string_view source) {
  require_json(text, source);
  const auto parsed = ordered_json::parse(text.begin(), text.end());
  return read(Fields(parsed, source, ""), source);
}

RunManifest read_manifest(const std::filesystem::path& file) {
  return manifest_from_json(read_text(file), file.string());
}

void write_manifest(const RunManifest& manifest, const std::filesystem::path& file) {
  write_text(file, manifest_to_json(manifest));
}

}  // namespace darboux
