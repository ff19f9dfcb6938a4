#include "report/coefficients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "diagnose/quantiles.hpp"
#include "report/run_columns.hpp"
#include "support/expect.hpp"
#include "synthetic_run.hpp"

namespace darboux {
namespace {

using testing::mentions;

/// Two predictors, a number and a category, and an intercept, as the files of a run and its manifest have them.
class Coefficients : public testing::WithRuns {
 protected:
  static constexpr std::uint64_t draws = 500;
  /// The draws, made of numbers between −½ and ½.
  static double intercept(std::uint64_t chain, std::uint64_t i) {
    return -2.0 + testing::scattered(chain * 7919 + 3 * i);
  }
  static double age(std::uint64_t chain, std::uint64_t i) {
    return 0.02 + 0.01 * testing::scattered(chain * 104729 + 5 * i + 1);
  }
  static double group(std::uint64_t chain, std::uint64_t i) {
    return -0.5 + testing::scattered(chain * 1299709 + 11 * i + 2);
  }

  [[nodiscard]] ReportedRun regression() const {
    ReportedRun run{.name = "run", .input = {}, .summary = {}};
    for (std::uint64_t chain = 1; chain <= 4; ++chain) {
      std::ostringstream text;
      text.precision(17);
      text << "# model = logistic\n# method = sample (Default)\nlp__,energy__,intercept,age,group_b\n";
      for (std::uint64_t i = 0; i < draws; ++i)
        text << -1.0 - testing::scattered(i) << "," << 2.0 + testing::scattered(i + 9) << "," << intercept(chain, i)
             << "," << age(chain, i) << "," << group(chain, i) << "\n";
      run.input.draws.emplace_back(file("chain_" + std::to_string(chain) + ".csv", text.str()));
    }
    run.manifest.emplace();
    run.manifest->asked.set("model", "logistic");
    const auto predictor = [](const char* name, const char* column, const char* kind, double mean, double sd,
                              double scale) {
      return ValueTree(ValueTree::Entries{{"name", name},
                                          {"column", column},
                                          {"kind", kind},
                                          {"mean", mean},
                                          {"sd", sd},
                                          {"scale", scale},
                                          {"level", "b"}});
    };
    run.manifest->data = ValueTree(ValueTree::Entries{
        {"file", "my.csv"},
        {"checksum", "crc32 0badcafe"},
        {"rows", 995},
        {"rows_left_out", 5},
        {"outcome", ValueTree::Entries{{"column", "survived"},
                                       {"chosen", "first"},
                                       {"positive", "yes"},
                                       {"negative", "no"},
                                       {"positives", 342},
                                       {"negatives", 653}}},
        {"predictors", ValueTree::List{predictor("age", "age", "number", 40.0, 12.5, 12.5),
                                       predictor("group[b]", "group", "indicator", 0.25, 0.433, 1.0)}},
        {"categories", ValueTree::List{ValueTree::Entries{{"column", "group"},
                                                          {"baseline", "a"},
                                                          {"levels", ValueTree::List{"a", "b"}},
                                                          {"rows", ValueTree::List{746, 249}}}}},
        {"left_out", ValueTree::List{"id", "name, full"}},
        {"remarks", ValueTree::List{"Columns are separated by semicolons."}}});
    const auto prior = [](const char* name, double sd, double standardised) {
      return ValueTree(ValueTree::Entries{{"name", name}, {"mean", 0}, {"sd", sd}, {"standardised_sd", standardised}});
    };
    run.manifest->prior = ValueTree(ValueTree::Entries{
        {"text", "coefficients N(0, 1)"},
        {"parameters", ValueTree::List{prior("intercept", 10.4, 10), prior("age", 0.08, 1), prior("group[b]", 1, 1)}}});
    SummarisedRun summarised = summarise_for_report(run.input);
    run.summary = std::move(summarised.summary);
    run.columns = std::move(summarised.columns);
    return run;
  }
  [[nodiscard]] std::vector<CoefficientView> views(const ReportedRun& run) const {
    return coefficients_of(regression_of(*run.manifest).value(), run, *run.columns);
  }
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[values.size() / 2 - 1] + values[values.size() / 2]);
}

TEST_F(Coefficients, AreOfAStepThatReadersCompare) {
  const ReportedRun run = regression();
  const auto found = views(run);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].step, "12.5, one sd");
  EXPECT_EQ(found[2].step, "b instead of a");
  const Summary& age = run.summary.rows[2].values;
  EXPECT_DOUBLE_EQ(found[1].median, 12.5 * age.median);
  EXPECT_DOUBLE_EQ(found[1].q5, 12.5 * age.q5);
  EXPECT_DOUBLE_EQ(found[1].q95, 12.5 * age.q95);
  EXPECT_DOUBLE_EQ(found[1].prior_sd, 12.5 * 0.08);
  EXPECT_EQ(found[1].above_zero, 1.0);
  EXPECT_DOUBLE_EQ(found[2].median, run.summary.rows[3].values.median) << "a category is a step";
}

TEST_F(Coefficients, InterceptIsAtTheMeanOfThePredictors) {
  const auto found = views(regression());
  std::vector<double> wanted;
  for (std::uint64_t chain = 1; chain <= 4; ++chain)
    for (std::uint64_t i = 0; i < draws; ++i)
      wanted.push_back(intercept(chain, i) + 40.0 * age(chain, i) + 0.25 * group(chain, i));
  EXPECT_NEAR(found[0].median, median_of(wanted), 2e-3);
  EXPECT_EQ(found[0].prior_sd, 10.0);
}

TEST_F(Coefficients, ReportHasThemInBothUnitsWithTheirPrior) {
  const ReportedRun run = regression();
  const Report report = run_report(run);
  const auto section = [&](std::string_view id) {
    return *std::find_if(report.sections.begin(), report.sections.end(), [&](const auto& s) { return s.id == id; });
  };
  const ReportSection coefficients = section("coefficients");
  EXPECT_TRUE(mentions(coefficients.text.at(0), {"Prior: coefficients N(0, 1)."}));
  const auto& age = coefficients.table.value().rows.at(1);
  EXPECT_EQ(age.at(0).text, "age");
  EXPECT_DOUBLE_EQ(std::get<double>(age.at(2).value), 12.5 * run.summary.rows[2].values.median);
  EXPECT_DOUBLE_EQ(std::get<double>(age.at(5).value), std::exp(12.5 * run.summary.rows[2].values.median));
  EXPECT_DOUBLE_EQ(std::get<double>(age.at(6).value), std::exp(12.5 * run.summary.rows[2].values.q5));
  EXPECT_DOUBLE_EQ(std::get<double>(age.at(7).value), std::exp(12.5 * run.summary.rows[2].values.q95));
  EXPECT_DOUBLE_EQ(std::get<double>(age.at(9).value), run.summary.rows[2].values.median) << "per unit";
  EXPECT_TRUE(std::isnan(std::get<double>(coefficients.table->rows.at(0).at(5).value)))
      << "the intercept's is no ratio";
  const ReportSection main = section("main");
  EXPECT_EQ(std::get<1>(main.figures.at(0).data.at(0).values), (std::vector<std::string>{"age", "group[b]"}));
  EXPECT_TRUE(mentions(main.figures.at(0).spec, {"effect (log odds)"}));
  const ReportSection data = section("data");
  EXPECT_TRUE(mentions(data.title, {"survived is yes in 342 of 995 rows (34.4"}));
  EXPECT_TRUE(mentions(data.text.at(0),
                       {"taken by default", "yes counts as 1 and no as 0", "5 rows", "not used: id, \"name, full\"."}));
  EXPECT_EQ(data.text.at(1), "Columns are separated by semicolons.");
  EXPECT_EQ(data.text.at(2), "File: my.csv, crc32 0badcafe.");
  EXPECT_EQ(data.numbers.at(0).rows.at(0).at(1).text, "a (baseline)");
  EXPECT_EQ(data.numbers.at(0).rows.at(0).at(2).text, "746");
}

/// Of more than a figure can show, those whose sign is the clearest, in the order of the table.
TEST(CoefficientFigures, ShowTheClearestOfMany) {
  const Summary reported{};
  std::vector<CoefficientView> all{{.name = "intercept", .q5 = -9.1, .median = -9.0, .q95 = -8.9, .above_zero = 0.0}};
  const auto is_clear = [](int i) { return i % 2 == 1 && i < 72; };  // 36; of the others those with the larger numbers
  for (int i = 0; i < 100; ++i) {
    const double median = is_clear(i) ? (i % 4 == 1 ? 2.0 : -2.0) : 0.001 * i;
    all.push_back({.name = "x" + std::to_string(i),
                   .q5 = median - 0.5,
                   .median = median,
                   .q95 = median + 0.5,
                   .values = &reported,
                   .prior_sd = 1.0,
                   .density = Density{.low = median - 1.0, .width = 0.5, .heights = {0.1, 0.5, 0.8, 0.5, 0.1}}});
  }
  std::vector<std::string> expected;
  for (int i = 0; i < 100; ++i)
    if (is_clear(i) || i >= 96) expected.push_back("x" + std::to_string(i));
  ASSERT_EQ(expected.size(), 40U);
  const Figure figure = effects_figure(all).value();
  EXPECT_EQ(std::get<1>(figure.data.at(0).values), expected);
  EXPECT_EQ(figure.title, "36 of 100 effects (90 % intervals) lie away from zero");
  EXPECT_TRUE(mentions(figure.caption, {"Of 100 the 40 that are the clearest; the table has all."}));
  const ReportSection section = coefficient_section({}, all);
  EXPECT_EQ(section.table->rows.size(), 101U);
  const auto& of_densities = std::get<1>(section.figures.at(0).data.at(0).values);
  EXPECT_EQ(std::set<std::string>(of_densities.begin(), of_densities.end()),
            std::set<std::string>(expected.begin(), expected.end()));
  EXPECT_TRUE(mentions(section.figures.at(0).caption, {"Of 100 the 40 that"}));
  all.resize(41);
  EXPECT_EQ(std::get<1>(effects_figure(all)->data.at(0).values).size(), 40U);
  EXPECT_EQ(effects_figure(all)->caption.find("clearest"), std::string::npos);
}

/// Steps are named as they are: two values are one only where they were not divided by their standard deviation.
TEST_F(Coefficients, StepsAreThoseOfTheTable) {
  const ReportedRun run = regression();
  RegressionFacts facts = regression_of(*run.manifest).value();
  const auto text = [&] { return coefficient_section(facts, views(run)).text.at(1); };
  EXPECT_TRUE(mentions(text(), {"one standard deviation of a number, or a category instead of the baseline."}));
  facts.predictors.at(1).kind = "two-valued";
  EXPECT_TRUE(mentions(text(), {"of a number, or the other of two values."}));
  facts.all_by_sd = true;
  EXPECT_TRUE(mentions(text(), {"of a number, or one standard deviation of a column with two values."}));
  EXPECT_FALSE(regression_of(*run.manifest)->all_by_sd);
  ReportedRun by_sd = run;
  by_sd.manifest->data.set("standardise", "all");
  EXPECT_TRUE(regression_of(*by_sd.manifest)->all_by_sd);
}

/// In every row both densities enclose the same area, as far as they are seen.
TEST_F(Coefficients, PriorStandsBehindEachPosteriorOnOneScale) {
  const Report report = run_report(regression());
  const auto found = std::find_if(report.sections.begin(), report.sections.end(),
                                  [](const auto& s) { return s.id == "coefficients"; });
  const Figure& figure = found->figures.at(0);
  const auto& of = std::get<1>(figure.data.at(1).values);
  const auto& name = std::get<1>(figure.data.at(0).values);
  const auto& value = std::get<0>(figure.data.at(2).values);
  const auto& base = std::get<0>(figure.data.at(3).values);
  const auto& top = std::get<0>(figure.data.at(4).values);
  const auto area = [&](const std::string& kind) {
    double sum = 0.0;
    for (std::size_t i = 1; i < of.size(); ++i)
      if (of[i] == kind && of[i - 1] == kind && name[i] == "age" && name[i - 1] == "age")
        sum += (value[i] - value[i - 1]) * 0.5 * (top[i] - base[i] + top[i - 1] - base[i - 1]);
    return sum;
  };
  double seen = 0.0;  // of the prior N(0, 1) of age, within the axis
  const auto [low, high] = std::minmax_element(value.begin(), value.end());
  seen = 0.5 * (std::erf(*high / std::numbers::sqrt2) - std::erf(*low / std::numbers::sqrt2));
  EXPECT_NEAR(area("prior") / area("posterior"), seen, 0.02);
}

TEST(Densities, AreThoseOfTheDraws) {
  std::vector<double> draws;
  for (int i = 0; i < 4000; ++i) draws.push_back(3.0 + 2.0 * normal_quantile((((i * 7919) % 4000) + 0.5) / 4000.0));
  const Density density = density_of(draws, 4000.0).value();
  double area = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < density.heights.size(); ++i) {
    const double x = (density.low + density.width * static_cast<double>(i) - 3.0) / 2.0;
    area += density.width * density.heights[i];
    worst = std::max(worst,
                     std::abs(density.heights[i] - std::exp(-0.5 * x * x) / (2.0 * std::sqrt(2.0 * std::numbers::pi))));
  }
  EXPECT_NEAR(area, 1.0, 0.01);
  EXPECT_LT(worst, 0.01) << "of 0.2 at the peak";
  EXPECT_FALSE(density_of(std::vector<double>(100, 1.0), 100.0).has_value()) << "no draws that vary";
}

TEST(Regressions, AreNotReadWhereTheManifestHasNone) {
  EXPECT_FALSE(regression_of(RunManifest()).has_value());
  RunManifest stan;
  stan.data.set("file", "x.json");
  EXPECT_FALSE(regression_of(stan).has_value());
}

}  // namespace
}  // namespace darboux
