#include "draws/observation_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/shown.hpp"
#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "io/json_text.hpp"

namespace darboux {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view schema = "darboux-observations/1";

std::vector<double> numbers(const ordered_json& json, const char* key, const std::filesystem::path& file) {
  std::vector<double> out;
  if (!json.contains(key)) return out;
  for (const ordered_json& value : json[key]) {
    if (!value.is_number() && !value.is_null())
      throw InputError(fmt::format("{}: {} has the entry {}: must be a number or null", file.string(), key,
                                   beginning_of(value.dump())));
    out.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return out;
}

}  // namespace

void write_observation_summary(const ObservationSummary& summary, const std::filesystem::path& file) {
  ordered_json json{{"schema", schema}};
  if (!summary.observed.empty()) json["observed"] = summary.observed;
  if (!summary.likelihood.empty()) json["likelihood"] = summary.likelihood;
  write_text(file, json.dump() + "\n");
}

ObservationSummary read_observation_summary(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  require_json(text, file.string());
  const auto json = ordered_json::parse(text);
  if (!json.is_object() || !json.contains("schema") || json["schema"] != schema)
    throw InputError(fmt::format("{}: must be an object whose schema is \"{}\"", file.string(), schema));
  return {.observed = numbers(json, "observed", file), .likelihood = numbers(json, "likelihood", file)};
}

}  // namespace darboux
