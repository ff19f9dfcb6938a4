#include "cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <darboux/core/error.hpp>
#include <mutex>
#include <numeric>

#include "core/parallel.hpp"
#include "io/file.hpp"

namespace darboux::experiments {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path file_of(const Cell& cell, const fs::path& folder) { return folder / (cell.key + ".json"); }

void keep(const Cell& cell, const fs::path& folder, const Tables& tables) {
  const fs::path file = file_of(cell, folder);
  fs::create_directories(file.parent_path());
  write_text(file, Json{{"settings", cell.settings}, {"tables", to_json(tables)}}.dump() + "\n");
}

/// Counts what is done and guesses what is left, by the costs that cells announced.
class Ledger {
 public:
  Ledger(const std::vector<Cell>& cells, const CellOptions& options) : options_(options) {
    progress_.all = cells.size();
    for (const Cell& cell : cells) cost_left_ += cell.cost;
  }
  void found(const Cell& cell) {
    cost_left_ -= cell.cost;
    ++progress_.done;
    ++progress_.reused;
  }
  void computed(const Cell& cell) {
    const std::scoped_lock lock(mutex_);
    cost_left_ -= cell.cost;
    cost_done_ += cell.cost;
    ++progress_.done;
    progress_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    progress_.seconds_left = progress_.seconds * cost_left_ / cost_done_;
    tell();
  }
  void tell() const {
    if (options_.on_progress) options_.on_progress(progress_);
  }

 private:
  const CellOptions& options_;
  CellProgress progress_;
  double cost_left_ = 0.0, cost_done_ = 0.0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

}  // namespace

/// A file that cannot be read as a result of these settings is as good as none.
std::optional<Tables> kept_tables(const Cell& cell, const fs::path& folder) {
  const fs::path file = file_of(cell, folder);
  if (!fs::exists(file)) return std::nullopt;
  try {
    const Json json = Json::parse(read_text(file));
    if (json.at("settings") != cell.settings) return std::nullopt;
    return tables_from_json(json.at("tables"));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<Tables> run_cells(const std::vector<Cell>& cells, const CellOptions& options) {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& stop = options.stop != nullptr ? *options.stop : never;
  Ledger ledger(cells, options);
  std::vector<std::optional<Tables>> results(cells.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    results[i] = kept_tables(cells[i], options.folder);
    if (results[i])
      ledger.found(cells[i]);
    else
      open.push_back(i);
  }
  ledger.tell();
  std::sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
    return cells[a].cost != cells[b].cost ? cells[a].cost > cells[b].cost : a < b;
  });
  parallel_for(options.threads, std::ssize(open), [&](Index k) {
    const std::size_t i = open[static_cast<std::size_t>(k)];
    if (stop) return;
    try {
      Tables tables = cells[i].compute(stop);
      if (stop) return;  // it may be incomplete
      keep(cells[i], options.folder, tables);
      results[i] = std::move(tables);
    } catch (const std::exception& e) {
      throw Error(fmt::format("{}: {}", cells[i].key, e.what()));
    }
    ledger.computed(cells[i]);
  });
  Tables all;
  for (const std::optional<Tables>& result : results) {
    if (!result) return std::nullopt;
    for (const auto& [name, table] : *result) append(all[name], table);
  }
  return all;
}

}  // namespace darboux::experiments
