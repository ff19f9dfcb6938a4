#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "report/run_input.hpp"
#include "report/run_report.hpp"
#include "report_of_runs.hpp"
#include "run/convert.hpp"

/// What a report reads of its files.
namespace darboux {
namespace {

using testing::has_section;
using testing::SyntheticChain;

class ReadOnce : public testing::RunReport {};

/// Bytes that this process has read from files so far.
std::int64_t bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string key;
  std::int64_t bytes = 0;
  in >> key >> bytes;
  EXPECT_EQ(key, "rchar:");
  return bytes;
}

TEST_F(ReadOnce, FilesAreForAllOfAReport) {
  std::vector<SyntheticChain> chains = good_chains();
  for (SyntheticChain& chain : chains) chain.draws = 30'000;
  ReportedRun run{.name = "run", .input = written(chains), .summary = {}};
  run.input.statistics.resize(chains.size());
  std::string statistics = "energy_error__,solver_iterations__,gradients__,direction__,accepted__,status__\n";
  for (int i = 0; i < 30'000; ++i) statistics += "0.25000000000000000,0,3,1,1,0\n";
  std::int64_t size = 0;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    run.input.statistics[c].emplace(file("statistics_" + std::to_string(c), statistics));
    size += static_cast<std::int64_t>(std::filesystem::file_size(run.input.draws[c].path()) + statistics.size());
  }
  const std::int64_t before = bytes_read();
  SummarisedRun summarised = summarise_for_report(run.input);
  run.summary = std::move(summarised.summary);
  run.columns = std::move(summarised.columns);
  const Report once = run_report(run);
  const auto times = static_cast<double>(bytes_read() - before) / static_cast<double>(size);
  EXPECT_GT(times, 0.99);
  EXPECT_LT(times, 1.05);
  run.columns.reset();
  EXPECT_EQ(report_to_json(run_report(run)), report_to_json(once)) << "from the files again";
  EXPECT_TRUE(has_section(once, "energy"));
}

/// Likewise of a store, chunk by chunk.
TEST_F(ReadOnce, AStoreIsForAllOfAReport) {
  std::vector<SyntheticChain> chains = good_chains();
  for (SyntheticChain& chain : chains) chain.draws = 30'000;
  convert_to_zarr(written(chains), path("draws.zarr"));
  std::int64_t size = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("draws.zarr")))
    if (entry.is_regular_file()) size += static_cast<std::int64_t>(entry.file_size());
  const std::int64_t before = bytes_read();
  ReportedRun run{.name = "run", .input = open_runs(std::array{path("draws.zarr")}), .summary = {}};
  SummarisedRun summarised = summarise_for_report(run.input);
  run.summary = std::move(summarised.summary);
  run.columns = std::move(summarised.columns);
  (void)run_report(run);
  const auto times = static_cast<double>(bytes_read() - before) / static_cast<double>(size);
  EXPECT_GT(times, 0.5);
  EXPECT_LT(times, 1.1);
}

}  // namespace
}  // namespace darboux
