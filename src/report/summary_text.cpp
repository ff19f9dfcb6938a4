#include "report/summary_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/estimate_columns.hpp"
#include "report/printable_text.hpp"

namespace darboux {

namespace {

using Thresholds = WarningThresholds;

/// Text that runs over the full width of a large window is hard to read.
constexpr std::size_t widest_prose = 100;

std::string number(double x, int decimals) {
  if (std::isnan(x)) return "–";
  if (std::isinf(x)) return x > 0 ? "∞" : "-∞";
  std::string text = fmt::format("{:.{}f}", x, decimals);
  // "-0.00" says no more than "0.00".
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string significant(double x, int digits) {
  return std::isfinite(x) ? fmt::format("{:.{}g}", x, digits) : number(x, 0);
}

std::string rounded(double x) { return number(x, 0); }

/// 1234567 as 1,234,567.
std::string grouped(std::int64_t n) {
  std::string text = fmt::format("{}", n);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string_view plural(std::int64_t n) { return n == 1 ? "" : "s"; }

std::string share(double x) { return number(x, 3); }

TextTable table_of(const RunSummary& summary, std::size_t shown, std::size_t longest_name) {
  const std::vector<EstimateColumn> estimates = estimate_columns(summary.extras);
  std::vector<TableColumn> columns{{.title = "", .alignment = Alignment::left},
                                   {.title = "mean", .alignment = Alignment::decimal},
                                   {.title = "mcse", .alignment = Alignment::decimal, .dispensable = 4},
                                   {.title = "sd", .alignment = Alignment::decimal, .dispensable = 1}};
  for (const EstimateColumn& column : estimates)
    columns.push_back({.title = column.title,
                       .alignment = Alignment::decimal,
                       .dispensable = column.asked          ? 0
                                      : column.key == "q50" ? 5
                                                            : 2});
  columns.push_back({.title = "ess bulk"});
  columns.push_back({.title = "ess tail", .dispensable = 3});
  columns.push_back({.title = "R̂", .alignment = Alignment::decimal});
  TextTable table(std::move(columns));
  const double least_ess = Thresholds::ess_per_chain_below * static_cast<double>(summary.chains_with_draws());
  for (const SummaryRow& row : std::span(summary.rows).first(shown)) {
    const Summary& values = row.values;
    RowText text = row_text(values);
    std::vector<TableCell> cells{shortened(printable(row.name), longest_name), std::move(text.mean),
                                 std::move(text.mcse_mean), std::move(text.sd)};
    for (const EstimateColumn& column : estimates) {
      const double x = column.value(values);
      cells.emplace_back(column.is_share ? share(x) : row_number(values, x));
    }
    cells.emplace_back(std::move(text.ess_bulk), values.ess_bulk < least_ess);
    cells.emplace_back(std::move(text.ess_tail), values.ess_tail < least_ess);
    cells.emplace_back(std::move(text.rhat), values.rhat > Thresholds::rhat_above);
    table.add_row(std::move(cells));
  }
  return table;
}

/// As many decimals as show two digits of the Monte Carlo error of exp(mean), in all of a row; no more than eight.
std::string ratio_text(const Summary& values, double x) {
  const double middle = std::exp(values.mean), error = values.mcse_mean * middle;
  if (!(std::isfinite(error) && error > 0.0 && x < 1e7 && middle < 1e7)) return significant(x, 3);
  return number(x, std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 8));
}

/// For one unit more of the predictor; empty where none were asked for.
std::string odds_ratios_text(const RunSummary& summary, std::size_t shown, const SummaryTextOptions& options) {
  const std::vector<EstimateColumn> odds = odds_columns(summary.extras);
  if (odds.empty()) return "";
  std::vector<TableColumn> columns{{.title = "odds ratio", .alignment = Alignment::left}};
  for (const EstimateColumn& column : odds) columns.push_back({.title = column.title, .alignment = Alignment::decimal});
  TextTable table(std::move(columns));
  for (const SummaryRow& row : std::span(summary.rows).first(shown)) {
    if (!has_odds_ratio(row.name)) continue;
    std::vector<TableCell> cells{shortened(printable(row.name), options.longest_name)};
    for (const EstimateColumn& column : odds) cells.emplace_back(ratio_text(row.values, column.value(row.values)));
    table.add_row(std::move(cells));
  }
  return "\n" + table.text(options.style);
}

/// "logistic · 4 chains × 1000 draws · 26 quantities".
std::string heading(const RunSummary& summary) {
  std::vector<std::string> parts;
  if (const std::string& model = summary.chains.front().model; !model.empty())
    parts.push_back(shortened(printable(model), 60));
  const auto chains = static_cast<std::int64_t>(summary.chains_with_draws());
  parts.push_back(fmt::format("{} chain{} × {} draw{}", chains, plural(chains), summary.draws_per_chain,
                              plural(summary.draws_per_chain)));
  if (summary.rows.size() < summary.columns_in_file)
    parts.push_back(fmt::format("{} of {} quantities", summary.rows.size(), summary.columns_in_file));
  if (!summary.integrator.empty() && summary.integrator != "auto") parts.push_back(printable(summary.integrator));
  return fmt::format("{}", fmt::join(parts, " · "));
}

/// The range of what chains say, as "0.93" or "0.93–1.04"; empty where none says anything.
template <class Member>
std::string range_over_chains(const RunSummary& summary, Member member) {
  std::vector<double> values;
  for (const ChainFacts& chain : summary.chains)
    if (const auto value = chain.*member; value && std::isfinite(*value)) values.push_back(*value);
  if (values.empty()) return "";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string low = number(*least, 2), high = number(*most, 2);
  return low == high ? low : fmt::format("{}–{}", low, high);
}

/// "no divergences · acceptance 0.81–0.84 · E-BFMI 0.93–1.04 · 124,000 gradients".
std::string sampler_line(const RunSummary& summary) {
  std::vector<std::string> parts;
  const std::int64_t divergences = summary.divergences();
  parts.push_back(divergences == 0 ? "no divergences"
                                   : fmt::format("{} divergence{}", divergences, plural(divergences)));
  if (const std::string range = range_over_chains(summary, &ChainFacts::mean_acceptance); !range.empty())
    parts.push_back("acceptance " + range);
  if (const std::string range = range_over_chains(summary, &ChainFacts::ebfmi); !range.empty())
    parts.push_back("E-BFMI " + range);
  if (summary.gradients && *summary.gradients > 0)
    parts.push_back(fmt::format("{} gradient{}", grouped(*summary.gradients), plural(*summary.gradients)));
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string warnings_text(const RunSummary& summary, const TableStyle& style) {
  const std::size_t width = std::min(style.width, widest_prose);
  const auto coloured = [&](std::string_view code, std::string text) {
    return style.colours ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  };
  if (summary.warnings.empty()) return coloured("32", "No warnings.") + "\n";
  std::string out =
      coloured("1;31", summary.warnings.size() == 1 ? std::string("1 warning")
                                                    : fmt::format("{} warnings", summary.warnings.size())) +
      "\n";
  for (std::size_t i = 0; i < summary.warnings.size(); ++i) {
    const Warning& warning = summary.warnings[i];
    out += fmt::format("\n{}", wrapped(printable(warning.finding), width, fmt::format("{:>2}. ", i + 1), "    "));
    if (!warning.advice.empty()) out += wrapped(printable(warning.advice), width, "    → ", "      ");
  }
  return out;
}

}  // namespace

namespace {

/// How many decimals a row has; none where its numbers are too large or small for such a table.
std::optional<int> decimals_of(const Summary& values) {
  const double error = values.mcse_mean;
  const double largest = std::max({std::abs(values.mean), std::abs(values.q5), std::abs(values.q95), values.sd});
  if (!(std::isfinite(error) && error > 0.0 && largest < 1e7)) return std::nullopt;
  const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(error))));
  return decimals <= 6 ? std::optional(decimals) : std::nullopt;
}

}  // namespace

std::string row_number(const Summary& values, double x) {
  const std::optional<int> decimals = decimals_of(values);
  return decimals ? number(x, *decimals) : significant(x, 4);
}

RowText row_text(const Summary& values) {
  const std::optional<int> decimals = decimals_of(values);
  const auto show = [&](double x) { return row_number(values, x); };
  return {.mean = show(values.mean),
          .mcse_mean = decimals ? number(values.mcse_mean, *decimals) : significant(values.mcse_mean, 2),
          .sd = show(values.sd),
          .q5 = show(values.q5),
          .median = show(values.median),
          .q95 = show(values.q95),
          .ess_bulk = rounded(values.ess_bulk),
          .ess_tail = rounded(values.ess_tail),
          .rhat = number(values.rhat, 3)};
}

std::string summary_text(const RunSummary& summary, const SummaryTextOptions& options) {
  constexpr std::size_t many_rows = 60;
  const std::size_t rows = summary.rows.size();
  const std::size_t shown = options.max_rows == 0 ? rows : std::min(rows, options.max_rows);
  const std::size_t prose = std::min(options.style.width, widest_prose);
  std::string out = wrapped(heading(summary), prose, "", "") + "\n";
  const bool means_nothing = !summary.is_of_one_model();  // which has to be known before the table is read
  if (means_nothing) out += warnings_text(summary, options.style) + "\n";
  if (shown > 0) out += table_of(summary, shown, options.longest_name).text(options.style);
  if (shown < rows)
    out += fmt::format("… {} more row{}\n", rows - shown, plural(static_cast<std::int64_t>(rows - shown)));
  else if (rows > many_rows && !options.to_see_fewer.empty())
    out += wrapped(fmt::format("{} rows. To see fewer: {}.", rows, options.to_see_fewer), prose, "", "");
  out += odds_ratios_text(summary, shown, options);
  out += fmt::format("\n{}\n", wrapped(sampler_line(summary), prose, "", ""));
  return means_nothing ? out : out + warnings_text(summary, options.style);
}

}  // namespace darboux
