#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "table.hpp"

namespace darboux::experiments {

/// A part of an experiment that is computed by itself, and not again once it is there.
struct Cell {
  std::string key;                  ///< its file's name: words and -, joined by /
  nlohmann::ordered_json settings;  ///< all that the result depends on
  double cost = 1.0;                ///< what it is expected to take, in any unit
  /// Returns early, with anything, once `stop` is true.
  std::function<Tables(const std::atomic<bool>& stop)> compute;
};

struct CellProgress {
  std::size_t done = 0, reused = 0, all = 0;
  double seconds = 0.0;
  std::optional<double> seconds_left;  ///< none before anything was computed
};

struct CellOptions {
  std::filesystem::path folder;  ///< where results are kept, one file for each cell
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const CellProgress&)> on_progress;  ///< from any thread, one call at a time
};

/// The result of a cell, where it is there.
[[nodiscard]] std::optional<Tables> kept_tables(const Cell& cell, const std::filesystem::path& folder);

/// Computes the cells whose results are not in the folder yet, the dearest first, and joins all tables in the order of the
/// cells. A result is kept with the settings it was computed with and used again only if they are the same. Nothing is
/// returned if it was stopped before all were done. If a cell fails, the others are still computed; the exception then names
/// the cell.
[[nodiscard]] std::optional<Tables> run_cells(const std::vector<Cell>& cells, const CellOptions& options);

}  // namespace darboux::experiments
