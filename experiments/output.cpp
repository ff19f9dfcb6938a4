#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/version.hpp>
#include <nlohmann/json.hpp>

#include "io/file.hpp"

namespace darboux::experiments {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string figure_id(const ReportSection& section, std::size_t number) {
  return section.figures.size() == 1 ? section.id : fmt::format("{}-{}", section.id, number + 1);
}

Json row_of(const Table& table, std::size_t i) {
  Json row = Json::object();
  for (const DataColumn& column : table)
    std::visit([&](const auto& values) { row[column.name] = values[i]; }, column.values);
  return row;
}

/// Text that Markdown would take for markup is none.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

/// With its caption above it.
std::string markdown_table(const ReportTable& table) {
  std::string head = "|", rule = "|", body;
  for (const ReportColumn& column : table.columns) {
    head += fmt::format(" {} |", escaped(column.title));
    rule += column.is_number ? "--:|" : "---|";
  }
  for (const auto& row : table.rows) {
    body += '|';
    for (const TableCell& cell : row) body += fmt::format(" {} |", escaped(cell.text));
    body += '\n';
  }
  const std::string caption = table.caption.empty() ? "" : escaped(table.caption) + ":\n\n";
  return fmt::format("{}{}\n{}\n{}\n", caption, head, rule, body);
}

/// What became of the claims; of quick runs only what was seen, since small runs decide nothing.
ReportSection claims_section(const std::vector<Result>& results, bool quick) {
  ReportTable table{.columns = {{.title = "claim", .is_number = false}}, .prose = true};
  if (!quick) table.columns.push_back({.title = "verdict", .is_number = false});
  table.columns.push_back({.title = quick ? "what was seen" : "what says so", .is_number = false, .dispensable = 1});
  table.columns.push_back({.title = "where in the paper", .is_number = false, .dispensable = 1});
  std::array<int, 3> counts{};
  for (const Result& result : results)
    for (const Claim& claim : result.findings.claims) {
      ++counts.at(static_cast<std::size_t>(claim.verdict));
      std::vector<TableCell> row{claim.statement};
      if (!quick) {
        row.emplace_back(std::string(name(claim.verdict)));
        row.back().alarming = claim.verdict == Verdict::not_confirmed;
      }
      row.emplace_back(claim.brief.empty() ? claim.evidence : claim.brief);
      row.emplace_back(claim.where);
      table.rows.push_back(std::move(row));
    }
  ReportSection section{.id = "claims", .name = "Claims", .title = "", .lead = true, .table = std::move(table)};
  if (quick) {
    section.title = "What small runs show of the paper's claims: no verdicts";
    section.text = {
        "These runs are small, to see that all works: too small to confirm anything, or not. "
        "Without --quick the same command gives verdicts."};
    return section;
  }
  section.title = fmt::format("Of the paper's claims {} are confirmed, {} are not, {} cannot be tested", counts[0],
                              counts[1], counts[2]);
  section.text = {
      "Ratios are of geometric means over runs. A claim that methods are better counts as confirmed if each of them "
      "is, "
      "in the median over all cases, and with a 95 % interval over runs on more than half of the cases. Not confirmed "
      "means that these runs do not show it: some show the opposite, some cannot tell. In the paper's two experiments "
      "every run has a random structure of its own: intervals over runs are also over structures. Of seconds 5 % are "
      "left for the error of timing, which runs may share."};
  return section;
}

/// "Confirmed. Over canonical …".
std::string in_words(const ReportContrast& contrast) {
  if (contrast.verdict.empty()) return contrast.here;
  std::string text = contrast.verdict + ". " + contrast.here;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

ReportTable table_of(const std::vector<ReportContrast>& contrasts) {
  ReportTable table{.columns = {{.title = "the paper", .is_number = false}, {.title = "here", .is_number = false}}};
  for (const ReportContrast& contrast : contrasts) table.rows.push_back({contrast.paper, in_words(contrast)});
  return table;
}

/// Of the legend: as many as the longest label leaves room for.
int legend_columns(const Json& spec, const Table& data, int width) {
  const std::string of_layer = spec.value("/layer/0/encoding/color/field"_json_pointer, std::string());
  const std::string field = spec.value("/encoding/color/field"_json_pointer, of_layer);
  std::size_t longest = 0;
  for (const DataColumn& column : data)
    if (column.name == field)
      if (const auto* labels = std::get_if<std::vector<std::string>>(&column.values))
        for (const std::string& label : *labels) longest = std::max(longest, label.size());
  return std::max(1, width / (30 + 6 * static_cast<int>(longest)));
}

}  // namespace

std::string vega_lite(const Figure& figure) {
  const Json drawn = Json::parse(figure.spec);
  const int width = figure.square ? figure.height : figure.wide ? 1160 : 860;
  const Json legend{{"orient", "bottom"},
                    {"columns", legend_columns(drawn, figure.data, width)},
                    {"labelLimit", width},
                    {"symbolType", "square"},
                    {"title", nullptr}};
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
            {"title", {{"text", figure.title}, {"anchor", "start"}}},
            {"width", width},
            {"height", figure.height},
            {"background", "white"},
            {"config",
             {{"legend", legend}, {"axis", {{"titleFontWeight", "normal"}}}, {"title", {{"fontWeight", "normal"}}}}},
            {"data", {{"values", Json::array()}}}};
  for (std::size_t i = 0; i < row_count(figure.data); ++i) spec["data"]["values"].push_back(row_of(figure.data, i));
  spec.update(drawn);
  return spec.dump() + "\n";
}

void write_result(const Result& result, const fs::path& folder, bool quick) {
  fs::create_directories(folder / "figures");
  Json claims = Json::array();
  for (const Claim& claim : result.findings.claims) {
    Json entry{{"claim", claim.statement}, {"where", claim.where}};
    if (!quick) entry["verdict"] = name(claim.verdict);
    entry["evidence"] = quick && !claim.brief.empty() ? claim.brief : claim.evidence;
    claims.push_back(std::move(entry));
  }
  write_text(folder / (result.name + ".json"), Json{{"schema", "darboux-experiment/1"},
                                                    {"experiment", result.name},
                                                    {"claims", claims},
                                                    {"tables", to_json(result.tables)}}
                                                       .dump() +
                                                   "\n");
  for (const auto& [name, table] : result.tables)
    write_text(folder / fmt::format("{}-{}.csv", result.name, name), to_csv(table));
  for (const ReportSection& section : result.findings.sections)
    for (std::size_t i = 0; i < section.figures.size(); ++i)
      write_text(folder / "figures" / (figure_id(section, i) + ".vl.json"), vega_lite(section.figures[i]));
}

Tables read_tables(const fs::path& json) {
  try {
    return tables_from_json(Json::parse(read_text(json)).at("tables"));
  } catch (const Json::exception& e) {
    throw InputError(fmt::format("{}: this is no result of darboux reproduce: {}", json.string(), e.what()));
  }
}

Report reproduction_report(const std::vector<Result>& results, const ReproductionFacts& facts) {
  Report report{.title = "Non-canonical Hamiltonian Monte Carlo: the paper's experiments again",
                .facts = {"Brofos and Lederman, Non-Canonical Hamiltonian Monte Carlo",
                          fmt::format("{} runs of each method, seed {}", facts.runs, facts.seed)}};
  if (facts.quick) report.facts.emplace_back("quick: small runs, to see that all works. Not to be cited");
  ReportSection claims = claims_section(results, facts.quick);
  if (!claims.table->rows.empty()) report.sections.push_back(std::move(claims));
  for (const Result& result : results)
    for (ReportSection section : result.findings.sections) {
      section.part = result.title;
      if (facts.quick)
        for (ReportContrast& contrast : section.contrasts) {
          contrast.verdict.clear();
          if (!contrast.brief.empty()) contrast.here = contrast.brief;
        }
      report.sections.push_back(std::move(section));
    }
  report.sections.push_back({.id = "again",
                             .name = "Run it again",
                             .title = "The same numbers again, seconds excepted",
                             .code = facts.command});
  return report;
}

std::string to_markdown(const Report& report, const std::string& figures) {
  std::string text = fmt::format("# {}\n\n", report.title);
  for (const std::string& fact : report.facts) text += fmt::format("- {}\n", fact);
  std::string part;
  for (const ReportSection& section : report.sections) {
    if (section.part != part && !section.part.empty()) text += fmt::format("\n## {}\n", section.part);
    part = section.part;
    text += fmt::format("\n{} {}\n\n", part.empty() ? "##" : "###", section.title);
    for (const std::string& paragraph : section.text) text += escaped(paragraph) + "\n\n";
    if (!section.contrasts.empty()) text += markdown_table(table_of(section.contrasts)) + "\n";
    for (const ReportTable& table : section.numbers) text += markdown_table(table) + "\n";
    if (section.table) text += markdown_table(*section.table) + "\n";
    for (std::size_t i = 0; i < section.figures.size(); ++i) {
      const Figure& figure = section.figures[i];
      text += fmt::format("![{}]({}/{}.svg)\n\n", escaped(figure.title), figures, figure_id(section, i));
      if (!figure.caption.empty()) text += escaped(figure.caption) + "\n\n";
    }
    if (!section.code.empty()) text += fmt::format("```sh\n{}\n```\n", section.code);
  }
  return text;
}

}  // namespace darboux::experiments
