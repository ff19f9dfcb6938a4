#include "report/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "darboux/core/error.hpp"
#include "diagnose/describe.hpp"
#include "draws/column_passes.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

bool is_samplers(std::string_view column) { return column.ends_with("__"); }

void require_stan_csv(const StanCsvReader& file) {
  if (looks_like_stan_csv(file)) return;
  throw InputError(fmt::format(
      "{}: this is no Stan CSV file of draws: it has neither comments like \"# num_samples = 1000\" at its top "
      "nor a column lp__; give files that darboux sample or CmdStan wrote",
      file.path().string()));
}

/// What a summary can be about.
std::vector<std::size_t> require_quantities(const StanCsvReader& file) {
  std::vector<std::size_t> columns = summarised_columns(file);
  if (!columns.empty()) return columns;
  throw InputError(
      fmt::format("{}: there is no quantity to summarise: all columns are statistics of the sampler, whose names end "
                  "in __; give files of draws, which have a column lp__",
                  file.path().string()));
}

bool stands_still(std::span<const double> chain) {
  return std::all_of(chain.begin(), chain.end(), [&](double x) { return x == chain.front(); });
}

/// Every gradient is known, or the sum is not.
std::optional<std::int64_t> sum_of_gradients(const std::vector<ChainFacts>& chains) {
  std::int64_t sum = 0;
  for (const ChainFacts& chain : chains) {
    if (chain.draws > 0 && !chain.gradients) return std::nullopt;
    sum += chain.gradients.value_or(0);
  }
  return sum;
}

}  // namespace

std::size_t RunSummary::chains_with_draws() const {
  return static_cast<std::size_t>(
      std::count_if(chains.begin(), chains.end(), [](const auto& c) { return c.draws > 0; }));
}

std::int64_t RunSummary::divergences() const {
  return std::accumulate(chains.begin(), chains.end(), std::int64_t{0}, [](std::int64_t sum, const ChainFacts& chain) {
    return sum + static_cast<std::int64_t>(chain.divergent_draws.size());
  });
}

bool looks_like_stan_csv(const StanCsvReader& file) {
  const auto& columns = file.columns();
  return !file.settings().empty() || std::any_of(columns.begin(), columns.end(), is_samplers);
}

std::vector<std::size_t> summarised_columns(const StanCsvReader& file) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < file.columns().size(); ++i)
    if (const std::string& column = file.columns()[i]; column == "lp__" || !is_samplers(column)) columns.push_back(i);
  return columns;
}

SummaryBuilder::SummaryBuilder(RunSummary& summary, EssLimit limit) : summary_(summary), limit_(limit) {
  for (const ChainFacts& chain : summary.chains)
    if (chain.draws > 0) with_draws_.push_back(&chain);
  stands_.assign(with_draws_.size(), 1);
}

void SummaryBuilder::add(const std::string& column, std::span<const std::span<const double>> draws_of_chains) {
  std::vector<std::span<const double>> chains(draws_of_chains.begin(), draws_of_chains.end());
  std::size_t length = chains.front().size();
  for (const auto& chain : chains) length = std::min(length, chain.size());
  summary_.draws_per_chain = static_cast<std::int64_t>(length);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    stands_[c] = stands_[c] != 0 && stands_still(chains[c]) ? 1 : 0;
    chains[c] = chains[c].first(length);
  }
  const ChainDraws draws(std::move(chains));
  SummaryRow row{.name = display_name(column), .values = summarise(draws, limit_)};
  row.finite = std::all_of(draws.begin(), draws.end(), [](std::span<const double> chain) {
    return std::all_of(chain.begin(), chain.end(), [](double x) { return std::isfinite(x); });
  });
  row.constant = row.finite && draws.size() > 1 && !varies(draws);
  anything_varies_ = anything_varies_ || (row.finite && !row.constant);
  if (!is_samplers(column)) look_for_divergences(row, draws_of_chains);
  summary_.rows.push_back(std::move(row));
}

/// Where divergent draws lie, from one quantity after another.
void SummaryBuilder::look_for_divergences(const SummaryRow& row, std::span<const std::span<const double>> draws) {
  double sum = 0.0, count = 0.0;
  for (std::size_t c = 0; c < with_draws_.size(); ++c)
    for (const std::int64_t draw : with_draws_[c]->divergent_draws) {
      if (static_cast<std::size_t>(draw) > draws[c].size()) break;  // the file grew since
      sum += draws[c][static_cast<std::size_t>(draw) - 1];
      count += 1.0;
    }
  const double distance = (sum / count - row.values.mean) / row.values.sd;
  // Four standard errors, so that one of many quantities does not stand out by chance; half a standard deviation, so that
  // it is worth mentioning.
  if (!(std::abs(distance) * std::sqrt(count) > 4.0 && std::abs(distance) > 0.5)) return;
  if (std::abs(distance) <= std::abs(largest_distance_)) return;
  largest_distance_ = distance;
  summary_.divergent_where = {
      .name = row.name, .mean_of_divergent = sum / count, .mean = row.values.mean, .sd = row.values.sd};
}

void SummaryBuilder::finish() {
  for (std::size_t c = 0, kept = 0; c < summary_.chains.size(); ++c)
    if (const std::int64_t draws = summary_.chains[c].draws; draws > 0) {
      if (stands_[kept++] != 0 && anything_varies_ && draws > 1) summary_.standing_chains.push_back(c + 1);
    }
  summary_.warnings = warnings_about(summary_);
}

RunSummary summarise_run(const RunInput& input, const SummaryOptions& options) {
  if (input.draws.empty()) throw InputError("there are no files of draws to summarise");
  for (const StanCsvReader& file : input.draws) require_stan_csv(file);
  require_same_columns(input.draws);

  RunSummary summary;
  summary.interrupted = input.interrupted;
  summary.failure = input.failure;
  std::vector<StanCsvReader> files;
  for (std::size_t i = 0; i < input.draws.size(); ++i) {
    summary.chains.push_back(
        chain_facts(input.draws[i], i < input.statistics.size() ? input.statistics[i] : std::nullopt));
    if (summary.chains.back().draws > 0) files.push_back(input.draws[i]);
  }
  if (files.empty()) require_draws(input.draws.front(), {});
  summary.integrator = input.integrator;
  for (const ChainFacts& chain : summary.chains)  // of several runs, the one to warn about counts
    if (!chain.integrator.empty() && summary.integrator != approximate_integrator)
      summary.integrator = chain.integrator;
  summary.gradients = input.gradients ? input.gradients : sum_of_gradients(summary.chains);

  const std::vector<std::size_t> all = require_quantities(input.draws.front());
  summary.columns_in_file = all.size();
  const ColumnPassOptions passes{.columns = options.columns.empty() ? all : options.columns, .memory = options.memory};
  SummaryBuilder builder(summary, options.ess_limit);
  const auto visit = [&](const ColumnOfChains& column) { builder.add(column.name, column.chains); };
  if (!passes.columns.empty()) for_each_column(files, passes, visit);
  builder.finish();
  return summary;
}

}  // namespace darboux
