#include "draws/draw_variables.hpp"

#include <gtest/gtest.h>

#include "darboux/core/error.hpp"
#include "draws/sampler_statistics.hpp"
#include "draws/stan_csv_text.hpp"

namespace darboux {
namespace {

std::vector<DrawVariable> of(const std::vector<std::string>& columns) {
  return draw_variables("posterior", columns, columns, {}, 0);
}

TEST(DrawVariables, ColumnsBecomeArrays) {
  const auto found = of({"mu", "m.1.1", "m.2.1", "m.1.2", "m.2.2", "theta.1", "theta.2", "theta.3"});  // Stan's order
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "mu");
  EXPECT_TRUE(found[0].dims.empty());
  EXPECT_EQ(found[1].name, "m");
  EXPECT_EQ(found[1].dims, (std::vector<Dimension>{{"m_dim_0", 2}, {"m_dim_1", 2}}));
  EXPECT_EQ(found[1].places, (std::vector<std::size_t>{1, 3, 2, 4}));
  EXPECT_EQ(found[2].dims, (std::vector<Dimension>{{"theta_dim_0", 3}}));
}

TEST(DrawVariables, WhatIsNoWholeArrayStaysApart) {
  const auto found = of({"a.2", "b", "b.1", "c.1000000000.1000000000", "g.1.1", "g.2.2", "z.1.real", "z.1.imag"});
  std::vector<std::string> names;
  for (const DrawVariable& variable : found) {
    names.push_back(variable.name);
    EXPECT_TRUE(variable.dims.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a[2]", "b", "b[1]", "c[1000000000,1000000000]", "g[1,1]", "g[2,2]",
                                             "z[1].real", "z[1].imag"}));
}

TEST(DrawVariables, IndicesThatNoArrayHasAreNames) {
  std::vector<std::string> columns;  // eleven axes, each as long as there are entries: their product is no number
  for (int i = 1; i <= 60; ++i) {
    columns.emplace_back("a");
    for (int axis = 0; axis < 11; ++axis) columns.back() += "." + std::to_string(axis == i % 11 ? 60 : i);
  }
  EXPECT_EQ(of(columns).size(), columns.size());
  const auto found = of({"x[" + std::string(40, '!') + "]", "x[-1]", "y[]"});
  EXPECT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].name, "x[-1]");
}

TEST(DrawVariables, AnAxisOfNamesIsOneArray) {
  const auto found = draw_variables("posterior", {"Intercept", "age_years"}, {"(Intercept)", "age (years)"},
                                    NamedAxis{"beta", "column"}, 7);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "beta");
  EXPECT_EQ(found[0].dims, (std::vector<Dimension>{{"column", 2, {"(Intercept)", "age (years)"}}}));
  EXPECT_EQ(found[0].places, (std::vector<std::size_t>{7, 8}));
}

TEST(DrawVariables, NamesOfAxesAreRefused) {
  EXPECT_THROW(of({"draw"}), InputError);
  EXPECT_THROW(of({"a.1", "a_dim_0"}), InputError);
}

/// The table says what files of Stan CSV say, column by column.
TEST(SamplerStatistics, AreWhatStanCsvHas) {
  const Transition t{.log_density = -1.5,
                     .step_size = 0.25,
                     .energy_error = 0.125,
                     .acceptance_probability = 0.75,
                     .energy = 7.5,
                     .direction = -1.0,
                     .accepted = true,
                     .status = Status::diverged,
                     .gradients = 31,
                     .solver_iterations = 12,
                     .steps = 9,
                     .tree_depth = 3};
  std::string columns, values, text;
  for (const SamplerStatistic& statistic : sampler_statistics) {
    columns += (columns.empty() ? "" : ",") + std::string(statistic.column);
    if (!values.empty()) values += ',';
    append_number(values, statistic.of(t));
  }
  EXPECT_EQ(columns, std::string(standard_columns) + "," + std::string(statistics_columns));
  append_standard(text, t);
  text += ',';
  append_statistics(text, t);
  EXPECT_EQ(values, text);
}

}  // namespace
}  // namespace darboux
