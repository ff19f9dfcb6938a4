#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "draws/column_store.hpp"
#include "draws/stan_csv_reader.hpp"
#include "report/chain_facts.hpp"

namespace darboux {

struct RunInput;

/// Columns of the files of a run, of all chains, as one reading of the files left them.
struct KeptColumns {
  std::vector<std::size_t> columns;  ///< of the files; the store has them in this order
  ColumnStore store;

  /// The place in the store of a column of the files.
  [[nodiscard]] std::optional<std::size_t> find(std::size_t column) const;
};

/// The columns of files of statistics that figures show.
inline constexpr std::array<std::string_view, 5> shown_statistics{"energy_error__", "solver_iterations__",
                                                                  "gradients__", "accepted__", "direction__"};

/// What a summary and a report need of the files of a run.
struct RunColumns {
  std::vector<ChainFacts> facts;  ///< of every file of draws
  KeptColumns draws;
  /// Those of shown_statistics that the first file has; none where they are not wanted.
  std::optional<KeptColumns> statistics;
};

struct ReadOptions {
  std::vector<std::size_t> columns{};   ///< of the files of draws
  bool statistics = false;              ///< whether those are kept, too
  std::size_t memory = default_memory;  ///< bytes for what is kept
  int threads = 0;                      ///< all processors if 0
};

/// Reads every file once, several at a time. Throws InputError as StanCsvReader does.
[[nodiscard]] RunColumns read_columns(const RunInput& input, const ReadOptions& options);

}  // namespace darboux
