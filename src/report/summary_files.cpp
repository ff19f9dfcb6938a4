#include "report/summary_files.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/estimate_columns.hpp"

namespace darboux {

namespace {

using nlohmann::ordered_json;

/// What a row consists of beside its name, in the order of the columns.
std::vector<EstimateColumn> columns_of(const SummaryExtras& extras) {
  std::vector<EstimateColumn> columns{
      {.title = "", .key = "mean", .value = [](const Summary& v) { return v.mean; }},
      {.title = "", .key = "mcse_mean", .value = [](const Summary& v) { return v.mcse_mean; }},
      {.title = "", .key = "sd", .value = [](const Summary& v) { return v.sd; }}};
  const auto add = [&](std::vector<EstimateColumn> more) {
    for (EstimateColumn& column : more) columns.push_back(std::move(column));
  };
  add(estimate_columns(extras));
  add({{.title = "", .key = "ess_bulk", .value = [](const Summary& v) { return v.ess_bulk; }},
       {.title = "", .key = "ess_tail", .value = [](const Summary& v) { return v.ess_tail; }},
       {.title = "", .key = "rhat", .value = [](const Summary& v) { return v.rhat; }}});
  add(odds_columns(extras));
  return columns;
}

/// A quantity without an odds ratio has none in files either.
double value_of(const EstimateColumn& column, const SummaryRow& row) {
  const bool is_odds_ratio = column.key.starts_with("odds_ratio_");
  return is_odds_ratio && !has_odds_ratio(row.name) ? std::numeric_limits<double>::quiet_NaN()
                                                    : column.value(row.values);
}

std::string csv_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Inf" : "-Inf";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

ordered_json json_number(double x) {
  if (std::isnan(x)) return nullptr;
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

template <class T>
ordered_json json_or_null(const std::optional<T>& x) {
  if (!x) return nullptr;
  if constexpr (std::is_floating_point_v<T>)
    return json_number(*x);
  else
    return *x;
}

ordered_json json_of(const ChainFacts& chain) {
  ordered_json out{{"file", chain.file.string()},
                   {"draws", chain.draws},
                   {"divergent_draws", chain.divergent_draws},
                   {"draws_at_max_depth", chain.draws_at_max_depth},
                   {"mean_acceptance", json_or_null(chain.mean_acceptance)},
                   {"ebfmi", json_or_null(chain.ebfmi)},
                   {"gradients", json_or_null(chain.gradients)},
                   {"sampling_seconds", json_or_null(chain.sampling_seconds)}};
  if (chain.failures) {
    out["not_converged"] = chain.failures->not_converged;
    out["not_reversible"] = chain.failures->not_reversible;
    out["model_error"] = chain.failures->model_error;
  }
  return out;
}

}  // namespace

std::string summary_to_csv(const RunSummary& summary) {
  const std::vector<EstimateColumn> columns = columns_of(summary.extras);
  std::string out = "name";
  for (const EstimateColumn& column : columns) out += "," + column.key;
  out += "\n";
  for (const SummaryRow& row : summary.rows) {
    out += csv_text(row.name);
    for (const EstimateColumn& column : columns) out.append(1, ',').append(csv_number(value_of(column, row)));
    out += "\n";
  }
  return out;
}

std::string summary_to_json(const RunSummary& summary) {
  ordered_json out{{"schema", summary_schema},
                   {"chains_with_draws", summary.chains_with_draws()},
                   {"draws_per_chain", summary.draws_per_chain},
                   {"divergences", summary.divergences()},
                   {"gradients", json_or_null(summary.gradients)},
                   {"integrator", summary.integrator}};
  const std::vector<EstimateColumn> columns = columns_of(summary.extras);
  out["rows"] = ordered_json::array();
  for (const SummaryRow& row : summary.rows) {
    ordered_json entry{{"name", row.name}};
    for (const EstimateColumn& column : columns) entry[column.key] = json_number(value_of(column, row));
    out["rows"].push_back(std::move(entry));
  }
  out["chains"] = ordered_json::array();
  for (const ChainFacts& chain : summary.chains) out["chains"].push_back(json_of(chain));
  out["warnings"] = ordered_json::array();
  for (const Warning& warning : summary.warnings)
    out["warnings"].push_back(
        {{"concern", name(warning.concern)}, {"finding", warning.finding}, {"advice", warning.advice}});
  // Names from files may be no UTF-8.
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace darboux
