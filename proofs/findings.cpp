#include "findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "calibration.hpp"
#include "family.hpp"
#include "io/file.hpp"
#include "verdict.hpp"
#include "warm_up_trace.hpp"

namespace darboux::proofs {

namespace {

namespace fs = std::filesystem;
using namespace experiments;
using Json = nlohmann::ordered_json;

/// Each part of findings with the name of its file.
template <class Some, class Visit>
void for_each_part(Some& findings, const Visit& visit) {
  visit("exactness.json", findings.exactness);
  visit("warm-up.json", findings.traces);
  visit("calibration.json", findings.calibration);
}

using Row = std::pair<std::string, std::string>;

/// Of rows that the program makes, those that are not there, each told in words.
template <class Tell>
std::vector<std::string> absent_of(const std::vector<Row>& made, const std::set<Row>& there, const Tell& tell) {
  std::vector<std::string> absent;
  for (const auto& [one, other] : made)
    if (!there.contains({one, other})) absent.push_back(tell(one, other));
  return absent;
}

std::set<Row> rows_of(const Table& of, const char* one, const char* other) {
  std::set<Row> rows;
  for (std::size_t i = 0; i < row_count(of); ++i) rows.emplace(texts(of, one)[i], texts(of, other)[i]);
  return rows;
}

/// The row with the smallest number of a column, and where that is.
void see_poorest(Amount& amount, const Table& of, const char* column, const char* one, const char* other) {
  if (row_count(of) == 0) return;
  const auto& values = numbers(of, column);
  const auto at = static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
  amount.least = values[at];
  amount.poorest = fmt::format("{} on {}", texts(of, one)[at], texts(of, other)[at]);
}

std::string family_of(const std::string& integrator, const std::string& structure, const std::string& rule) {
  return fmt::format("{} ({}), {}", integrator, structure, rule);
}

/// What a part has less of than was kept.
void compare(const Amount& kept, const Amount& fresh, std::vector<std::string>& lost) {
  if (fresh.rows < kept.rows)
    lost.push_back(fmt::format("{} rows with {} instead of {}", fresh.rows, kept.what, kept.rows));
  if (fresh.least < kept.least)
    lost.push_back(
        fmt::format("{} {} of every {} instead of {}", count(fresh.least), kept.what, kept.each, count(kept.least)));
}

}  // namespace

Findings read_findings(const fs::path& folder) {
  Findings findings;
  if (!fs::exists(folder / "provenance.json")) return findings;
  for_each_part(findings, [&](const char* file, Tables& tables) {
    tables = tables_from_json(Json::parse(read_text(folder / file)));
  });
  findings.provenance = provenance_from_json(Json::parse(read_text(folder / "provenance.json")));
  return findings;
}

void write_findings(const Findings& findings, const fs::path& folder) {
  fs::create_directories(folder);
  for_each_part(findings, [&](const char* file, const Tables& tables) {
    write_text(folder / file, experiments::to_json(tables).dump() + "\n");
  });
  write_text(folder / "provenance.json", to_json(findings.provenance).dump(1) + "\n");
}

Amount amount_of_exactness(const Tables& exactness) {
  Amount amount{.each = "law", .what = "draws of exact methods", .promised = promised_draws};
  const Table& families = table(exactness, "families");
  amount.rows = row_count(families);
  std::set<Row> there;
  std::map<std::string, double> draws;
  for (std::size_t i = 0; i < amount.rows; ++i) {
    there.emplace(
        family_of(texts(families, "integrator")[i], texts(families, "structure")[i], texts(families, "rule")[i]),
        texts(families, "law")[i]);
    if (numbers(families, "exact")[i] == 1.0) draws[texts(families, "law")[i]] += numbers(families, "draws")[i];
  }
  std::vector<Row> made;
  for (const KnownLaw& law : known_laws()) {
    draws.try_emplace(law.name, 0.0);
    for (const Family& each : darboux::proofs::families(law))
      made.emplace_back(family_of(each.integrator, each.structure, each.rule), law.name);
  }
  std::tie(amount.poorest, amount.least) =
      *std::ranges::min_element(draws, {}, [](const auto& of) { return of.second; });
  std::map<std::string, std::vector<std::string>> laws;  // of absent families
  for (const Row& row : made)
    if (!there.contains(row)) laws[row.first].push_back(row.second);
  for (const auto& [family, list] : laws)
    amount.absent.push_back(fmt::format(
        "{}: {}", family, list.size() == draws.size() ? "every law" : fmt::to_string(fmt::join(list, ", "))));
  return amount;
}

Amount amount_of_traces(const Tables& traces) {
  Amount amount{.each = "row", .what = "runs", .promised = promised_runs};
  const Table& all = table(traces, "traces");
  const std::set<Row> there = rows_of(all, "way", "law");
  amount.rows = there.size();
  see_poorest(amount, all, "runs", "way", "law");
  amount.absent = absent_of(traced_rows(), there, [](const std::string& way, const std::string& law) {
    return fmt::format("`{}` on {}", way, law);
  });
  return amount;
}

Amount amount_of_calibration(const Tables& calibration) {
  Amount amount{.each = "row", .what = "replications", .promised = promised_replications};
  const Table& verdicts = table(calibration, "verdicts");
  const std::set<Row> there = rows_of(verdicts, "method", "model");
  amount.rows = there.size();
  see_poorest(amount, verdicts, "replications", "method", "model");
  amount.absent = absent_of(calibrated_rows(), there, [](const std::string& method, const std::string& model) {
    return fmt::format("{} on {}", method, model);
  });
  return amount;
}

std::vector<std::string> losses(const Findings& kept, const Findings& fresh) {
  std::vector<std::string> lost;
  compare(amount_of_exactness(kept.exactness), amount_of_exactness(fresh.exactness), lost);
  compare(amount_of_traces(kept.traces), amount_of_traces(fresh.traces), lost);
  compare(amount_of_calibration(kept.calibration), amount_of_calibration(fresh.calibration), lost);
  return lost;
}

std::size_t rejected_exact(const Tables& exactness) {
  const Table& rejected = table(exactness, "rejected");
  return row_count(rejected) == 0 ? 0 : static_cast<std::size_t>(std::ranges::count(numbers(rejected, "exact"), 1.0));
}

bool holds(const Findings& f) {
  const Table& verdicts = table(f.calibration, "verdicts");
  return rejected_exact(f.exactness) == 0 && row_count(table(f.traces, "rejected")) == 0 &&
         (row_count(verdicts) == 0 || *std::ranges::min_element(numbers(verdicts, "corrected_p")) > false_alarm);
}

const Table& table(const Tables& tables, const char* name) {
  static const Table none;
  const auto at = tables.find(name);
  return at == tables.end() ? none : at->second;
}

std::string count(double x) { return x <= 1e5 ? fmt::format("{:.0f}", x) : fmt::format("{:.2f} million", x / 1e6); }

}  // namespace darboux::proofs
