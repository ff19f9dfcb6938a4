#include "data_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <numeric>
#include <utility>

#include "io/csv.hpp"
#include "io/file.hpp"
#include "model/standardise.hpp"

namespace darboux::experiments {

namespace {

constexpr std::uint64_t subset_seed = 1;

/// FNV-1a, 64 bits: to notice a change, not an attack.
std::string checksum_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}", hash);
}

const std::vector<double>& numbers_in(const CsvTable& table, const std::string& column) {
  const CsvColumn* found = table.find(column);
  if (found == nullptr || found->kind != CsvColumn::Kind::number || !found->missing.empty())
    throw InputError(fmt::format("{}: must have a column {} with a number in every row", table.file, column));
  return found->numbers;
}

}  // namespace

std::vector<DataSet> list_data_sets(const std::filesystem::path& folder) {
  const CsvTable table = read_csv(folder / "sets.csv");
  const CsvColumn* names = table.find("name");
  if (names == nullptr || names->kind != CsvColumn::Kind::text)
    throw InputError(fmt::format("{}: must have a column name", table.file));
  std::vector<DataSet> sets;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.rows); ++i) {
    const auto count = [&](const char* column) { return static_cast<Index>(numbers_in(table, column)[i]); };
    sets.push_back({.name = names->levels.at(static_cast<std::size_t>(names->codes[i])),
                    .rows = count("rows"),
                    .features = count("columns"),
                    .training_rows = count("training_rows")});
    const DataSet& set = sets.back();
    if (set.training_rows < 1 || set.training_rows > set.rows)
      throw InputError(fmt::format("{}: training_rows = {} of {}: must be 1 to {}", table.file, set.training_rows,
                                   set.name, set.rows));
    sets.back().checksum = checksum_of(read_text(folder / (sets.back().name + ".csv")));
  }
  return sets;
}

std::vector<Index> random_subset(Index rows, Index count, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  const auto chosen = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < chosen; ++i) {  // the beginning of Fisher and Yates' shuffle
    const auto left = static_cast<double>(order.size() - i);
    std::swap(order[i], order[i + static_cast<std::size_t>(random.uniform() * left)]);
  }
  order.resize(chosen);
  std::sort(order.begin(), order.end());
  return order;
}

LogisticTask load_task(const DataSet& set, const std::filesystem::path& folder) {
  const CsvTable table = read_csv(folder / (set.name + ".csv"));
  if (table.rows != set.rows || std::ssize(table.columns) != set.features + 1)
    throw InputError(fmt::format("{}: has {} rows and {} features, must have {} and {} as sets.csv says", table.file,
                                 table.rows, std::ssize(table.columns) - 1, set.rows, set.features));
  const std::vector<Index> rows = random_subset(set.rows, set.training_rows, subset_seed);
  Matrix features(set.training_rows, set.features);
  std::vector<double> y;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    y.push_back(numbers_in(table, "y")[row]);
    for (Index j = 0; j < set.features; ++j)
      features(static_cast<Index>(i), j) = numbers_in(table, fmt::format("x{}", j + 1))[row];
  }
  standardise(features);
  LogisticTask task{
      .model = std::make_shared<const LogisticRegression>(features, std::move(y)), .mode = {}, .fisher = {}};
  task.mode = task.model->mode();
  task.fisher = task.model->fisher_information(task.mode);
  return task;
}

}  // namespace darboux::experiments
