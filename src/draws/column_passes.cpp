#include "draws/column_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/shown.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

/// Counts the draws of every file, none of which may be without.
std::vector<StanCsvPass> count_draws(std::span<const StanCsvReader> files) {
  std::vector<StanCsvPass> passes;
  for (const StanCsvReader& file : files) {
    passes.push_back(file.count_rows());
    require_draws(file, passes.back());
  }
  return passes;
}

/// The columns of one pass, each with room for the draws of all files, one after another.
class ColumnBatch {
 public:
  ColumnBatch(std::span<const StanCsvReader> files, std::span<const std::size_t> columns,
              std::span<const StanCsvPass> counts)
      : draws_(columns.size()) {
    std::size_t rows = 0;
    starts_.push_back(0);
    for (const StanCsvPass& count : counts) starts_.push_back(rows += static_cast<std::size_t>(count.sampling_rows));
    for (auto& column : draws_) column.reserve(rows);
    for (std::size_t f = 0; f < files.size(); ++f) {
      (void)files[f].for_each_row(columns, [&](std::span<const double> values, Phase phase) {
        // A file that a running sampler still writes to may have grown since it was counted.
        if (phase == Phase::warmup || (!values.empty() && draws_[0].size() == starts_[f + 1])) return;
        for (std::size_t i = 0; i < values.size(); ++i) draws_[i].push_back(values[i]);
      });
      if (!draws_.empty() && draws_[0].size() != starts_[f + 1])
        throw InputError(fmt::format("{}: it changed while it was read", files[f].path().string()));
    }
  }

  [[nodiscard]] std::vector<std::span<const double>> chains(std::size_t column) const {
    std::vector<std::span<const double>> out;
    for (std::size_t f = 0; f + 1 < starts_.size(); ++f)
      out.push_back(std::span(draws_[column]).subspan(starts_[f], starts_[f + 1] - starts_[f]));
    return out;
  }

 private:
  std::vector<std::vector<double>> draws_;
  std::vector<std::size_t> starts_;  // of each file's draws within a column, and the end of the last
};

}  // namespace

void require_same_columns(std::span<const StanCsvReader> files) {
  for (const StanCsvReader& file : files) {
    const auto& first = files[0].columns();
    const auto& here = file.columns();
    const auto [a, b] = std::mismatch(first.begin(), first.end(), here.begin(), here.end());
    if (a == first.end() && b == here.end()) continue;
    const auto shown_or_none = [](auto column, auto end) { return column == end ? "missing" : shown(*column); };
    throw InputError(
        fmt::format("{} and {} have different columns and cannot be chains of one run: column {} is {} in "
                    "the first and {} in the second",
                    files[0].path().string(), file.path().string(), a - first.begin() + 1,
                    shown_or_none(a, first.end()), shown_or_none(b, here.end())));
  }
}

std::vector<StanCsvPass> for_each_column(std::span<const StanCsvReader> files, const ColumnPassOptions& options,
                                         const std::function<void(const ColumnOfChains&)>& visit) {
  if (files.empty()) return {};
  require_same_columns(files);
  std::vector<StanCsvPass> passes = count_draws(files);
  const auto rows = std::accumulate(
      passes.begin(), passes.end(), std::size_t{0},
      [](std::size_t sum, const auto& pass) { return sum + static_cast<std::size_t>(pass.sampling_rows); });
  std::vector<std::size_t> columns = options.columns;
  if (columns.empty()) {
    columns.resize(files[0].columns().size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
  }
  const std::size_t at_once = std::max<std::size_t>(1, options.memory / (rows * sizeof(double)));
  for (std::size_t first = 0; first < columns.size(); first += at_once) {
    const auto some = std::span(columns).subspan(first, std::min(at_once, columns.size() - first));
    const ColumnBatch batch(files, some, passes);
    for (std::size_t i = 0; i < some.size(); ++i)
      visit({.column = some[i], .name = files[0].columns()[some[i]], .chains = batch.chains(i)});
  }
  return passes;
}

}  // namespace darboux
