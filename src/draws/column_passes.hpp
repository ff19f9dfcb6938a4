#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "draws/column_store.hpp"
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
  std::vector<std::size_t> columns{};   ///< which, and in which order; all of the file's if empty
  std::size_t memory = default_memory;  ///< bytes for draws; one column is held even if it takes more
  int threads = 0;                      ///< that read; as many as there are processors if 0
};

/// Visits columns one by one, each with the draws of all chains. The files are read once, several at a time; draws that do not fit
/// into memory lie in a temporary file meanwhile (ColumnStore). The files must have the same columns. Returns what was found in
/// each file. Throws InputError, before any visit, for a file without draws and for rows with a wrong number of values.
std::vector<StanCsvPass> for_each_column(std::span<const StanCsvReader> files, const ColumnPassOptions& options,
                                         const std::function<void(const ColumnOfChains&)>& visit);

/// The parts of a column of a store that are each chain's.
[[nodiscard]] std::vector<std::span<const double>> chains_of(std::span<const double> column, const ColumnStore& store);

/// As many as were asked for, or as there are processors.
[[nodiscard]] int threads_or_all(int asked);

}  // namespace darboux
