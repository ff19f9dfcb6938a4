#include "report/run_columns.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "draws/column_passes.hpp"
#include "report/run_summary.hpp"

namespace darboux {

namespace {

/// The first file of statistics says which columns they have; there may be none.
std::vector<std::size_t> columns_of_statistics(const RunInput& input) {
  std::vector<StanCsvReader> files;
  for (const auto& file : input.statistics)
    if (file) files.push_back(*file);
  if (files.empty()) return {};
  require_same_columns(files);
  std::vector<std::size_t> columns;
  for (const std::string_view name : shown_statistics)
    if (const auto column = files.front().find_column(name)) columns.push_back(*column);
  return columns;
}

/// Hands rows of a file on to a store.
AlsoRead into(KeptColumns& kept, std::size_t chain) {
  return {.columns = kept.columns, .row = [&kept, chain](std::span<const double> row) { kept.store.add(chain, row); }};
}

}  // namespace

std::optional<std::size_t> KeptColumns::find(std::size_t column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

RunColumns read_columns(const RunInput& input, const ReadOptions& options) {
  const std::size_t chains = input.draws.size();
  const std::vector<std::size_t> statistics =
      options.statistics ? columns_of_statistics(input) : std::vector<std::size_t>{};
  const std::size_t memory = options.memory / (statistics.empty() ? 2 : 4);  // half is for what is done with them
  RunColumns run{.facts = std::vector<ChainFacts>(chains),
                 .draws = {.columns = options.columns, .store = {chains, options.columns.size(), memory}},
                 .statistics = std::nullopt};
  if (!statistics.empty()) run.statistics.emplace(statistics, ColumnStore(chains, statistics.size(), memory));
  parallel_for(threads_or_all(options.threads), static_cast<Index>(chains), [&](Index i) {
    const std::size_t c = at(i);
    run.facts[c] = chain_facts(input.draws[c], c < input.statistics.size() ? input.statistics[c] : std::nullopt,
                               into(run.draws, c), run.statistics ? into(*run.statistics, c) : AlsoRead());
    run.draws.store.end(c);
    if (run.statistics) run.statistics->store.end(c);
  });
  return run;
}

}  // namespace darboux
