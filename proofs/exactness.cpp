#include "exactness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "family.hpp"
#include "provenance.hpp"
#include "verdict.hpp"

namespace darboux::proofs {

namespace {

using namespace experiments;

constexpr int transitions = 4;

std::string key_of(const KnownLaw& law, const Family& family, int round) {
  return fmt::format("exactness/{}/{}/{}", law.name, family.key(), round);
}

/// What pilot runs find is the same in all rounds.
Coarseness coarseness_of(const KnownLaw& law, const Family& family, std::uint64_t seed) {
  static std::mutex mutex;
  static std::map<std::uint64_t, Coarseness> known;
  const std::uint64_t place = seed_of(seed, fmt::format("{}/{}/pilot", law.name, family.key()));
  {
    const std::scoped_lock lock(mutex);
    if (const auto at = known.find(place); at != known.end()) return at->second;
  }
  const Coarseness found = coarse_for(family.members.front(), law, place);
  const std::scoped_lock lock(mutex);
  return known[place] = found;
}

Tables compute(const KnownLaw& law, const Family& family, const Scale& scale, int round,
               const std::atomic<bool>& stop) {
  const Coarseness coarse = coarseness_of(law, family, scale.seed);
  const std::string words = fmt::format("{}/{}", law.name, family.key());
  Tables tables;
  for (std::size_t m = 0; m < family.members.size() && !stop; ++m) {
    const Method method = coarse.of(family.members[m]);
    const Outcome outcome =
        outcome_of(method, law,
                   {.blocks = scale.blocks,
                    .transitions = transitions,
                    .seed = seed_of(scale.seed, fmt::format("{}/{}/{}", words, method.label, round))});
    append_row(tables["members"], {{"member", m},
                                   {"chains", outcome.chains},
                                   {"rejected", outcome.rejected},
                                   {"step_size", method.integrator.step_size}});
    for (std::size_t k = 0; k < outcome.tallies.size(); ++k)
      append_row(tables["sums"], {{"member", m}, {"quantity", k}, {"sum", outcome.tallies[k].sum}});
  }
  return tables;
}

Cell cell_of(const std::shared_ptr<const KnownLaw>& law, const std::shared_ptr<const Family>& family,
             const Scale& scale, int round) {
  return {.key = key_of(*law, *family, round),
          .settings = {{"program", checksum_of_program()},
                       {"seed", scale.seed},
                       {"blocks", scale.blocks},
                       {"transitions", transitions}},
          .cost = 1.0,
          .compute = [=](const std::atomic<bool>& stop) { return compute(*law, *family, scale, round, stop); }};
}

/// The worst of several tests.
struct Worst {
  double z = 0.0;
  std::string where;
  void see(double other, const std::string& place) {
    if (std::abs(other) > std::abs(z)) z = other, where = place;
  }
};

/// One of the tests, for Holm's correction.
struct Test {
  std::string law, integrator, structure, what;
  bool exact;
  double draws, z;
};

/// What all rounds have of one family.
std::vector<Outcome> joined(const std::shared_ptr<const KnownLaw>& law, const std::shared_ptr<const Family>& family,
                            const Scale& scale, const std::filesystem::path& folder, double& step_size) {
  std::vector<Outcome> all(family->members.size());
  for (int round = 0; round < scale.rounds; ++round) {
    const auto tables = kept_tables(cell_of(law, family, scale, round), folder);
    if (!tables) continue;
    const Table &members = tables->at("members"), &sums = tables->at("sums");
    std::size_t row = 0;
    for (std::size_t m = 0; m < all.size(); ++m) {
      const Method& method = family->members[m];
      Outcome outcome{.quantities = law->quantities};
      const auto more = quantities_of_motion(*law, method.integrator.motion, method.kernel.direction);
      outcome.quantities.insert(outcome.quantities.end(), more.begin(), more.end());
      outcome.chains = static_cast<std::int64_t>(numbers(members, "chains")[m]);
      outcome.rejected = numbers(members, "rejected")[m];
      for (std::size_t k = 0; k < outcome.quantities.size(); ++k)
        outcome.tallies.push_back({outcome.chains, numbers(sums, "sum")[row++]});
      all[m].add(outcome);
    }
    step_size = numbers(members, "step_size").front();
  }
  return all;
}

/// By quantity, over methods. Squares of momenta vary less in microcanonical motion than in the other: the variance is the mean
/// over draws.
using Pool = std::map<std::string, std::pair<Quantity, Tally>>;
void pour(Pool& pool, const Outcome& outcome) {
  for (std::size_t k = 0; k < outcome.tallies.size(); ++k) {
    const Quantity& more = outcome.quantities[k];
    auto& [quantity, tally] = pool.try_emplace(more.label(), more, Tally{}).first->second;
    const auto before = static_cast<double>(tally.count);
    tally.add(outcome.tallies[k]);
    quantity.variance += (more.variance - quantity.variance) * (1.0 - before / static_cast<double>(tally.count));
  }
}

class Reduction {
 public:
  void add(const KnownLaw& law, const Family& family, const std::vector<Outcome>& outcomes, double step_size) {
    Worst worst;
    double draws = 0.0, tests = 0.0, least = 1.0, most = 0.0;
    for (std::size_t m = 0; m < outcomes.size(); ++m) {
      const Outcome& outcome = outcomes[m];
      pour(pooled_[{law.name, family.integrator, family.structure, family.exact}], outcome);
      if (family.exact) pour(laws_[law.name], outcome);
      for (std::size_t k = 0; k < outcome.tallies.size(); ++k) {
        const double z = outcome.tallies[k].z(outcome.quantities[k]);
        const std::string what =
            fmt::format("{}, {}: {}", family.rule, family.members[m].label, outcome.quantities[k].label());
        worst.see(z, what);
        tests_.push_back({law.name, family.integrator, family.structure, what, family.exact,
                          static_cast<double>(outcome.chains), z});
      }
      draws += static_cast<double>(outcome.chains);
      tests += static_cast<double>(outcome.tallies.size());
      least = std::min(least, outcome.rejected);
      most = std::max(most, outcome.rejected);
    }
    append_row(tables_["families"], {{"law", law.name},
                                     {"integrator", family.integrator},
                                     {"structure", family.structure},
                                     {"rule", family.rule},
                                     {"exact", family.exact ? 1 : 0},
                                     {"methods", outcomes.size()},
                                     {"draws", draws},
                                     {"step_size", step_size},
                                     {"least_rejected", least},
                                     {"most_rejected", most},
                                     {"tests", tests},
                                     {"worst_z", worst.z},
                                     {"worst", worst.where}});
  }

  Tables finish() {
    for (const auto& [place, pool] : pooled_) pooled(place, pool);
    for (const auto& [law, pool] : laws_)
      for (const auto& [label, of] : pool) {
        const double z = of.second.z(of.first), draws = static_cast<double>(of.second.count);
        append_row(tables_["laws"], {{"law", law}, {"quantity", label}, {"draws", draws}, {"z", z}});
        tests_.push_back({law, "all exact", "", "all: " + label, true, draws, z});
      }
    correct();
    return std::move(tables_);
  }

 private:
  using Place = std::tuple<std::string, std::string, std::string, bool>;

  void pooled(const Place& place, const Pool& pool) {
    const auto& [law, integrator, structure, exact] = place;
    Worst worst;
    double draws = 0.0;
    for (const auto& [label, of] : pool) {
      const double z = of.second.z(of.first);
      worst.see(z, label);
      draws = std::max(draws, static_cast<double>(of.second.count));
      tests_.push_back(
          {law, integrator, structure, "pooled: " + label, exact, static_cast<double>(of.second.count), z});
    }
    append_row(tables_["pooled"], {{"law", law},
                                   {"integrator", integrator},
                                   {"structure", structure},
                                   {"exact", exact ? 1 : 0},
                                   {"draws", draws},
                                   {"tests", pool.size()},
                                   {"worst_z", worst.z},
                                   {"worst", worst.where}});
  }

  void correct() {
    std::vector<double> p;
    for (const Test& test : tests_) p.push_back(p_value(test.z));
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      const Test& t = tests_[i];
      if (adjusted[i] > false_alarm) continue;
      append_row(tables_["rejected"], {{"law", t.law},
                                       {"integrator", t.integrator},
                                       {"structure", t.structure},
                                       {"exact", t.exact ? 1 : 0},
                                       {"what", t.what},
                                       {"draws", t.draws},
                                       {"z", t.z},
                                       {"p", adjusted[i]}});
    }
  }

  Tables tables_;
  std::map<Place, Pool> pooled_;
  std::map<std::string, Pool> laws_;
  std::vector<Test> tests_;
};

/// Laws and their families, family by family: a run that is ended early has seen something of every law.
template <class Visit>
void for_each_family(const Visit& visit) {
  std::vector<std::pair<std::shared_ptr<const KnownLaw>, std::vector<Family>>> all;
  std::size_t most = 0;
  for (KnownLaw& law : known_laws()) {
    std::vector<Family> of_law = families(law);
    most = std::max(most, of_law.size());
    all.emplace_back(std::make_shared<const KnownLaw>(std::move(law)), std::move(of_law));
  }
  for (std::size_t f = 0; f < most; ++f)
    for (const auto& [law, of_law] : all)
      if (f < of_law.size()) visit(law, std::make_shared<const Family>(of_law[f]));
}

}  // namespace

std::vector<Cell> exactness_cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (int round = 0; round < scale.rounds; ++round)
    for_each_family([&](const auto& law, const auto& family) {
      if (family->exact || round < scale.approximate_rounds()) cells.push_back(cell_of(law, family, scale, round));
    });
  return cells;
}

Tables reduce_exactness(const Scale& scale, const std::filesystem::path& folder) {
  Reduction reduction;
  for_each_family([&](const auto& law, const auto& family) {
    double step_size = 0.0;
    const std::vector<Outcome> outcomes = joined(law, family, scale, folder, step_size);
    if (outcomes.front().chains > 0) reduction.add(*law, *family, outcomes, step_size);
  });
  return reduction.finish();
}

}  // namespace darboux::proofs
