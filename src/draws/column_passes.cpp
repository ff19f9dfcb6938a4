#include "draws/column_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "core/parallel.hpp"
#include "core/shown.hpp"
#include "darboux/core/batch.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

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
  std::vector<std::size_t> columns = options.columns;
  if (columns.empty()) {
    columns.resize(files[0].columns().size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
  }
  ColumnStore store(files.size(), columns.size(), options.memory);
  std::vector<StanCsvPass> passes(files.size());
  parallel_for(threads_or_all(options.threads), std::ssize(files), [&](Index i) {
    passes[at(i)] = files[at(i)].for_each_row(columns, [&](std::span<const double> values, Phase phase) {
      if (phase == Phase::sampling) store.add(at(i), values);
    });
    store.end(at(i));
    require_draws(files[at(i)], passes[at(i)]);
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::vector<double> draws = store.column(i);
    visit({.column = columns[i], .name = files[0].columns()[columns[i]], .chains = chains_of(draws, store)});
  }
  return passes;
}

std::vector<std::span<const double>> chains_of(std::span<const double> column, const ColumnStore& store) {
  std::vector<std::span<const double>> chains;
  for (std::size_t c = 0; c < store.chains(); ++c) {
    chains.push_back(column.first(store.rows(c)));
    column = column.subspan(store.rows(c));
  }
  return chains;
}

int threads_or_all(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace darboux
