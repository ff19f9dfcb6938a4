#include "model/start.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "linalg/dense.hpp"
#include "model/optimise.hpp"
#include "model_cases.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux::testing {
namespace {

namespace fs = std::filesystem;
using Point = std::vector<double>;

#ifdef DARBOUX_SANITIZED
constexpr std::uint64_t seeds = 3;
#else
constexpr std::uint64_t seeds = 50;
#endif

/// −½q², but only for q₁ above a bound.
FunctionModel above(double bound) {
  return differentiate(2, [bound](const auto& q) {
    if (!(q[0] > bound)) throw Reject();
    return -0.5 * (q[0] * q[0] + q[1] * q[1]);
  });
}

TEST(Start, UniformPointsFillTheirInterval) {
  const OwnedBatch q = draw_starts(Gaussian::standard(4), {.seed = 3, .chains = 1000});
  double sum = 0.0, squares = 0.0;
  for (Index l = 0; l < 1000; ++l)
    for (Index j = 0; j < 4; ++j) {
      ASSERT_LT(std::abs(q(j, l)), 2.0);
      sum += q(j, l) / 4000.0;
      squares += q(j, l) * q(j, l) / 4000.0;
    }
  const double variance = 4.0 / 3.0, of_squares = 16.0 / 5.0 - variance * variance;
  EXPECT_NEAR(sum, 0.0, 4.0 * std::sqrt(variance / 4000.0));
  EXPECT_NEAR(squares, variance, 4.0 * std::sqrt(of_squares / 4000.0));
}

TEST(Start, RefusedPointsAreDrawnAgain) {
  const OwnedBatch q = draw_starts(above(1.5), {.seed = 1, .chains = 30, .method = StartMethod::uniform});
  for (Index l = 0; l < 30; ++l) EXPECT_GT(q(0, l), 1.5);
  EXPECT_EQ(
      message_of<InputError>(
          [] { (void)draw_starts(above(2.0), {.seed = 1, .chains = 3, .method = StartMethod::uniform}); }),
      "no starting point for chain 1: at none of 100 points drawn uniformly from (−2, 2) are the log density and its "
      "gradient finite; give starting values with init, or check the model there");
}

TEST(Start, PointsWithoutAFiniteGradientAreDrawnAgain) {
  const FunctionModel model(1, [](std::span<const double> q, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = q[0] > 1.0 ? -q[0] : INFINITY;
    return q[0] > 0.5 ? -0.5 * q[0] * q[0] : std::nan("");
  });
  const OwnedBatch q = draw_starts(model, {.seed = 1, .chains = 20, .method = StartMethod::uniform});
  for (Index l = 0; l < 20; ++l) EXPECT_GT(q(0, l), 1.0);
}

TEST(Start, DependsOnSeedAndChainAlone) {
  const FitzHughNagumo model;
  for (const auto method : {StartMethod::uniform, StartMethod::prior, StartMethod::mode}) {
    const OwnedBatch few = draw_starts(model, {.seed = 5, .chains = 3, .method = method});
    const OwnedBatch many = draw_starts(model, {.seed = 5, .chains = 11, .method = method});
    const OwnedBatch part = draw_starts(model, {.seed = 5, .chains = 2, .first_chain = 9, .method = method});
    const OwnedBatch other = draw_starts(model, {.seed = 6, .chains = 3, .method = method});
    for (Index l = 0; l < 3; ++l)
      for (Index j = 0; j < 3; ++j) {
        EXPECT_EQ(few(j, l), many(j, l));
        EXPECT_NE(few(j, l), other(j, l));
        EXPECT_EQ(part(j, l % 2), many(j, 9 + l % 2));
      }
    EXPECT_NE(few(0, 0), few(0, 1));
  }
}

TEST(Start, PriorIsTheModels) {
  const auto model = small_logistic({.prior_scale = 7.0});
  const OwnedBatch q = draw_starts(model, {.seed = 2, .chains = 2000, .method = StartMethod::prior});
  double squares = 0.0;
  for (Index l = 0; l < 2000; ++l)
    for (Index j = 0; j < 3; ++j) squares += q(j, l) * q(j, l) / 6000.0;
  EXPECT_NEAR(squares, 49.0, 4.0 * 49.0 * std::sqrt(2.0 / 6000.0));
  EXPECT_EQ(message_of<InputError>([] { (void)draw_starts(Gaussian::standard(2), {.method = StartMethod::prior}); }),
            "init = prior: the model has no prior to draw from; must be uniform, mode, paths or a file");
}

TEST(Start, ModeSpreadsTwiceThePosteriorOfAGaussian) {
  const auto model = Gaussian::from_covariance({5.0, -1.0}, {{4.0, 4.8}, {4.8, 9.0}});
  const OwnedBatch q = draw_starts(model, {.seed = 8, .chains = 2000, .method = StartMethod::mode});
  double first = 0.0, second = 0.0, product = 0.0;
  for (Index l = 0; l < 2000; ++l) {
    first += (q(0, l) - 5.0) * (q(0, l) - 5.0) / 2000.0;
    second += (q(1, l) + 1.0) * (q(1, l) + 1.0) / 2000.0;
    product += (q(0, l) - 5.0) * (q(1, l) + 1.0) / 2000.0;
  }
  // Four standard errors, and a little for the points that are drawn again: farther than χ²₂ = 22, one in 60000.
  EXPECT_NEAR(first, 16.0, 4.0 * 16.0 * std::sqrt(2.0 / 2000.0));
  EXPECT_NEAR(second, 36.0, 4.0 * 36.0 * std::sqrt(2.0 / 2000.0));
  EXPECT_NEAR(product, 19.2, 4.0 * std::sqrt((16.0 * 36.0 + 19.2 * 19.2) / 2000.0));
}

TEST(Start, ModeWorksWhereTheCurvatureIsOfNoUse) {
  const auto flat_top = differentiate(2, [](const auto& q) { return -pow(q[0], 4) - pow(q[1], 4); });
  const auto edge = above(0.0);  // the mode is at the edge of the support
  for (const Model* model : {static_cast<const Model*>(&flat_top), static_cast<const Model*>(&edge)}) {
    const OwnedBatch q = draw_starts(*model, {.seed = 1, .chains = 10, .method = StartMethod::mode});
    const Evaluated at = evaluate(*model, q);
    for (std::size_t l = 0; l < 10; ++l) EXPECT_TRUE(at.status[l] == Status::ok && std::isfinite(at.log_density[l]));
  }
}

TEST(Start, FitzHughNagumoStartsInItsMainModeFromEverySeed) {
  const FitzHughNagumo model;
  const Point main_mode{0.2007, 0.2037, 2.9857};
  const auto reaches_it = [&](const Summit& summit) {
    for (std::size_t j = 0; j < 3; ++j)
      if (std::abs(summit.q[j] - main_mode[j]) > 1e-3) return false;
    return true;
  };
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const Summit& summit : climb(model, draw_starts(model, {.seed = seed, .chains = 4})))
      EXPECT_TRUE(reaches_it(summit)) << "seed " << seed << ": " << summit.q[0] << " " << summit.q[1] << " "
                                      << summit.q[2];
  // Uniform starts are no such thing: what the test above would have seen.
  const auto from_uniform = climb(model, draw_starts(model, {.chains = 40, .method = StartMethod::uniform}));
  EXPECT_LT(std::count_if(from_uniform.begin(), from_uniform.end(), reaches_it), 30);
}

TEST(Start, FitzHughNagumoStartsAreOverdispersed) {
  const FitzHughNagumo model;
  const OwnedBatch q = draw_starts(model, {.seed = 1, .chains = 400});
  const double mode[3] = {0.2007, 0.2037, 2.9857}, sd[3] = {0.023, 0.130, 0.058};
  for (Index j = 0; j < 3; ++j) {
    double square = 0.0;
    for (Index l = 0; l < 400; ++l) square += std::pow((q(j, l) - mode[j]) / sd[j], 2) / 400.0;
    EXPECT_GT(std::sqrt(square), 1.5) << j;
    EXPECT_LT(std::sqrt(square), 2.3) << j;
  }
}

TEST(Start, MethodsHaveNames) {
  for (const auto method : all_values<StartMethod>())
    EXPECT_EQ(from_name<StartMethod>("starting point", name(method)), method);
  EXPECT_EQ(message_of<InputError>([] { (void)from_name<StartMethod>("starting point", "mod"); }),
            "unknown starting point \"mod\"; did you mean \"mode\"? Known: uniform, prior, mode, paths");
  EXPECT_EQ(message_of<InputError>([] { (void)draw_starts(Gaussian::standard(2), {.chains = 0}); }),
            "chains = 0: must be at least 1");
  EXPECT_EQ(message_of<InputError>([] { (void)draw_starts(Gaussian::standard(2), {.chains = 1000001}); }),
            "chains = 1000001: must be at most 1000000");
}

TEST(Start, UnconstrainUndoesConstrainInEveryModel) {
  for (const ModelCase& which : model_cases()) {
    const Index n = which.model->dim();
    const OwnedBatch points = normal_points(n, 5, which.scales.front(), 1);
    for (Index l = 0; l < 5; ++l) {
      const Point q = lane_of(points, l);
      Point natural(which.model->names().size()), back(q.size());
      which.model->constrain(q, {}, natural);
      which.model->unconstrain(std::span<const double>(natural).first(q.size()), back);
      for (std::size_t j = 0; j < q.size(); ++j)
        EXPECT_NEAR(back[j], q[j], 1e-12 * (1.0 + std::abs(q[j]))) << which.name;
    }
  }
}

TEST(Start, WhitenedPriorIsTheInnerOne) {
  const auto inner = std::make_shared<const FitzHughNagumo>();
  const Whitened model(inner, {0.2, 0.2, 3.0},
                       StructuredMatrix::from({{0.1, 0.0, 0.0}, {0.3, 0.2, 0.0}, {0.0, 0.1, 0.5}}));
  Point q(3), x(3);
  const RandomKey key{.seed = 9, .purpose = Purpose::start};
  ASSERT_TRUE(inner->draw_prior(key, q) && model.draw_prior(key, x));
  const Point mapped = model.to_inner(x);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mapped[j], q[j], 1e-14);
  const Whitened without(std::make_shared<const Skewed>(1), {0.0}, StructuredMatrix::identity(1));
  EXPECT_FALSE(without.draw_prior(key, std::span(x).first(1)));
}

class StartFile : public ::testing::Test {
 protected:
  StartFile() {
    std::string pattern = (fs::temp_directory_path() / "darboux-start-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~StartFile() override { fs::remove_all(folder_); }

  [[nodiscard]] OwnedBatch read(const Model& model, std::string_view text, Index chains = 2) const {
    write_text(folder_ / "start.json", text);
    return read_starts(model, folder_ / "start.json", chains);
  }
  /// The message without the folder.
  [[nodiscard]] std::string refusal(const Model& model, std::string_view text, Index chains = 2) const {
    const std::string message = message_of<InputError>([&] { (void)read(model, text, chains); });
    const auto from = message.find("start.json");
    return from == std::string::npos ? message : message.substr(from);
  }

  FitzHughNagumo neuron_;
  fs::path folder_;
};

TEST_F(StartFile, OneObjectIsForAllChainsAndAListForEach) {
  const OwnedBatch same = read(neuron_, R"({"c": 3, "a": 0.25, "b": -0.5})");
  const OwnedBatch each = read(neuron_, R"([{"a": 0.1, "b": 0.2, "c": 3}, {"a": 0.4, "b": 0.5, "c": 2.5}])");
  for (Index l = 0; l < 2; ++l) EXPECT_EQ(lane_of(same, l), (Point{0.25, -0.5, 3.0}));
  EXPECT_EQ(lane_of(each, 0), (Point{0.1, 0.2, 3.0}));
  EXPECT_EQ(lane_of(each, 1), (Point{0.4, 0.5, 2.5}));
}

TEST_F(StartFile, ListsStandForTheirEntries) {
  const Funnel funnel(3, Funnel::Form::non_centred);
  const OwnedBatch q = read(funnel, R"({"v": 1.5, "x": [2, -4]})");  // v = 3 q₁, x = e^{v/2} z
  EXPECT_DOUBLE_EQ(q(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(q(1, 0), 2.0 * std::exp(-0.75));
  EXPECT_DOUBLE_EQ(q(2, 1), -4.0 * std::exp(-0.75));
  EXPECT_EQ(lane_of(read(funnel, R"({"v": 1.5, "x[1]": 2, "x[2]": -4})"), 0), lane_of(q, 0));
  EXPECT_EQ(refusal(funnel, R"({"v": 1, "x": [[2], 3]})"), "start.json: no value for x[1]: every parameter needs one");
}

TEST_F(StartFile, NaturalUnitsOfARegressionAreThoseOfTheData) {
  const auto model = small_logistic<StandardisedLogistic>({.names = {"age", "height"}});
  const Point natural{0.5, -2.0, 3.0};
  const OwnedBatch q = read(model, R"({"intercept": 0.5, "age": -2, "height": 3})", 1);
  Point back(3);
  model.constrain(lane_of(q, 0), {}, back);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(back[j], natural[j], 1e-14);
}

TEST_F(StartFile, BadFilesAreRefused) {
  EXPECT_EQ(refusal(neuron_, R"({"a": 1, "c": 3})"), "start.json: no value for b: every parameter needs one");
  EXPECT_EQ(refusal(neuron_, R"({"a": 1, "b": 0, "c": 3, "bb": 4})"),
            "start.json: unknown parameter \"bb\"; did you mean \"b\"? Known: a, b, c");
  EXPECT_EQ(refusal(neuron_, R"({"a": "1", "b": 0, "c": 3})"), "start.json: a is \"1\": must be a number");
  EXPECT_EQ(refusal(neuron_, R"({"a": null, "b": 0, "c": 3})"), "start.json: a is null: must be a number");
  EXPECT_EQ(refusal(neuron_, R"({"a": 1, "b": 0, "c": 3, "a": 2})"), "start.json: field \"a\" is given twice");
  EXPECT_EQ(refusal(Funnel(2), R"({"v": 1, "x": [1], "x[1]": 2})"), "start.json: x[1] is given twice");
  EXPECT_EQ(
      refusal(neuron_, R"([{"a": 1, "b": 0, "c": 3}])"),
      "start.json: a list of starting points for 1 chain, but there are 2: give as many, or one object for all chains, "
      "{…} without a list around it");
  EXPECT_EQ(refusal(neuron_, "[1, 2]"), "start.json: a chain's starting point must be an object, not number");
  EXPECT_EQ(refusal(neuron_, "3"),
            "start.json: must hold an object {name: value, …} or a list of one per chain, not number");
  EXPECT_TRUE(
      mentions(refusal(neuron_, "{a: 1}"), {"start.json: not JSON at line 1, column 2, where it reads \"{a\""}));
  EXPECT_TRUE(mentions(refusal(neuron_, R"({"a": 1e999, "b": 0, "c": 3})"),
                       {"start.json: line 1, column 7: \"1e999\" is too large"}));
  EXPECT_TRUE(mentions(refusal(neuron_, ""), {"start.json: not JSON"}));
  EXPECT_EQ(refusal(neuron_, R"([{"a": 0, "b": 0, "c": 3}, {"a": 0, "b": 5, "c": -1}])"),
            "start.json: the log density or its gradient is not finite at the starting point of chain 2: it must be");
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)read_starts(neuron_, folder_ / "none.json", 1); }),
                       {"none.json", "No such file"}));
}

}  // namespace
}  // namespace darboux::testing
