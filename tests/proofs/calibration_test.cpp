#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <darboux/core/random.hpp>
#include <proofs/calibration.hpp>
#include <proofs/world.hpp>

#include "draws/temporary_folder.hpp"

namespace darboux::proofs {
namespace {

using namespace experiments;

#ifdef DARBOUX_SANITIZED
constexpr int simulations = 200;
#else
constexpr int simulations = 4000;
#endif

/// Ranks of x^power, x uniform, in twenty bins.
std::array<int, 20> ranks(double power, int replications, std::uint64_t seed) {
  RandomStream random({.seed = seed});
  std::array<int, 20> counts{};
  for (int r = 0; r < replications; ++r) ++counts[static_cast<std::size_t>(20.0 * std::pow(random.uniform(), power))];
  return counts;
}

TEST(Bands, HoldUniformRanksAsOftenAsTheySay) {
  int outside = 0;
  constexpr int tries = simulations / 20;
  for (std::uint64_t seed = 1; seed <= tries; ++seed)
    outside += band_p_value(least_band(ranks(1.0, 200, seed)), 200, simulations) < 0.1 ? 1 : 0;
  const double error = std::sqrt(0.1 * 0.9 / tries);
  EXPECT_NEAR(outside / static_cast<double>(tries), 0.1, 4.0 * error);
}

TEST(Bands, SeeRanksThatAreNotUniform) {
  EXPECT_LT(band_p_value(least_band(ranks(1.25, 1000, 1)), 1000, simulations), 0.01);
  EXPECT_LT(band_p_value(least_band(ranks(0.8, 1000, 1)), 1000, simulations), 0.01);
}

TEST(Bands, SayWhatTheyWouldHaveSeen) {
  const VisibleError few = visible_error(50, 10), many = visible_error(400, 10);
  // The mean of the ranks alone sees a shift of about (2.6 + 1.3)/√n.
  EXPECT_GT(many.shift, 2.0 / std::sqrt(400.0));
  EXPECT_LT(many.shift, 10.0 / std::sqrt(400.0));
  EXPECT_LT(many.shift, few.shift);
  EXPECT_LT(many.width, few.width);
  EXPECT_GT(many.width, 1.1);
}

TEST(Bands, LookAtBothEndsOfTheBinomial) {
  // Two bins of four ranks: P(all below) = P(none below) = 1/16, of both together 1/8.
  EXPECT_DOUBLE_EQ(least_band(std::array{4, 0}), 0.125);
  EXPECT_DOUBLE_EQ(least_band(std::array{0, 4}), 0.125);
  EXPECT_DOUBLE_EQ(least_band(std::array{2, 2}), 1.0);
}

TEST(Worlds, AreDrawnFromTheirPriors) {
  for (const auto& [name, sd] :
       {std::pair{"logistic", 1.0}, {"linear", 1.0}, {"poisson", 1.0}, {"eight-schools", 5.0}}) {
    double sum = 0.0, squares = 0.0;
    constexpr int count = 2000;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
      const double x = make_world(name, seed).truth.front() / sd;
      sum += x / count;
      squares += x * x / count;
    }
    EXPECT_LT(std::abs(sum), 4.0 / std::sqrt(count)) << name;
    EXPECT_LT(std::abs(squares - 1.0), 4.0 * std::sqrt(2.0 / count)) << name;
  }
}

/// Where each is: the log density of its truth under the posterior of another.
double log_density(const World& world, const std::vector<double>& q) {
  const Model& model = *world.posterior;
  OwnedBatch at(model.dim(), 1);
  for (Index j = 0; j < model.dim(); ++j) at(j, 0) = q[static_cast<std::size_t>(j)];
  LaneVector<double> value(1);
  LaneVector<std::uint8_t> active(1, 1);
  LaneVector<Status> status(1, Status::ok);
  model.make_evaluator()->evaluate({.q = at, .active = active, .gradient = false},
                                   {.log_density = value, .gradient = {}, .status = status});
  return value[0];
}

TEST(Worlds, HavePosteriorsOfTheirOwnData) {
  for (const std::string& name : world_names()) {
    if (name == "eight-schools-stan") continue;  // below
    const World one = make_world(name, 1), other = make_world(name, 2);
    EXPECT_NE(log_density(one, one.truth), log_density(other, one.truth)) << name;
    // On average the truth is likelier given its own data.
    double own = 0.0, foreign = 0.0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const World world = make_world(name, seed), next = make_world(name, seed + 1);
      const double here = log_density(world, world.truth), there = log_density(next, world.truth);
      if (std::isfinite(here) && std::isfinite(there)) own += here, foreign += there;
    }
    EXPECT_GT(own, foreign) << name;
  }
}

std::vector<double> gradient(const World& world) {
  const Model& model = *world.posterior;
  OwnedBatch at(model.dim(), 1), slope(model.dim(), 1);
  for (Index j = 0; j < model.dim(); ++j) at(j, 0) = world.truth[static_cast<std::size_t>(j)];
  LaneVector<double> value(1);
  LaneVector<std::uint8_t> active(1, 1);
  LaneVector<Status> status(1, Status::ok);
  model.make_evaluator()->evaluate({.q = at, .active = active, .gradient = true},
                                   {.log_density = value, .gradient = slope, .status = status});
  std::vector<double> all;
  for (Index j = 0; j < model.dim(); ++j) all.push_back(slope(j, 0));
  return all;
}

/// Over parameters and data together E qⱼ ∂ⱼ log p(q, y) = −1, by parts: not where data are made in another way than the posterior says.
TEST(Worlds, AreMadeAsTheirPosteriorsSay) {
  constexpr int count = 3000;
  for (const char* name : {"logistic", "linear", "poisson", "eight-schools"}) {
    std::vector<double> sums(16, 0.0), squares(16, 0.0);
    std::size_t dim = 0;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      const World world = make_world(name, seed);
      const std::vector<double> slope = gradient(world);
      dim = slope.size();
      for (std::size_t j = 0; j < dim; ++j) {
        const double x = world.truth[j] * slope[j] + 1.0;
        sums[j] += x / count;
        squares[j] += x * x / count;
      }
    }
    for (std::size_t j = 0; j < dim; ++j)
      EXPECT_LT(std::abs(sums[j]), 4.0 * std::sqrt(squares[j] / count)) << name << ' ' << j;
  }
}

/// The same parameters and data, and the same density but for a constant.
TEST(Worlds, OfAStanProgramAreThoseOfTheModelThatIsBuiltIn) {
  if (!can_make("eight-schools-stan")) GTEST_SKIP() << "there is no Stan here";
  for (const std::uint64_t seed : {1U, 2U}) {
    const World ours = make_world("eight-schools", seed), stan = make_world("eight-schools-stan", seed);
    EXPECT_EQ(ours.truth, stan.truth);
    std::vector<double> elsewhere = ours.truth;
    for (double& x : elsewhere) x += 0.3;
    EXPECT_NEAR(log_density(ours, ours.truth) - log_density(ours, elsewhere),
                log_density(stan, ours.truth) - log_density(stan, elsewhere), 1e-9);
  }
}

class KeptCalibration : public darboux::testing::WithFolder {};

TEST_F(KeptCalibration, HasARankOfEveryQuantityInEveryReplication) {
  const Scale scale{.rounds = 1, .replications = 2};
  std::vector<Cell> cells = calibration_cells(scale);
  EXPECT_EQ(cells.size(), can_make("eight-schools-stan") ? 26U : 25U);
  EXPECT_EQ(calibrated_rows().size(), 26U);
  std::erase_if(cells, [](const Cell& cell) {
    return cell.key != "calibration/logistic/nuts/0" && cell.key != "calibration/logistic/microcanonical/0";
  });
  ASSERT_TRUE(run_cells(cells, {.folder = folder_, .stop = nullptr, .on_progress = {}}));
  const Tables tables = reduce_calibration(scale, folder_);
  EXPECT_EQ(texts(tables.at("verdicts"), "quantity").size(), 10U);
  for (const double count : numbers(tables.at("verdicts"), "replications")) EXPECT_EQ(count, 2.0);
}

}  // namespace
}  // namespace darboux::proofs
