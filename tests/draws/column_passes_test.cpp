#include "draws/column_passes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <darboux/core/error.hpp>
#include <map>

#include "draws/stan_csv_writer.hpp"
#include "support/expect.hpp"
#include "temporary_folder.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

class ColumnPasses : public testing::WithFolder {
 protected:
  [[nodiscard]] std::vector<StanCsvReader> chains(std::initializer_list<std::string_view> texts) const {
    std::vector<StanCsvReader> out;
    for (const std::string_view text : texts)
      out.emplace_back(file("chain_" + std::to_string(out.size() + 1) + ".csv", text));
    return out;
  }
};

using Chains = std::vector<std::vector<double>>;

TEST_F(ColumnPasses, EveryColumnComesWithAllChainsWhateverTheMemory) {
  const auto files = chains({"# save_warmup = 1\nx,y,z\n9,9,9\n# Adaptation terminated\n1,2,3\n4,5,6\n",
                             "x,y,z\n10,20,30\n40,50,60\n70,80,90\n"});
  for (const std::size_t memory : {0U, 100U, 1000000U}) {
    std::vector<std::string> order;
    std::map<std::string, Chains> seen;
    const auto passes = for_each_column(files, {.memory = memory}, [&](const ColumnOfChains& column) {
      order.push_back(column.name);
      for (const auto chain : column.chains) seen[column.name].emplace_back(chain.begin(), chain.end());
    });
    EXPECT_EQ(order, (std::vector<std::string>{"x", "y", "z"}));
    EXPECT_EQ(seen["x"], (Chains{{1, 4}, {10, 40, 70}}));
    EXPECT_EQ(seen["z"], (Chains{{3, 6}, {30, 60, 90}}));
    EXPECT_EQ(passes[0].warmup_rows, 1);
    EXPECT_EQ(passes[1].sampling_rows, 3);
  }
}

TEST_F(ColumnPasses, ChosenColumnsComeInTheOrderAskedFor) {
  const auto files = chains({"x,y,z\n1,2,3\n"});
  std::vector<std::size_t> order;
  for_each_column(files, {.columns = {2, 0}}, [&](const ColumnOfChains& column) { order.push_back(column.column); });
  EXPECT_EQ(order, (std::vector<std::size_t>{2, 0}));
}

TEST_F(ColumnPasses, FilesOfDifferentModelsAreRefused) {
  const auto refusal = [&](std::string_view a, std::string_view b) {
    const auto files = chains({a, b});
    return message_of<InputError>([&] { for_each_column(files, {}, [](const ColumnOfChains&) {}); });
  };
  EXPECT_TRUE(mentions(refusal("x,y\n1,2\n", "x,z\n1,2\n"),
                       {"chain_1.csv", "chain_2.csv", "different columns", "column 2", "\"y\"", "\"z\""}));
  EXPECT_TRUE(mentions(refusal("x,y\n1,2\n", "x\n1\n"), {"column 2", "\"y\" in the first", "missing in the second"}));
  EXPECT_TRUE(mentions(refusal("x\n1\n", "x,y\n1,2\n"), {"missing in the first", "\"y\" in the second"}));
  EXPECT_TRUE(mentions(refusal("x\n1\n", "x\n"), {"chain_2.csv", "no draws"}));
}

TEST_F(ColumnPasses, AFileOfTwoHundredMegabytesNeedsLittleMemory) {
  if (std::getenv("DARBOUX_LONG") == nullptr) GTEST_SKIP() << "takes seconds: set DARBOUX_LONG";
  constexpr int rows = 100000, columns = 100;
  StanCsvHeader header;
  header.sampling_iterations = rows;
  std::vector<std::string> names;
  for (int j = 1; j <= columns; ++j) names.push_back(std::string("x[").append(std::to_string(j)).append("]"));
  {
    StanCsvWriter writer({.draws = path("big.csv")}, header, names);
    writer.end_warmup({.step_size = 1});
    std::vector<double> values(columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) values[static_cast<std::size_t>(j)] = (i + 1) / (j + 3.0) + 1e-9;
      writer.draw(values, {});
    }
    writer.finish({});
  }
  EXPECT_GT(std::filesystem::file_size(path("big.csv")), 170000000U);
  const std::vector<StanCsvReader> files{StanCsvReader(path("big.csv"))};
  std::size_t visited = 0;
  for_each_column(files, {.memory = 20000000}, [&](const ColumnOfChains& column) {
    ++visited;
    if (column.column < 7) return;
    const auto draws = column.chains[0];
    ASSERT_EQ(draws.size(), std::size_t{rows});
    EXPECT_EQ(draws[rows - 1], rows / (static_cast<double>(column.column) - 4.0) + 1e-9);
  });
  EXPECT_EQ(visited, std::size_t{columns} + 7);
}

}  // namespace
}  // namespace darboux
