#include "model/logistic_data.hpp"

#include <fmt/format.h>
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
ValueTree fact_of(const StandardisedLogistic& model, std::string_view key) {
  for (const ModelFact& fact : model.describe())
    if (fact.key == key) return fact.value;
  return {};
}
double number_of(const ValueTree& tree, std::string_view key) { return std::get<double>(tree.find(key)->value()); }
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

/// What the paper has: everything by its standard deviation.
TEST(LogisticData, FeaturesAreStandardisedWithDivisorN) {
  for (const bool intercept : {true, false}) {
    const auto model = from_text(people, {.intercept = intercept, .standardise = Standardising::all});
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

/// A number per standard deviation; an indicator, or a number of two values, per difference of these, however rare one of them is.
TEST(LogisticData, ColumnsOfTwoValuesAreDividedByHowFarTheseAreApart) {
  std::string text = "y,x,two,g\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("{},{},{},{}\n", i % 2, 0.5 * i * i, i < 3 ? 7 : 3, i < 3 ? "rare" : i % 3 == 0 ? "c" : "b");
  for (const bool intercept : {true, false}) {
    const auto model = from_text(text, {.intercept = intercept});
    EXPECT_EQ(model.names().back(), "g[rare]");
    Point b(at(model.dim()));
    model.constrain(Point(at(model.dim()), 1.0), {}, b);
    const std::size_t first = intercept ? 1 : 0;
    EXPECT_NEAR(1.0 / b[first], 1476.65, 0.01) << "sd of i²/2";
    EXPECT_DOUBLE_EQ(b[first + 1], 0.25);
    EXPECT_DOUBLE_EQ(b[first + 2], 1.0);
    EXPECT_DOUBLE_EQ(b[first + 3], 1.0);
    const Matrix x = model.standardised().design();
    double mean = 0.0;
    for (Index i = 0; i < 100; ++i) mean += x(i, model.dim() - 1) / 100.0;
    EXPECT_NEAR(mean, intercept ? 0.0 : 0.03, 1e-12);
    const auto all = from_text(text, {.intercept = intercept, .standardise = Standardising::all});
    all.constrain(Point(at(model.dim()), 1.0), {}, b);
    EXPECT_NEAR(b.back(), 1.0 / std::sqrt(0.03 * 0.97), 1e-9);
  }
}

TEST(LogisticData, PriorScaleIsThatOfStandardisedCoefficientsAndTheInterceptHasItsOwn) {
  const auto model = from_text(people, {.prior_scale = 2.5, .prior_intercept = 7.0});
  EXPECT_EQ(from_text(people).standardised().prior_precisions(), (Point{0.01, 1.0, 1.0, 1.0, 1.0}));
  EXPECT_EQ(from_text(people, {.intercept = false}).standardised().prior_precisions(), (Point{1.0, 1.0, 1.0, 1.0}));
  double squares = 0.0, of_intercept = 0.0;
  for (std::uint64_t k = 0; k < 2000; ++k) {
    Point q(5);
    ASSERT_TRUE(model.draw_prior({.seed = 3, .purpose = Purpose::start, .chain = k}, q));
    of_intercept += q[0] * q[0] / 2000.0;
    for (std::size_t j = 1; j < 5; ++j) squares += q[j] * q[j] / 8000.0;
  }
  EXPECT_NEAR(squares, 6.25, 4.0 * 6.25 * std::sqrt(2.0 / 8000.0));
  EXPECT_NEAR(of_intercept, 49.0, 4.0 * 49.0 * std::sqrt(2.0 / 2000.0));
  EXPECT_EQ(refusal(people, {.prior_scale = -1.0}), "prior_scale = -1: must be positive and finite");
  EXPECT_EQ(refusal(people, {.prior_intercept = 0.0}), "prior_intercept = 0: must be positive and finite");
}

/// Five events in a thousand rows are half a percent. With N(0, 1) on the intercept they were 0.96.
TEST(LogisticData, RareEventsArePredictedAtTheirRate) {
  std::string text = "y,x\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("{},{}\n", i % 200 == 0 ? 1 : 0, (i * 7919) % 1000);
  const auto rate = [&](double prior_intercept) {
    const auto model = from_text(text, {.prior_intercept = prior_intercept});
    const Point mode = model.standardised().mode();
    const Matrix x = model.standardised().design();
    double sum = 0.0;
    for (Index i = 0; i < 1000; ++i) sum += 1.0 / (1.0 + std::exp(-mode[0] - x(i, 1) * mode[1]));
    return sum / 1000.0;
  };
  EXPECT_NEAR(rate(LogisticDataOptions().prior_intercept), 0.0050, 0.0001);
  EXPECT_NEAR(rate(1.0), 0.0096, 0.0001);
}

/// b_j = β_j/s_j and b_0 = β_0 − Σ_j m_j b_j, so that their standard deviations come from those of β: by draws of it.
TEST(LogisticData, TellsThePriorOfWhatDrawsReport) {
  const auto model = from_text(people, {.prior_scale = 2.0, .prior_intercept = 5.0});
  const ValueTree prior = fact_of(model, "prior");
  const auto& parameters = std::get<ValueTree::List>(prior.find("parameters")->value());
  ASSERT_EQ(parameters.size(), 5U);
  constexpr int draws = 20'000;
  Point q(5), b(5), squares(5);
  for (std::uint64_t k = 0; k < draws; ++k) {
    ASSERT_TRUE(model.draw_prior({.seed = 3, .purpose = Purpose::start, .chain = k}, q));
    model.constrain(q, {}, b);
    for (std::size_t j = 0; j < 5; ++j) squares[j] += b[j] * b[j] / draws;
  }
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(text_of(*parameters[j].find("name")), model.names()[j]);
    EXPECT_NEAR(std::sqrt(squares[j]) / number_of(parameters[j], "sd"), 1.0, 4.0 * std::sqrt(0.5 / draws)) << j;
    EXPECT_EQ(number_of(parameters[j], "standardised_sd"), j == 0 ? 5.0 : 2.0);
  }
  EXPECT_EQ(text_of(*prior.find("text")),
            "coefficients N(0, 2²), for a change by one sd of a number, or from one of two values to the other; "
            "intercept N(0, 5²), at the mean of the predictors");
}

TEST(LogisticData, TellsWhatWasMadeOfTheTable) {
  const auto model = from_text("status,age,group,flag\nwell,30,b,0\nill,41,a,1\nwell,25,c,1\nill,,b,0\nill,33,a,0\n",
                               {.positive = "ill", .reference = {"group=b"}, .na = MissingValues::drop});
  EXPECT_EQ(model.names(), (Names{"intercept", "age", "group[a]", "group[c]", "flag"}));
  const ValueTree data = fact_of(model, "data");
  EXPECT_EQ(*data.find("rows"), ValueTree(4));
  EXPECT_EQ(*data.find("rows_left_out"), ValueTree(1));
  using Entries = ValueTree::Entries;
  using List = ValueTree::List;
  EXPECT_EQ(*data.find("outcome"), ValueTree(Entries{{"column", "status"},
                                                     {"chosen", "first"},
                                                     {"positive", "ill"},
                                                     {"negative", "well"},
                                                     {"coding", "asked"},
                                                     {"positives", 2},
                                                     {"negatives", 2}}));
  EXPECT_EQ(*data.find("categories"),
            ValueTree(List{Entries{
                {"column", "group"}, {"baseline", "b"}, {"levels", List{"a", "b", "c"}}, {"rows", List{2, 1, 1}}}}));
  const auto& predictors = std::get<List>(data.find("predictors")->value());
  EXPECT_EQ(*predictors[1].find("kind"), ValueTree("indicator"));
  EXPECT_EQ(*predictors[1].find("rows"), ValueTree(2));
  EXPECT_EQ(*predictors[3].find("kind"), ValueTree("two-valued"));
  EXPECT_DOUBLE_EQ(number_of(predictors[0], "mean"), 32.25);
  EXPECT_DOUBLE_EQ(number_of(predictors[0], "sd"), number_of(predictors[0], "scale"));
  EXPECT_DOUBLE_EQ(number_of(predictors[3], "sd"), 0.5);
  EXPECT_DOUBLE_EQ(number_of(predictors[3], "scale"), 1.0);
  std::string notes;
  for (const ModelFact& fact : model.describe()) notes += fact.note + "\n";
  EXPECT_TRUE(mentions(
      notes, {"4 rows of a.csv; 1 row with missing values left out",
              "status is ill in 2 of 4 rows (50 %), well in the others", "two values are also in flag: --response",
              "1 number: age; of two values: flag; category: group (3 levels, against b)", "Prior: "}));
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

TEST(LogisticData, OutcomesHaveTwoValuesAndOneIsPlainlyPositiveOrAskedFor) {
  const auto signs = [](std::string_view first, std::string_view second, const std::string& positive = "") {
    return from_text(fmt::format("y,x\n{},2\n{},3\n{},5\n", first, second, first), {.positive = positive})
        .standardised()
        .signs();
  };
  const Point first_is_one{1, -1, 1}, second_is_one{-1, 1, -1};
  for (const auto& [negative, positive] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"0", "1"},
                                                                  {"-1", "1"},
                                                                  {"no", "yes"},
                                                                  {"No", "YES"},
                                                                  {"n", "y"},
                                                                  {"FALSE", "TRUE"},
                                                                  {"f", "T"},
                                                                  {"absent", "present"},
                                                                  {"negative", "Positive"},
                                                                  {"control", "case"},
                                                                  {"failure", "success"}}) {
    EXPECT_EQ(signs(negative, positive), second_is_one) << positive;
    EXPECT_EQ(signs(positive, negative), first_is_one) << positive;
    EXPECT_EQ(signs(negative, positive, std::string(negative)), first_is_one) << "asked for";
  }
  EXPECT_EQ(signs("1", "2", "2"), second_is_one);
  EXPECT_EQ(signs("1", "2", "1"), first_is_one);
  EXPECT_EQ(signs("1", "2", "2.0"), second_is_one) << "a number, however it is written";
  EXPECT_EQ(signs("good", "bad", "bad"), second_is_one);
  EXPECT_EQ(refusal("y,x\n1,2\n2,3\n"),
            "a.csv: column y has the values 1 and 2: which is the outcome to predict? Say so with --positive VALUE. No "
            "--response was "
            "given: it was taken as it is called y. Name another with --response COLUMN; of two values is: x");
  EXPECT_EQ(refusal("y,x\ngood,2\nbad,3\n", {.response = "y"}),
            "a.csv: column y has the values \"bad\" and \"good\": which is the outcome to predict? Say so with "
            "--positive VALUE");
  EXPECT_EQ(refusal("y,x\ngood,2\nbad,3\n", {.positive = "Good"}),
            "positive = Good: column y of a.csv has the values \"bad\" and \"good\": must be one of them");
  EXPECT_EQ(refusal("y,x\n0,2\n1,3\n", {.positive = "yes"}),
            "positive = yes: column y of a.csv has the values 0 and 1: must be one of them");
}

TEST(LogisticData, RefusesOutcomesOfOtherThanTwoValues) {
  EXPECT_EQ(refusal("y,x\n1,2\n0,3\n2,4\n", {.response = "y"}),
            "a.csv:4, column y is 2: the response must be 0 or 1, or have two values");
  EXPECT_TRUE(mentions(refusal("y,x\nd,2\nc,3\nb,3\na,1\n"), {"(\"a\", \"b\", \"c\", …)"}));
  EXPECT_EQ(refusal("y,x\nyes,2\nYes,3\nNO,4\n", {.response = "y"}),
            "a.csv: column y is text (\"NO\", \"Yes\", \"yes\"): the response must be 0 or 1, or have two values; "
            "\"Yes\" and \"yes\" differ in capitals or spaces only: write them alike");
  EXPECT_TRUE(mentions(refusal("y,x\nno,2\n\"no \",3\nyes,4\n"), {"\"no\" and \"no \" differ in capitals or spaces"}));
  EXPECT_EQ(refusal("y,x\na,2\nb,3\nc,4\n").find("alike"), std::string::npos);
  EXPECT_EQ(refusal("y,x\n1,2\n1,3\n", {.response = "y"}),
            "a.csv: column y is 1 in every row: the response must be 0 in some and 1 in others");
  EXPECT_EQ(refusal("age,died,sex\n34,0,m\n40,1,f\n51,0,f\n"),
            "a.csv:2, column age is 34: the response must be 0 or 1, or have two values. No --response was given: the "
            "first column "
            "was taken, as none is called y. Name another with --response COLUMN; of two values are: died, sex");
}

TEST(LogisticData, RefusesMissingAndInfiniteValuesByRow) {
  EXPECT_EQ(refusal("y,x,g\n1,2,a\n0,NA,b\n1,3,?\n,4,a\n"),
            "a.csv:3, column x is missing (and 2 more): every value must be there; --na drop leaves such rows out, "
            "--drop COLUMN "
            "a column; or fill them in");
  EXPECT_TRUE(mentions(refusal("y,x,g\n1,2,a\n0,3,\n"), {"a.csv:3, column g is missing: every value must be there"}));
  EXPECT_EQ(refusal("y,x\n1,2\n0,-inf\n"), "a.csv:3, column x is -inf: must be finite");
}

TEST(LogisticData, RefusesColumnsWithoutInformation) {
  EXPECT_EQ(refusal("y,x,z\n1,2,5\n0,3,5\n"),
            "a.csv: column z is constant (5): it carries no information, so remove it (--drop)");
  EXPECT_EQ(refusal("y,x,g\n1,2,all\n0,3,all\n"),
            "a.csv: column g is constant (\"all\"): it carries no information, so remove it (--drop)");
  EXPECT_TRUE(mentions(refusal("y,z\n1,2\n0,2\n", {.intercept = false}), {"column z is constant"}));
}

TEST(LogisticData, RefusesIdentifiersAndNamesThatCoincide) {
  std::string ids = "y,id\n";
  for (int i = 0; i < 101; ++i) ids += std::to_string(i % 2) + ",person" + std::to_string(i) + "\n";
  EXPECT_EQ(
      refusal(ids),
      "a.csv: column id has 101 different texts (\"person0\", …): at most 100 are allowed for a category; is it an "
      "identifier? Then leave it out (--drop)");
  for (const std::string_view date : {"2030-01-31", "31.1.2030", "1/31/30", "2030-01-31 12:00"})
    EXPECT_TRUE(mentions(refusal(fmt::format("y,day\n1,{0}\n0,{0}T\n", date)), {"column day holds dates", "--drop"}))
        << date;
  EXPECT_EQ(from_text("y,part\n1,1-2-3-x\n0,12-345-6\n").names().size(), 2U) << "no date";
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
