#include "warm_up_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "provenance.hpp"
#include "short_run.hpp"
#include "verdict.hpp"

namespace darboux::proofs {

namespace {

using namespace experiments;

/// Sums of what runs are independent in: means over the chains of a run at its first and last draw, and over all of its draws.
/// Chains of one run share what warm-up finds; how much runs vary is taken from the runs.
struct Sums {
  double sum = 0.0, squares = 0.0;
  void add(double x) { sum += x, squares += x * x; }
  void add(const Sums& more) { sum += more.sum, squares += more.squares; }
  [[nodiscard]] double mean(double runs) const { return sum / runs; }
  [[nodiscard]] double deviation(double runs) const {
    return std::sqrt(std::max(0.0, squares / runs - mean(runs) * mean(runs)));
  }
};

constexpr std::array<const char*, 3> draws_seen{"first", "last", "mean of all"};

Tables compute(const KnownLaw& law, const Way& way, const Scale& scale, int round, const std::atomic<bool>& stop) {
  const std::size_t quantities = law.quantities.size();
  std::array<std::vector<Sums>, 3> sums;
  for (auto& each : sums) each.resize(quantities);
  const std::string words = fmt::format("trace/{}/{}", law.name, way.name);
  std::optional<Tuning> tuning;
  if (way.uses_tuning) tuning = earlier_tuning(law, way, seed_of(scale.seed, words));
  Sums draws;
  int seen = 0, late = 0;
  for (int r = 0; r < scale.short_runs && !stop; ++r) {
    const ShortRun run =
        short_run(law, way, tuning, seed_of(scale.seed, fmt::format("{}/{}/{}", words, round, r)) >> 1U);
    ++seen;
    late += run.clock_was_first ? 1 : 0;
    draws.add(run.draws);
    for (std::size_t k = 0; k < quantities; ++k) {
      double first = 0.0, last = 0.0;
      for (std::size_t c = 0; c < run.first.size(); ++c) {
        first += law.quantities[k]({.q = run.first[c], .p = {}}) / static_cast<double>(run.first.size());
        last += law.quantities[k]({.q = run.last[c], .p = {}}) / static_cast<double>(run.last.size());
      }
      sums[0][k].add(first - law.quantities[k].mean);
      sums[1][k].add(last - law.quantities[k].mean);
      sums[2][k].add(run.means[k] - law.quantities[k].mean);
    }
  }
  Tables tables;
  append_row(tables["runs"], {{"runs", seen}, {"late", late}, {"draws", draws.sum}, {"squared_draws", draws.squares}});
  for (const auto& of_draw : sums)
    for (const Sums& each : of_draw) append_row(tables["sums"], {{"sum", each.sum}, {"squares", each.squares}});
  return tables;
}

Cell cell_of(const std::shared_ptr<const KnownLaw>& law, const std::shared_ptr<const Way>& way, const Scale& scale,
             int round) {
  std::string key;
  for (const char c : way->name) key += c == ' ' || c == '.' ? '-' : c;
  return {.key = fmt::format("warm-up/{}/{}/{}", law->name, key, round),
          .settings = {{"program", checksum_of_program()}, {"seed", scale.seed}, {"runs", scale.short_runs}},
          .cost = 1.0,
          .compute = [=](const std::atomic<bool>& stop) { return compute(*law, *way, scale, round, stop); }};
}

template <class Visit>
void for_each_way(const Visit& visit) {
  std::vector<std::shared_ptr<const KnownLaw>> laws;
  for (KnownLaw& law : known_laws()) laws.push_back(std::make_shared<const KnownLaw>(std::move(law)));
  for (const Way& way : ways_to_run())
    for (const auto& law : laws)
      if (way.laws.empty() || fmt::format(" {} ", way.laws).find(fmt::format(" {} ", law->name)) != std::string::npos)
        visit(law, std::make_shared<const Way>(way));
}

struct Test {
  std::string law, way, draw, quantity;
  double runs, z, bias;
};

void judge(const std::vector<Test>& tests, Tables& tables) {
  std::vector<double> p;
  for (const Test& test : tests) p.push_back(p_value(test.z));
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < tests.size(); ++i)
    if (const Test& t = tests[i]; adjusted[i] <= false_alarm)
      append_row(tables["rejected"], {{"law", t.law},
                                      {"way", t.way},
                                      {"draw", t.draw},
                                      {"quantity", t.quantity},
                                      {"runs", t.runs},
                                      {"z", t.z},
                                      {"bias", t.bias},
                                      {"p", adjusted[i]}});
}

}  // namespace

std::vector<std::pair<std::string, std::string>> traced_rows() {
  std::vector<std::pair<std::string, std::string>> rows;
  for_each_way([&](const auto& law, const auto& way) { rows.emplace_back(way->name, law->name); });
  return rows;
}

std::vector<Cell> trace_cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (int round = 0; round < scale.trace_rounds(); ++round)
    for_each_way([&](const auto& law, const auto& way) { cells.push_back(cell_of(law, way, scale, round)); });
  return cells;
}

namespace {

/// What is kept of a law and a way to run, over all rounds.
struct Kept {
  double runs = 0.0, late = 0.0;
  Sums draws;              ///< of a chain
  std::vector<Sums> sums;  ///< of the first draw, the last one and the mean, each of all quantities
};

Kept kept_of(const std::shared_ptr<const KnownLaw>& law, const std::shared_ptr<const Way>& way, const Scale& scale,
             const std::filesystem::path& folder) {
  Kept all{.draws = {}, .sums = std::vector<Sums>(draws_seen.size() * law->quantities.size())};
  for (int round = 0; round < scale.trace_rounds(); ++round) {
    const auto kept = kept_tables(cell_of(law, way, scale, round), folder);
    if (!kept) continue;
    const Table &runs = kept->at("runs"), &sums = kept->at("sums");
    all.runs += numbers(runs, "runs").front();
    all.late += numbers(runs, "late").front();
    all.draws.add({numbers(runs, "draws").front(), numbers(runs, "squared_draws").front()});
    for (std::size_t i = 0; i < all.sums.size(); ++i)
      all.sums[i].add({numbers(sums, "sum")[i], numbers(sums, "squares")[i]});
  }
  return all;
}

/// How far a draw may be from the law, in the units of a quantity whose standard deviation is `unit`.
double bound_of(const Way& way, std::size_t draw, const Kept& kept, double deviation, double unit) {
  const bool is_mean = draw + 1 == draws_seen.size();
  const double adapted = way.uses_tuning ? 0.0 : unit * nearly;
  if (!ends_by_itself(way) || !is_mean) return adapted;
  return adapted + mean_bias_bound(deviation, kept.draws.deviation(kept.runs), kept.draws.mean(kept.runs));
}

/// A row for the draw, and its tests.
void reduce_draw(const KnownLaw& law, const Way& way, const Kept& kept, std::size_t draw, Tables& tables,
                 std::vector<Test>& tests) {
  Finding worst;
  std::string where;
  for (std::size_t k = 0; k < law.quantities.size(); ++k) {
    const Sums& s = kept.sums[draw * law.quantities.size() + k];
    const double unit = std::sqrt(law.quantities[k].variance), deviation = s.deviation(kept.runs);
    const Finding found{.bias = s.mean(kept.runs) / unit,
                        .error = deviation / std::sqrt(kept.runs) / unit,
                        .bound = bound_of(way, draw, kept, deviation, unit) / unit};
    const std::string label = law.quantities[k].label();
    tests.push_back({law.name, way.name, draws_seen[draw], label, kept.runs, found.z_beyond(), found.bias});
    if (where.empty() || std::abs(found.z()) > std::abs(worst.z())) worst = found, where = label;
  }
  append_row(tables["traces"], {{"law", law.name},
                                {"way", way.name},
                                {"draw", draws_seen[draw]},
                                {"runs", kept.runs},
                                {"late", kept.late},
                                {"draws", kept.draws.mean(kept.runs)},
                                {"tests", law.quantities.size()},
                                {"worst_z", worst.z()},
                                {"bias", worst.bias},
                                {"error", worst.error},
                                {"bound", worst.bound},
                                {"worst", where}});
}

}  // namespace

double Finding::z_beyond() const { return std::copysign(std::max(0.0, std::abs(bias) - bound), bias) / error; }

double mean_bias_bound(double deviation_of_mean, double deviation_of_n, double mean_of_n) {
  return deviation_of_mean * deviation_of_n / mean_of_n;
}

Tables reduce_traces(const Scale& scale, const std::filesystem::path& folder) {
  Tables tables;
  std::vector<Test> tests;
  for_each_way([&](const auto& law, const auto& way) {
    const Kept kept = kept_of(law, way, scale, folder);
    if (kept.runs == 0.0) return;
    for (std::size_t draw = 0; draw < draws_seen.size(); ++draw) reduce_draw(*law, *way, kept, draw, tables, tests);
  });
  judge(tests, tables);
  return tables;
}

}  // namespace darboux::proofs
