#include "model/logistic_data.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;
using Names = std::vector<std::string>;
using Point = std::vector<double>;

StandardisedLogistic from_text(std::string_view text, const LogisticDataOptions& options = {}) {
  return logistic_from_table(parse_csv(text, "a.csv"), options);
}
std::string refusal(std::string_view text, const LogisticDataOptions& options = {}) {
  return message_of<InputError>([&] { (void)from_text(text, options); });
}

constexpr std::string_view people =
    "age,y,group,height\n30,1,b,1.7\n41,0,a,1.8\n25,1,c,1.65\n60,0,b,1.75\n33,1,\"a\",1.9\n";
constexpr double ages[5] = {30, 41, 25, 60, 33}, heights[5] = {1.7, 1.8, 1.65, 1.75, 1.9};
constexpr double is_b[5] = {1, 0, 0, 1, 0}, is_c[5] = {0, 0, 1, 0, 0};

TEST(LogisticData, NamesAreTheHeadersWithIndicatorsOfLevels) {
  const auto model = from_text(people);
  EXPECT_EQ(model.names(), (Names{"intercept", "age", "group[b]", "group[c]", "height"}));
  EXPECT_EQ(model.standardised().signs(), (Point{1, -1, 1, -1, 1}));
  EXPECT_EQ(from_text(people, {.intercept = false}).names(), (Names{"age", "group[b]", "group[c]", "height"}));
}

TEST(LogisticData, ResponseIsTheColumnNamedOrYOrTheFirst) {
  EXPECT_EQ(from_text("a,y\n1,0\n2,1\n").names(), (Names{"intercept", "a"}));
  EXPECT_EQ(from_text("a,b\n1,5\n0,7\n").names(), (Names{"intercept", "b"}));
  EXPECT_EQ(from_text("y,a\n5,1\n7,0\n", {.response = "a"}).names(), (Names{"intercept", "y"}));
  EXPECT_EQ(refusal("age,sex\n1,0\n0,1\n", {.response = "aga"}),
            "a.csv: unknown response column \"aga\"; did you mean \"age\"? Known: age, sex");
}

/// What a draw reports must predict from the data themselves what the chain's β predicts from the standardised features.
TEST(LogisticData, ReportedCoefficientsPredictTheSameOnTheOriginalScale) {
  const Point q{0.4, -1.3, 0.7, 2.0, -0.6};
  for (const bool intercept : {true, false}) {
    const auto model = from_text(people, {.intercept = intercept});
    const Point beta(q.begin() + (intercept ? 0 : 1), q.end());
    Point b(beta.size());
    model.constrain(beta, {}, b);
    const Matrix predicted = model.standardised().design() * [&] {
      Matrix column(model.dim(), 1);
      for (std::size_t j = 0; j < beta.size(); ++j) column(static_cast<Index>(j), 0) = beta[j];
      return column;
    }();
    for (std::size_t i = 0; i < 5; ++i) {
      const std::size_t k = intercept ? 1 : 0;
      const double eta =
          (intercept ? b[0] : 0.0) + b[k] * ages[i] + b[k + 1] * is_b[i] + b[k + 2] * is_c[i] + b[k + 3] * heights[i];
      EXPECT_NEAR(eta, predicted(static_cast<Index>(i), 0), 1e-12) << "intercept " << intercept << ", row " << i;
    }
    Point back(beta.size());
    model.unconstrain(b, back);
    for (std::size_t j = 0; j < beta.size(); ++j) EXPECT_NEAR(back[j], beta[j], 1e-13);
  }
}

TEST(LogisticData, FeaturesAreStandardisedWithDivisorN) {
  for (const bool intercept : {true, false}) {
    const auto model = from_text(people, {.intercept = intercept});
    const Matrix& x = model.standardised().design();
    for (Index j = intercept ? 1 : 0; j < x.cols(); ++j) {
      double mean = 0.0, square = 0.0;
      for (Index i = 0; i < 5; ++i) {
        mean += x(i, j) / 5.0;
        square += x(i, j) * x(i, j) / 5.0;
      }
      EXPECT_NEAR(square - mean * mean, 1.0, 1e-9);
      EXPECT_EQ(std::abs(mean) < 1e-13, intercept) << mean;  // otherwise scaled, not shifted
    }
  }
}

TEST(LogisticData, PriorScaleIsThatOfStandardisedCoefficients) {
  const auto model = from_text(people, {.prior_scale = 2.5});
  EXPECT_DOUBLE_EQ(model.standardised().prior_precision(), 1.0 / 6.25);
  double squares = 0.0;
  for (std::uint64_t k = 0; k < 2000; ++k) {
    Point q(5);
    ASSERT_TRUE(model.draw_prior({.seed = 3, .purpose = Purpose::start, .chain = k}, q));
    for (const double x : q) squares += x * x / 10000.0;
  }
  EXPECT_NEAR(squares, 6.25, 4.0 * 6.25 * std::sqrt(2.0 / 10000.0));
  EXPECT_EQ(refusal(people, {.prior_scale = -1.0}), "prior_scale = -1: must be positive and finite");
}

/// Standardising and undoing it would round them.
TEST(LogisticData, KeptDataAreThoseOfTheTable) {
  for (const bool intercept : {true, false}) {
    const auto model = from_text(people, {.intercept = intercept});
    const std::vector<ModelData> data = model.kept_data();
    ASSERT_EQ(data.size(), 2U);
    const ModelData &y = data[0], &x = data[1];
    EXPECT_TRUE(y.observed && !x.observed);
    EXPECT_EQ(y.values, (Point{1, 0, 1, 0, 1}));
    EXPECT_EQ(x.axes[0].name, y.axes[0].name);
    EXPECT_EQ(x.axes[0].size, 5);
    EXPECT_EQ(x.axes[1].name, model.named_axis()->axis);
    EXPECT_EQ(x.axes[1].labels, model.names());
    Point expected;
    for (std::size_t i = 0; i < 5; ++i) {
      if (intercept) expected.push_back(1.0);
      for (const double entry : {ages[i], is_b[i], is_c[i], heights[i]}) expected.push_back(entry);
    }
    EXPECT_EQ(x.values, expected) << "to the last bit";
  }
}

TEST(LogisticData, ALargeDesignIsNotKept) {
  constexpr Index rows = StandardisedLogistic::most_kept / 2;
  for (const Index more : {0, 1}) {
    Matrix features(rows + more, 1);
    std::vector<double> y(at(rows + more), 0.0);
    features(0, 0) = y[0] = 1.0;
    const std::vector<ModelData> data = StandardisedLogistic(features, y).kept_data();
    EXPECT_EQ(data.size(), more == 0 ? 2U : 1U) << "a column of ones and one of the table";
    EXPECT_EQ(std::ssize(data[0].values), rows + more);
  }
}

TEST(LogisticData, InterceptAloneIsAModel) {
  const auto model = from_text("y\n1\n0\n1\n");
  EXPECT_EQ(model.names(), (Names{"intercept"}));
  Point b(1);
  model.constrain(Point{0.7}, {}, b);
  EXPECT_EQ(b[0], 0.7);
  EXPECT_EQ(refusal("y\n1\n0\n", {.intercept = false}),
            "a.csv: no column besides y, and no intercept: there is nothing to estimate");
}

TEST(LogisticData, RefusesATableWithoutRows) {
  CsvColumn y, a;
  y.name = "y";
  a.name = "a";
  const CsvTable empty{.file = "X", .rows = 0, .columns = {y, a}, .lines = {}};
  EXPECT_EQ(message_of<InputError>([&] { (void)logistic_from_table(empty); }), "X has no rows: must have at least one");
}

TEST(LogisticData, RefusesLabelsThatAreNotZeroOrOne) {
  EXPECT_EQ(refusal("y,x\n1,2\n0,3\n2,4\n"), "a.csv:4, column y is 2: the response must be 0 or 1");
  EXPECT_EQ(refusal("y,x\n1,2\n-1,3\n"), "a.csv:3, column y is -1: the response must be 0 or 1");
  EXPECT_EQ(refusal("y,x\ngood,2\nbad,3\n"),
            "a.csv: column y is text (\"bad\", \"good\"): the response must be 0 or 1; write 1 for the outcome to "
            "predict and "
            "0 for the other");
  EXPECT_TRUE(mentions(refusal("y,x\nd,2\nc,3\nb,3\na,1\n"), {"(\"a\", \"b\", \"c\", …)"}));
  EXPECT_EQ(refusal("y,x\n1,2\n1,3\n"),
            "a.csv: column y is 1 in every row: the response must be 0 in some and 1 in others");
}

TEST(LogisticData, RefusesMissingAndInfiniteValuesByRow) {
  EXPECT_EQ(refusal("y,x,g\n1,2,a\n0,NA,b\n1,3,?\n,4,a\n"),
            "a.csv:3, column x is missing (and 2 more): every value must be there; remove such rows, or fill them in");
  EXPECT_EQ(refusal("y,x,g\n1,2,a\n0,3,\n"),
            "a.csv:3, column g is missing: every value must be there; remove such rows, or fill them in");
  EXPECT_EQ(refusal("y,x\n1,2\n0,-inf\n"), "a.csv:3, column x is -inf: must be finite");
}

TEST(LogisticData, RefusesColumnsWithoutInformation) {
  EXPECT_EQ(refusal("y,x,z\n1,2,5\n0,3,5\n"),
            "a.csv: column z is constant (5): it carries no information, so remove it");
  EXPECT_EQ(refusal("y,x,g\n1,2,all\n0,3,all\n"),
            "a.csv: column g is constant (\"all\"): it carries no information, so remove it");
  EXPECT_TRUE(mentions(refusal("y,z\n1,2\n0,2\n", {.intercept = false}), {"column z is constant"}));
}

TEST(LogisticData, RefusesIdentifiersAndNamesThatCoincide) {
  std::string ids = "y,id\n";
  for (int i = 0; i < 101; ++i) ids += std::to_string(i % 2) + ",person" + std::to_string(i) + "\n";
  EXPECT_EQ(refusal(ids),
            "a.csv: column id has 101 different texts: at most 100 are allowed for a category; is it an identifier?");
  EXPECT_EQ(refusal("y,intercept\n1,2\n0,3\n"),
            "a.csv: column intercept leads to a second coefficient called intercept: names must differ, so rename it");
  EXPECT_EQ(from_text("y,intercept\n1,2\n0,3\n", {.intercept = false}).names(), (Names{"intercept"}));
  EXPECT_TRUE(mentions(refusal("y,g,g[b]\n1,a,2\n0,b,3\n"), {"column g[b] leads to a second coefficient called g[b]"}));
}

TEST(LogisticData, RefusesMoreCoefficientsThanAreSane) {
  std::string header = "y", low = "0", high = "1";
  for (int j = 0; j < 20001; ++j) {
    header += ",x" + std::to_string(j);
    low += ",0";
    high += ",1";
  }
  EXPECT_TRUE(
      mentions(refusal(header + "\n" + low + "\n" + high + "\n"), {"a.csv", "2 rows", "20001 coefficients", "20000"}));
}

}  // namespace
}  // namespace darboux
