#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "draws/stan_csv_reader.hpp"

namespace darboux {

/// Throws InputError, naming the files and the first column that differs, unless all files have the same columns in the same
/// order: what the chains of one model have.
void require_same_columns(std::span<const StanCsvReader> files);

/// One column of several files.
struct ColumnOfChains {
  std::size_t column = 0;  ///< its place in the files
  const std::string& name;
  /// The draws after warm-up, chain by chain; interrupted runs may have chains of different lengths.
  std::span<const std::span<const double>> chains;
};

struct ColumnPassOptions {
  // NOLINTNEXTLINE(readability-redundant-member-init): so designated initialisers may leave it out without a warning
  std::vector<std::size_t> columns{};          ///< which, and in which order; all of the file's if empty
  std::size_t memory = std::size_t{1} << 30U;  ///< bytes for draws; one column is held even if it takes more
};

/// Visits columns one by one, each with the draws of all chains, and reads the files as often as it takes to stay within
/// memory. The files must have the same columns. Returns what was found in each file. Throws InputError for a file without
/// draws, and before any visit for rows with a wrong number of values.
std::vector<StanCsvPass> for_each_column(std::span<const StanCsvReader> files, const ColumnPassOptions& options,
                                         const std::function<void(const ColumnOfChains&)>& visit);

}  // namespace darboux
