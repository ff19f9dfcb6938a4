#include "run/draws_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <darboux/core/error.hpp>
#include <filesystem>

#include "report/run_input.hpp"
#include "report/run_report.hpp"
#include "run/draws_content.hpp"
#include "run/file_run.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
namespace fs = std::filesystem;

class DrawsReport : public ::testing::Test {
 protected:
  DrawsReport() {
    config_.model = "banana";
    config_.draws = 200;
    config_.seed = 3;
    config_.threads = 1;
    config_.out = folder_.string();
  }
  ~DrawsReport() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("darboux_draws_report_" + std::to_string(::getpid()));
  RunConfig config_;
};

/// Two runs take different times, if they differ in nothing else.
void forget_seconds(ReportTable& table) {
  for (std::ptrdiff_t i = std::ssize(table.columns) - 1; i >= 0; --i)
    if (table.columns[static_cast<std::size_t>(i)].title == "seconds") {
      table.columns.erase(table.columns.begin() + i);
      for (auto& row : table.rows) row.erase(row.begin() + i);
    }
}

/// What a report says, but for how the run was made.
std::vector<std::string> findings(Report report) {
  std::vector<std::string> texts{report.title};
  for (ReportSection& section : report.sections) {
    if (section.table) forget_seconds(*section.table);
    if (section.id != "configuration") texts.push_back(report_to_json({.title = "", .sections = {section}}));
  }
  return texts;
}

TEST_F(DrawsReport, IsThatOfARunToFiles) {
  const RunPlan plan = make_plan(config_);
  const FileRun files = run_to_files(plan);
  ReportedRun run;
  run.name = "banana";
  run.input = open_runs(std::array{folder_});
  run.manifest = files.manifest;
  run.summary = summarise_run(run.input);
  run.structure = facts_of(plan.sample.settings.structure.value());
  const Draws draws = sample_as_planned(make_plan(config_).sample);
  const Report report = report_of(draws, config_, "do it again");
  EXPECT_EQ(findings(report), findings(run_report(run)));
  EXPECT_EQ(report.sections.back().code, "do it again");
}

TEST_F(DrawsReport, NeedsDraws) {
  const std::atomic<bool> at_once{true};
  const Draws draws = sample_as_planned(make_plan(config_).sample, {.stop = &at_once});
  EXPECT_THAT([&] { (void)report_of(draws, config_, ""); },
              ThrowsMessage<InputError>(HasSubstr("there are no draws to report")));
}

TEST_F(DrawsReport, QuantitiesCanBeExchanged) {
  const Draws draws = sample_as_planned(make_plan(config_).sample);
  const std::size_t chains = static_cast<std::size_t>(draws.chains()), length = static_cast<std::size_t>(draws.size());
  std::vector<double> values(2 * chains * length);  // twice the first quantity, then its square
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t i = 0; i < length; ++i) {
      const double x = draws[draws.names()[0]][c][i];
      values[c * length + i] = 2.0 * x;
      values[(chains + c) * length + i] = x * x;
    }
  const Draws other = with_quantities(draws, {"twice", "square"}, values);
  EXPECT_EQ(other.names(), (std::vector<std::string>{"twice", "square"}));
  const double x = draws[draws.names()[0]][1][7];
  EXPECT_EQ(other["twice"][1][7], 2.0 * x);
  EXPECT_EQ(other["square"][1][7], x * x);
  EXPECT_EQ(other["lp__"][1][7], draws["lp__"][1][7]);
  EXPECT_EQ(other.summary().rows[1].values.mean, 2.0 * draws.summary().rows[1].values.mean);
  EXPECT_EQ(other.result().sampling_gradients, draws.result().sampling_gradients);
  values.pop_back();
  EXPECT_THAT([&] { (void)with_quantities(draws, {"twice", "square"}, values); },
              ThrowsMessage<InputError>(HasSubstr("values: 1599 given, must be 1600, of 2 quantities")));
}

}  // namespace
}  // namespace darboux::testing
