#include "draws/column_store.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <darboux/core/error.hpp>
#include <string>

#include "draws/column_passes.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

double number(std::size_t chain, std::size_t row, std::size_t column) {
  return static_cast<double>((chain * 1000 + column) * 1'000'000 + row);
}

/// Chains of several lengths, of which one has no rows, and rows of two chains come by turns.
void fill(ColumnStore& store, std::size_t columns, const std::vector<std::size_t>& rows) {
  std::vector<double> row(columns);
  for (std::size_t i = 0; i < 300'000; ++i)
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (i >= rows[c]) continue;
      for (std::size_t j = 0; j < columns; ++j) row[j] = number(c, i, j);
      store.add(c, row);
    }
  for (std::size_t c = 0; c < rows.size(); ++c) store.end(c);
}

TEST(ColumnStore, GivesColumnsBackFromMemoryAndFromDisk) {
  constexpr std::size_t columns = 3;
  const std::vector<std::size_t> rows{100'000, 0, 45'000, 1};
  for (const std::size_t memory : {std::size_t{0}, std::size_t{2'000'000}, std::size_t{100'000'000}}) {
    ColumnStore store(rows.size(), columns, memory);
    fill(store, columns, rows);
    EXPECT_EQ(store.is_on_disk(), memory < 145'001 * columns * sizeof(double));
    EXPECT_EQ(store.all_rows(), 145'001U);
    for (std::size_t j = 0; j < columns; ++j) {
      const std::vector<double> column = store.column(j);
      const auto chains = chains_of(column, store);
      ASSERT_EQ(chains.size(), rows.size());
      for (std::size_t c = 0; c < rows.size(); ++c) {
        ASSERT_EQ(chains[c].size(), rows[c]);
        for (std::size_t i = 0; i < rows[c]; ++i) ASSERT_EQ(chains[c][i], number(c, i, j)) << c << " " << i << " " << j;
      }
    }
  }
}

TEST(ColumnStore, SaysWhereThereIsNoRoom) {
  ::setenv("TMPDIR", "/nowhere", 1);
  ColumnStore store(1, 1, 0);
  store.add(0, std::vector<double>{1.0});
  const std::string message = message_of<Error>([&] { store.end(0); });
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(mentions(message, {"/nowhere", "No such file", "TMPDIR", "memory"}));
}

}  // namespace
}  // namespace darboux
