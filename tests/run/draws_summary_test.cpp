#include "run/draws_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <darboux/core/error.hpp>

#include "run/draws_content.hpp"
#include "run/run_config.hpp"

namespace darboux::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Draws some_draws() {
  RunConfig config;
  config.model = "gaussian";
  config.dimension = 3;
  config.draws = 50;
  config.seed = 3;
  config.threads = 1;
  return sample_as_planned(make_plan(config).sample);
}

std::vector<std::string> names_of(const RunSummary& summary) {
  std::vector<std::string> names;
  for (const SummaryRow& row : summary.rows) names.push_back(row.name);
  return names;
}

class DrawsSummaryTest : public ::testing::Test {
 protected:
  RunSummary summary() const { return run_summary(draws_, options_); }
  double mean_of(std::string_view name) const {
    double sum = 0.0, count = 0.0;
    for (const std::span<const double> chain : draws_[name])
      for (const double x : chain) {
        sum += x;
        ++count;
      }
    return sum / count;
  }

  Draws draws_ = some_draws();
  DrawsSummaryOptions options_;
};

TEST_F(DrawsSummaryTest, HasTheRowsThatAreAskedFor) {
  EXPECT_THAT(names_of(summary()), ElementsAre("lp__", "q[1]", "q[2]", "q[3]"));
  options_.parameters = "q[3],lp__";
  const RunSummary some = summary();
  EXPECT_THAT(names_of(some), ElementsAre("lp__", "q[3]"));
  EXPECT_NEAR(some.rows[0].values.mean, mean_of("lp__"), 1e-12);
  EXPECT_NEAR(some.rows[1].values.mean, mean_of("q[3]"), 1e-12);
  EXPECT_EQ(some.columns_in_file, 4U);
  options_.parameters = "p";
  EXPECT_THAT([&] { (void)summary(); }, ThrowsMessage<InputError>(HasSubstr("unknown parameter \"p\"")));
}

TEST_F(DrawsSummaryTest, CallsQuantitiesWhatPeopleDo) {
  options_.names = {"q[Ulm]", "q[Bonn]", "q[Rome]"};
  EXPECT_THAT(names_of(summary()), ElementsAre("lp__", "q[Ulm]", "q[Bonn]", "q[Rome]"));
  for (const char* wanted : {"q[Bonn]", "q[2]"}) {
    options_.parameters = wanted;
    const RunSummary one = summary();
    EXPECT_THAT(names_of(one), ElementsAre("q[Bonn]"));
    EXPECT_NEAR(one.rows[0].values.mean, mean_of("q[2]"), 1e-12);
  }
}

}  // namespace
}  // namespace darboux::testing
