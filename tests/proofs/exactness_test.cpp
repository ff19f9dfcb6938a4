#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <proofs/exactness.hpp>
#include <proofs/family.hpp>
#include <proofs/provenance.hpp>
#include <proofs/verdict.hpp>
#include <set>
#include <stdexcept>
#include <thread>

#include "draws/temporary_folder.hpp"
#include "io/checksum.hpp"

/// The short form of what ./dev prove runs for hours.
namespace darboux::proofs {
namespace {

using namespace experiments;

#ifdef DARBOUX_SANITIZED
constexpr int blocks = 4;  // sanitizers look at the code, not at the statistics
#else
constexpr int blocks = 400;
#endif

Family family(const KnownLaw& law, const std::string& key) {
  for (Family& each : families(law))
    if (each.key() == key) return each;
  throw std::invalid_argument(key);
}

/// The worst z of all members, each with its own random numbers.
double worst_z(const KnownLaw& law, const Family& of, int block_count = blocks) {
  const Coarseness coarse = coarse_for(of.members.front(), law, 1);
  double worst = 0.0;
  for (const Method& member : of.members) {
    const Method method = coarse.of(member);
    worst = std::max(
        worst,
        outcome_of(method, law, {.blocks = block_count, .transitions = 4, .seed = seed_of(7, of.key() + method.label)})
            .worst_z());
  }
  return worst;
}

struct Case {
  const char *law, *family;
};
class ExactFamily : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Some, ExactFamily,
                         ::testing::Values(Case{"banana", "leapfrog/canonical-step-sizes-vary"},
                                           Case{"wall", "split-midpoint/magnetic-position-steps-vary"},
                                           Case{"funnel", "microcanonical-two-stages/canonical-fixed"},
                                           Case{"mixture", "doubled/coupled-fixed"},
                                           Case{"flat", "midpoint/magnetic-momentum-nuts"},
                                           Case{"student-t", "magnetic-leapfrog-order-4/magnetic-position-nuts"},
                                           Case{"exponential-tails", "leapfrog-bent-coordinates/canonical-fixed"},
                                           Case{"regression", "leapfrog-three-stages-single-precision/canonical-fixed"},
                                           Case{"skewed-10", "leapfrog-low-rank-preconditioner/canonical-nuts"}),
                         [](const auto& test) {
                           std::string label = test.param.law;
                           for (char& c : label) c = c == '-' ? '_' : c;
                           return label;
                         });

TEST_P(ExactFamily, IsNotContradicted) {
  const KnownLaw law = known_law(GetParam().law);
  EXPECT_LT(worst_z(law, family(law, GetParam().family)), critical_z(9 * 9 * 20));
}

#ifndef DARBOUX_SANITIZED

TEST(Proof, SeesTheBiasOfAnApproximateMethod) {
  const KnownLaw law = known_law("skewed");
  EXPECT_GT(worst_z(law, family(law, "explicit/coupled-fixed")), 2.0 * critical_z(10'000));
}

#endif

TEST(Families, NameEveryIntegratorOnEveryStructureThatSuitsIt) {
  const KnownLaw law = known_law("skewed");
  std::map<IntegratorKind, std::set<std::string>> structures;
  for (const Family& each : families(law)) {
    structures[each.members.front().kind].insert(each.structure);
    for (const Method& m : each.members) {
      const Exactness claim = Integrator(m.kind, m.structure, m.integrator).traits().exactness;
      const bool exact =
          claim == Exactness::exact || (claim == Exactness::with_reverse_check && m.kernel.reverse_check_rate == 1.0);
      EXPECT_EQ(each.exact, exact) << each.key();
    }
  }
  for (const IntegratorKind kind : all_values<IntegratorKind>()) EXPECT_FALSE(structures[kind].empty()) << name(kind);
  for (const IntegratorKind kind : {IntegratorKind::midpoint, IntegratorKind::split_midpoint, IntegratorKind::doubled})
    EXPECT_EQ(structures[kind].size(), 4U) << name(kind);
}

/// Warm-up chooses stages, and bends coordinates, whatever the motion.
TEST(Families, NameWhatWarmUpPutsTogether) {
  std::set<std::pair<MotionKind, int>> bent, low_rank;
  for (const Family& each : families(known_law("skewed"))) {
    const Method& m = each.members.front();
    if (m.kind != IntegratorKind::leapfrog) continue;
    const std::pair of(m.integrator.motion, m.integrator.stages);
    if (!m.shapes.empty()) bent.insert(of);
    if (m.preconditioner.kind() == StructuredMatrix::Kind::low_rank) low_rank.insert(of);
  }
  using enum MotionKind;
  for (const int stages : {1, 2, 3}) EXPECT_TRUE(bent.contains({hamiltonian, stages})) << stages;
  EXPECT_TRUE(bent.contains({microcanonical, 1}));
  EXPECT_TRUE(low_rank.contains({hamiltonian, 1}));
  EXPECT_TRUE(low_rank.contains({microcanonical, 1}));
}

TEST(Families, HaveKeysOfTheirOwn) {
  for (const KnownLaw& law : known_laws()) {
    std::set<std::string> keys;
    const std::vector<Family> all = families(law);
    for (const Family& each : all) keys.insert(each.key());
    EXPECT_EQ(keys.size(), all.size()) << law.name;
  }
}

TEST(Scale, MakesTheDrawsThatEveryLawIsPromised) {
  const Scale scale;
  for (const KnownLaw& law : known_laws()) {
    double exact = 0.0;
    for (const Family& each : families(law)) exact += each.exact ? static_cast<double>(each.members.size()) : 0.0;
    EXPECT_GE(exact * scale.rounds * scale.blocks * chains_per_block, promised_draws) << law.name;
  }
}

TEST(Scale, MakesTheRunsAndReplicationsThatArePromised) {
  const Scale scale;
  EXPECT_EQ(scale.trace_rounds() * scale.short_runs, promised_runs);
  EXPECT_EQ(scale.rounds * scale.replications, promised_replications);
}

TEST(Scale, HasFewerRoundsOfWhatIsNotExact) {
  const std::vector<Cell> cells = exactness_cells({.rounds = 8});
  const auto rounds = [&](const std::string& family) {
    return std::ranges::count_if(cells, [&](const Cell& cell) { return cell.key.starts_with("exactness/" + family); });
  };
  EXPECT_EQ(rounds("wall/leapfrog/canonical-fixed/"), 8);
  EXPECT_EQ(rounds("wall/explicit/coupled-fixed/"), 2);
}

TEST(Steps, RejectBetweenATenthAndAHalf) {
  for (const char* name : {"skewed", "banana", "wall"}) {
    const KnownLaw law = known_law(name);
    for (const char* key : {"leapfrog/canonical-fixed", "doubled/coupled-fixed", "leapfrog/canonical-nuts"}) {
      const Method member = family(law, key).members.front();
      const Method method = coarse_for(member, law, 1).of(member);
      const double rejected = outcome_of(method, law, {.blocks = 100, .transitions = 4, .seed = 2}).rejected;
      EXPECT_GT(rejected, 0.1) << name << ' ' << key;
      EXPECT_LT(rejected, 0.5) << name << ' ' << key;
    }
  }
}

class KeptProof : public darboux::testing::WithFolder {};

TEST_F(KeptProof, GoesOnWithTheRoundsThatAreMissing) {
  const Scale one{.rounds = 1, .blocks = 2}, two{.rounds = 2, .blocks = 2};
  const auto of_one_law = [](std::vector<Cell> cells) {
    std::erase_if(cells, [](const Cell& cell) { return !cell.key.starts_with("exactness/wall/leapfrog/"); });
    return cells;
  };
  const auto draws = [&](const Scale& scale) {
    const Tables tables = reduce_exactness(scale, folder_);
    double sum = 0.0;
    for (const double each : numbers(tables.at("families"), "draws")) sum += each;
    return sum;
  };
  ASSERT_TRUE(run_cells(of_one_law(exactness_cells(one)), {.folder = folder_, .stop = nullptr, .on_progress = {}}));
  const double first = draws(one);
  EXPECT_EQ(first, (3 * 9 + 3) * 2 * 16);
  CellProgress last;
  ASSERT_TRUE(run_cells(of_one_law(exactness_cells(two)),
                        {.folder = folder_, .stop = nullptr, .on_progress = [&](const CellProgress& p) { last = p; }}));
  EXPECT_EQ(last.reused, 4U);
  EXPECT_EQ(draws(two), 2.0 * first);
}

/// Of leapfrog and microcanonical steps together: squares of momenta have the variance 2 in the first, ½ in the others.
TEST_F(KeptProof, PoolsDrawsOfDifferentVariances) {
  const Scale scale{.rounds = 1, .blocks = 2};
  const KnownLaw law = known_law("wall");
  double deviation = 0.0, variance = 0.0;
  for (const char* key : {"leapfrog/canonical-fixed", "microcanonical/canonical-fixed"}) {
    std::vector<Cell> cells = exactness_cells(scale);
    std::erase_if(cells, [&](const Cell& cell) { return cell.key != "exactness/wall/" + std::string(key) + "/0"; });
    const auto tables = run_cells(cells, {.folder = folder_, .stop = nullptr, .on_progress = {}});
    ASSERT_TRUE(tables);
    const std::vector<Method> members = family(law, key).members;
    for (std::size_t m = 0; m < members.size(); ++m) {
      auto quantities = law.quantities;
      const auto motion = quantities_of_motion(law, members[m].integrator.motion, members[m].kernel.direction);
      quantities.insert(quantities.end(), motion.begin(), motion.end());
      const std::vector<double> sums = numbers_where(tables->at("sums"), "sum", {{"member", m}});
      const double chains = numbers(tables->at("members"), "chains")[m];
      for (std::size_t k = 0; k < quantities.size(); ++k)
        if (quantities[k].label() == "p1²") {
          deviation += sums[k] - chains * quantities[k].mean;
          variance += chains * quantities[k].variance;
        }
    }
  }
  const Tables reduced = reduce_exactness(scale, folder_);
  EXPECT_NEAR(numbers_where(reduced.at("laws"), "z", {{"quantity", "p1²"}}).front(), deviation / std::sqrt(variance),
              1e-9);
}

/// What another build has drawn may be what this one was made to mend.
TEST_F(KeptProof, DoesNotGoOnWithDrawsOfAnotherProgram) {
  std::vector<Cell> cells = exactness_cells({.rounds = 1, .blocks = 1});
  std::erase_if(cells, [](const Cell& cell) { return cell.key != "exactness/wall/leapfrog/canonical-fixed/0"; });
  ASSERT_TRUE(run_cells(cells, {.folder = folder_, .stop = nullptr, .on_progress = {}}));
  ASSERT_TRUE(kept_tables(cells.front(), folder_));
  EXPECT_EQ(cells.front().settings.at("program"), checksum_of_program());
  cells.front().settings["program"] = "crc32 00000000";
  EXPECT_FALSE(kept_tables(cells.front(), folder_));
}

TEST(Provenance, NamesTheProgramThatRuns) {
  const Provenance here = provenance_here({.seed = 3});
  EXPECT_EQ(here.program, checksum_of_file(std::filesystem::canonical("/proc/self/exe")));
  EXPECT_FALSE(here.processor.empty());
  EXPECT_EQ(to_json(provenance_from_json(to_json(here))), to_json(here));
}

TEST(Provenance, CountsTheTimeOfTheThreadThatComputes) {
  const double begin = cpu_seconds();
  std::jthread([] {
    for (const double start = cpu_seconds(); cpu_seconds() - start < 0.05;) {
    }
  }).join();
  const double between = cpu_seconds();
  EXPECT_LT(between - begin, 0.04);
  while (cpu_seconds() - between < 0.01) {
  }
  EXPECT_GE(cpu_seconds() - begin, 0.01);
}

}  // namespace
}  // namespace darboux::proofs
