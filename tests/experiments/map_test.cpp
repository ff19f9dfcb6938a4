#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/structure/recipes.hpp>
#include <experiments/beyond.hpp>
#include <experiments/fixed_run.hpp>
#include <experiments/gaussian_chain.hpp>
#include <experiments/map_methods.hpp>
#include <experiments/targets.hpp>
#include <map>
#include <numbers>
#include <set>

#include "linalg/dense.hpp"
#include "model/gaussian.hpp"
#include "model/gradient_check.hpp"

namespace darboux::experiments {
namespace {

const Scale scale{.quick = true, .runs = 4, .seed = 1, .data = DARBOUX_SOURCE_FOLDER "/data"};

PoissonStructure with_blocks(const Matrix& E, const Matrix& G) {
  return PoissonStructure::from_blocks(E, Matrix::identity(E.rows()), G);
}

Matrix scaled_identity(Index n, double by) {
  Matrix m(n, n);
  for (Index i = 0; i < n; ++i) m(i, i) = by;
  return m;
}

GaussianChain random_chain(std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  const Index n = 2 + static_cast<Index>(seed % 3);
  const Matrix E = random_skew(n, SpectralStrength{3.0 * random.uniform()}, 2 * seed);
  const Matrix G = random_skew(n, SpectralStrength{3.0 * random.uniform()}, 2 * seed + 1);
  Matrix kept = random_skew(n, SpectralStrength{0.5 * random.uniform()}, 3 * seed);  // turns momenta as well
  for (Index i = 0; i < n; ++i) kept(i, i) = 0.8 * (random.uniform() - 0.5);
  return {with_blocks(E, G), kept, 4.0 * random.uniform()};
}

TEST(GaussianChain, NoStructureAndNoRefreshmentGiveMoreThanOneEffectiveSquarePerDraw) {
  double most = 0.0, most_of_values = 0.0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const GaussianChain chain = random_chain(seed);
    // What is added to M z is noise: it takes no variance away. N(0, I) is stationary then.
    ASSERT_LE(spectral_norm(transition(chain)), 1.0 + 1e-12) << seed;
    const EffectiveShares shares = effective_shares(chain);
    EXPECT_LE(shares.squares, 1.0) << seed;
    most = std::max(most, shares.squares);
    most_of_values = std::max(most_of_values, shares.values);
  }
  EXPECT_GT(most, 0.9);            // some come near, so that the bound is not won by chains that hardly move
  EXPECT_GT(most_of_values, 1.5);  // for values there is no such bound
}

TEST(GaussianChain, TheQuarterTurnAttainsOneAndNoOtherTimeDoes) {
  const auto squares = [](double time) {
    return effective_shares({PoissonStructure::canonical(3), Matrix(3, 3), time}).squares;
  };
  constexpr double quarter = 0.5 * std::numbers::pi;
  EXPECT_NEAR(squares(quarter), 1.0, 1e-12);
  for (const double other : {0.5, 1.0, 2.0, 3.0})
    // ρ_k = cosᵏ t: 1 + 2 Σ ρ_k² = (1 + cos² t)/(1 − cos² t).
    EXPECT_NEAR(squares(other), (1.0 - std::pow(std::cos(other), 2)) / (1.0 + std::pow(std::cos(other), 2)), 1e-10);
}

/// The sampler itself on such a structure: autocorrelations of q and of q² are (Mᵏ)_ii and their squares.
TEST(GaussianChain, IsWhatTheSamplerDoes) {
  constexpr double kept = 0.6, step = 0.05;
  constexpr int steps = 16, draws = 20000;
  constexpr Index chains = 8, n = 3;
  const auto structure =
      with_blocks(random_skew(n, SpectralStrength{0.9}, 1), random_skew(n, SpectralStrength{0.6}, 2));
  SamplerSettings settings =
      fixed_settings({.chains = chains, .draws = draws, .seed = 3, .step_size = step, .steps = steps}, structure);
  settings.integrator = IntegratorKind::split_midpoint;
  settings.first.momentum_kept = kept;
  OwnedBatch starts(n, chains);
  RandomStream random({.seed = 4, .purpose = Purpose::data});
  for (Index c = 0; c < chains; ++c)
    for (Index i = 0; i < n; ++i) starts(i, c) = random.normal();
  const std::atomic<bool> go_on{false};
  const FixedRun run = run_fixed(std::make_shared<const Gaussian>(Gaussian::standard(n)), settings, starts, go_on);
  const Matrix one = transition({structure, scaled_identity(n, kept), step * steps});
  const auto lagged = [&](std::size_t i, int lag, const auto& f) {
    double sum = 0.0;
    for (Index c = 0; c < chains; ++c) {
      const auto q = run.chain(i, c);
      for (std::size_t t = 0; t + static_cast<std::size_t>(lag) < q.size(); ++t)
        sum += f(q[t]) * f(q[t + static_cast<std::size_t>(lag)]);
    }
    return sum / static_cast<double>(chains * (draws - lag));
  };
  Matrix power = one;
  for (int lag = 1; lag <= 3; ++lag, power = power * one)
    for (std::size_t i = 0; i < n; ++i) {
      const double rho = power(static_cast<Index>(i), static_cast<Index>(i));
      // Five standard errors of 160000 draws, and what steps of 0.05 differ from the exact flow.
      EXPECT_NEAR(lagged(i, lag, [](double q) { return q; }), rho, 0.025) << i << ' ' << lag;
      EXPECT_NEAR(lagged(i, lag, [](double q) { return (q * q - 1.0) / std::numbers::sqrt2; }), rho * rho, 0.025)
          << i << ' ' << lag;
    }
}

TEST(MapMethods, HaveTheStructuresThatTheyName) {
  const auto methods = map_methods();
  EXPECT_EQ(methods.front().structure, nullptr);
  std::set<std::string_view> names;
  for (const MapMethod& method : methods) names.insert(method.name);
  EXPECT_EQ(names.size(), methods.size());
  const auto position = methods[1].structure(6, 1), momentum = methods[2].structure(6, 1),
             planes = methods[3].structure(6, 1);
  EXPECT_TRUE(position.E().is_zero());
  EXPECT_NEAR(spectral_norm(position.G().matrix()), MapGrid::strength, 1e-12);
  EXPECT_TRUE(momentum.G().is_zero());
  EXPECT_NEAR(spectral_norm(momentum.E().matrix()), MapGrid::strength, 1e-12);
  EXPECT_FALSE(momentum == methods[2].structure(6, 2));                          // every run has another
  EXPECT_NEAR(nuclear_norm(planes.E().matrix()), 4 * MapGrid::strength, 1e-12);  // of rank 4
  EXPECT_NEAR(nuclear_norm(methods[3].structure(3, 1).E().matrix()), 2 * MapGrid::strength, 1e-12);
}

TEST(MapPart, TriesEveryMethodOnEveryTarget) {
  std::set<std::string> targets, tried;
  std::vector<std::string> left_out;
  const auto cells = map_part(scale).cells;
  for (const Cell& cell : cells)
    if (cell.settings.contains("target")) {
      targets.insert(cell.settings.at("target"));
      tried.insert(cell.settings.at("target").get<std::string>() + "/" + cell.settings.at("method").get<std::string>());
    }
  EXPECT_GE(targets.size(), 14);
  for (const std::string& target : targets)
    for (const MapMethod& method : map_methods())
      if (!tried.contains(target + "/" + std::string(method.name))) left_out.push_back(target);
  EXPECT_EQ(left_out, std::vector<std::string>(3, "gaussian 1000"));  // with a block that is not zero
}

/// What a program that drew otherwise has left is not taken for what this one would find.
TEST(MapPart, ACellIsOfTheDrawsThatItsMethodMakes) {
  std::map<std::string, std::string> checksums;
  for (const Cell& cell : map_part(scale).cells) {
    if (!cell.settings.contains("method")) continue;
    const std::string draws = cell.settings.at("draws");
    EXPECT_EQ(draws.size(), 8U);
    EXPECT_EQ(checksums.try_emplace(cell.settings.at("method"), draws).first->second, draws);
  }
  std::set<std::string> different;
  for (const auto& [method, draws] : checksums) different.insert(draws);
  EXPECT_EQ(different.size(), map_methods().size());
}

TEST(MapPart, ACellMeasuresTheRunsOfOneMethodOnOneTarget) {
  const std::atomic<bool> go_on{false};
  const auto cells = map_part(scale).cells;
  const Tables tables = cells.front().compute(go_on);
  const Table& map = tables.at("map");
  EXPECT_EQ(levels(map, "target"), std::vector<std::string>{cells.front().settings.at("target")});
  EXPECT_EQ(levels(map, "method"), std::vector<std::string>{std::string(map_methods().front().name)});
  EXPECT_EQ(static_cast<int>(row_count(map)), cells.front().settings.at("runs").get<int>());
  for (std::size_t i = 0; i < row_count(map); ++i) {
    const double smaller = std::min(numbers(map, "min_bulk_ess")[i], numbers(map, "min_square_ess")[i]);
    EXPECT_GT(smaller, 0.0);
    EXPECT_NEAR(numbers(map, "ess_per_1000_gradients")[i] * numbers(map, "gradients_per_draw")[i],
                1000.0 * smaller / 400.0, 1e-6 * smaller);  // quick: 4 chains of 100 draws
  }
}

/// Every method as good as canonical but one, which is twice as good on one target and, not converged, on another.
Tables made_up_map(std::string_view better) {
  Tables tables;
  for (const char* target : {"plain", "good", "stuck", "large"})
    for (const MapMethod& method : map_methods()) {
      if (target == std::string_view("large") && method.structure != nullptr) continue;
      const bool is_better = method.name == better && target != std::string_view("plain");
      for (int run = 1; run <= 3; ++run)
        append_row(tables["map"], {{"target", target},
                                   {"method", method.name},
                                   {"run", run},
                                   {"ess_per_1000_gradients", (is_better ? 20.0 : 10.0) + run},
                                   {"converged", !(is_better && target == std::string_view("stuck") && run == 2)}});
    }
  for (const char* structure : {"canonical quarter turn", "random"})
    append_row(tables["theorem"],
               {{"structure", structure}, {"n", 2}, {"values_per_draw", 1.0}, {"squares_per_draw", 1.0}});
  return tables;
}

ReportSection section_for(std::string_view better) { return map_findings(made_up_map(better)).sections.at(0); }

TEST(MapFindings, CanonicalIsOneAndEveryMethodHasARatioOnEveryTarget) {
  const ReportSection section = section_for("two stages");
  ASSERT_EQ(section.figures.size(), 1);
  const Table& drawn = section.figures[0].data;
  EXPECT_EQ(levels(drawn, "target"), (std::vector<std::string>{"plain", "good", "stuck", "large"}));
  EXPECT_EQ(levels(drawn, "method").size(), map_methods().size());
  for (const char* column : {"low", "ratio", "high"})
    EXPECT_EQ(numbers_where(drawn, column, {{"method", map_methods().front().name}}), std::vector<double>(4, 1.0));
  EXPECT_NEAR(numbers_where(drawn, "ratio", {{"method", "two stages"}, {"target", "good"}}).front(),
              std::cbrt(21.0 / 11.0 * 22.0 / 12.0 * 23.0 / 13.0), 1e-12);
  const ReportTable& table = section.table.value();
  EXPECT_EQ(table.columns.size(), map_methods().size() + 1);
  ASSERT_EQ(table.rows.size(), 4);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(table.rows[3][2].text, "–");  // left out
}

TEST(MapFindings, PayingIsAnIntervalAboveOneOfRunsThatConverged) {
  const auto title = [](std::string_view better) { return section_for(better).title; };
  EXPECT_EQ(
      title("two stages"),
      "A constant structure pays in 0 of 9 cases; of 4 targets the others pay, two stages on 2; microcanonical, two "
      "stages on 0; marginal map, two stages on 0");
  EXPECT_TRUE(title(map_methods()[2].name).starts_with("A constant structure pays in 1 of 9 cases"));
}

/// What each method comes to is a table, no paragraph of numbers.
TEST(MapFindings, WhatEachMethodComesToIsATable) {
  const ReportSection section = section_for("two stages");
  ASSERT_EQ(section.numbers.size(), 1U);
  const auto texts = [&](std::size_t row) {
    std::vector<std::string> found;
    for (const TableCell& cell : section.numbers[0].rows.at(row)) found.push_back(cell.text);
    return found;
  };
  EXPECT_EQ(section.numbers[0].rows.size(), map_methods().size() - 1);
  EXPECT_EQ(texts(0), (std::vector<std::string>{std::string(map_methods()[1].name), "1.00", "0", "0", "0", "3"}));
  EXPECT_EQ(texts(3), (std::vector<std::string>{"two stages", "1.84", "2", "0", "1", "4"}));
  for (const std::string& paragraph : section.text)
    EXPECT_EQ(paragraph.find("pays on"), std::string::npos) << paragraph;
}

TEST(Targets, HaveTheGradientsOfTheirDensities) {
  for (const auto& model : {correlated_gaussian(5, 100.0), random_walk(5), eight_schools(), stochastic_volatility(4)}) {
    OwnedBatch points(model->dim(), 2);
    RandomStream random({.seed = 5, .purpose = Purpose::data});
    for (Index c = 0; c < points.lanes(); ++c)
      for (Index i = 0; i < points.rows(); ++i) points(i, c) = random.normal();
    EXPECT_TRUE(check_gradient(*model, points).passed()) << model->dim();
  }
}

}  // namespace
}  // namespace darboux::experiments
