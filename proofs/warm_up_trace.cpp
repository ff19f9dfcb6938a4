#include "warm_up_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/version.hpp>

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
};

constexpr std::array<const char*, 3> draws_seen{"first", "last", "mean of all"};

Tables compute(const KnownLaw& law, const Way& way, const Scale& scale, int round, const std::atomic<bool>& stop) {
  const std::size_t quantities = law.quantities.size();
  std::array<std::vector<Sums>, 3> sums;
  for (auto& each : sums) each.resize(quantities);
  const std::string words = fmt::format("trace/{}/{}", law.name, way.name);
  std::optional<Tuning> tuning;
  if (way.uses_tuning) tuning = earlier_tuning(law, way, seed_of(scale.seed, words));
  double draws = 0.0;
  int seen = 0;
  for (int r = 0; r < scale.short_runs && !stop; ++r) {
    const ShortRun run =
        short_run(law, way, tuning, seed_of(scale.seed, fmt::format("{}/{}/{}", words, round, r)) >> 1U);
    if (run.draws == 0.0) continue;  // the clock was faster
    ++seen;
    draws += run.draws;
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
  append_row(tables["runs"], {{"runs", seen}, {"draws", draws}});
  for (const auto& of_draw : sums)
    for (const Sums& each : of_draw) append_row(tables["sums"], {{"sum", each.sum}, {"squares", each.squares}});
  return tables;
}

Cell cell_of(const std::shared_ptr<const KnownLaw>& law, const std::shared_ptr<const Way>& way, const Scale& scale,
             int round) {
  std::string key;
  for (const char c : way->name) key += c == ' ' || c == '.' ? '-' : c;
  return {.key = fmt::format("warm-up/{}/{}/{}", law->name, key, round),
          .settings = {{"version", std::string(version())}, {"seed", scale.seed}, {"runs", scale.short_runs}},
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

std::vector<Cell> trace_cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (int round = 0; round < scale.trace_rounds(); ++round)
    for_each_way([&](const auto& law, const auto& way) { cells.push_back(cell_of(law, way, scale, round)); });
  return cells;
}

Tables reduce_traces(const Scale& scale, const std::filesystem::path& folder) {
  Tables tables;
  std::vector<Test> tests;
  for_each_way([&](const auto& law, const auto& way) {
    const std::size_t quantities = law->quantities.size();
    std::vector<Sums> sums(3 * quantities);
    double runs = 0.0, draws = 0.0;
    for (int round = 0; round < scale.trace_rounds(); ++round) {
      const auto kept = kept_tables(cell_of(law, way, scale, round), folder);
      if (!kept) continue;
      runs += numbers(kept->at("runs"), "runs").front();
      draws += numbers(kept->at("runs"), "draws").front();
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].sum += numbers(kept->at("sums"), "sum")[i];
        sums[i].squares += numbers(kept->at("sums"), "squares")[i];
      }
    }
    if (runs == 0.0) return;
    for (std::size_t d = 0; d < draws_seen.size(); ++d) {
      double worst = 0.0, worst_bias = 0.0;
      std::string where;
      for (std::size_t k = 0; k < quantities; ++k) {
        const Sums& s = sums[d * quantities + k];
        const double mean = s.sum / runs;
        const double z = mean / std::sqrt((s.squares / runs - mean * mean) / runs);
        const double bias = mean / std::sqrt(law->quantities[k].variance);
        tests.push_back({law->name, way->name, draws_seen[d], law->quantities[k].label(), runs, z, bias});
        if (std::abs(z) > std::abs(worst)) worst = z, worst_bias = bias, where = law->quantities[k].label();
      }
      append_row(tables["traces"], {{"law", law->name},
                                    {"way", way->name},
                                    {"draw", draws_seen[d]},
                                    {"runs", runs},
                                    {"draws", draws / runs},
                                    {"tests", quantities},
                                    {"worst_z", worst},
                                    {"bias", worst_bias},
                                    {"worst", where}});
    }
  });
  judge(tests, tables);
  return tables;
}

}  // namespace darboux::proofs
