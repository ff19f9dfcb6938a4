#include "report/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"
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

/// Of runs of different models or data that is why their columns differ, not which column does.
void require_one_model(const RunInput& input) {
  const auto& first = input.draws.front();
  const auto other = std::ranges::find_if(input.draws, [&](const auto& f) { return f.columns() != first.columns(); });
  if (other == input.draws.end()) return;
  constexpr std::string_view so = "have different quantities, and cannot be summarised together; summarise each";
  if (input.mixed)
    throw InputError(
        fmt::format("{0} and {1} are of different {2}: {3}. They {4} by itself, as in darboux summary {0}, or see both "
                    "side by side: darboux report {0} {1}",
                    input.mixed->first, input.mixed->second, input.mixed->kinds, input.mixed->settings, so));
  const std::string a = first.setting("model").value_or(""), b = other->setting("model").value_or("");
  if (!a.empty() && !b.empty() && a != b)
    throw InputError(fmt::format("{} and {} are of different models: {} and {}. They {} by itself",
                                 first.path().string(), other->path().string(), a, b, so));
  require_same_columns(input.draws);
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

std::vector<std::string> RunSummary::models() const {
  std::vector<std::string> names;
  for (const ChainFacts& chain : chains)
    if (!chain.model.empty() && std::find(names.begin(), names.end(), chain.model) == names.end())
      names.push_back(chain.model);
  return names;
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
  for (const ChainFacts* chain : with_draws_)
    summary.draws_per_chain =
        chain == with_draws_.front() ? chain->draws : std::min(summary.draws_per_chain, chain->draws);
  stands_.assign(with_draws_.size(), 1);
}

SummaryBuilder::Look SummaryBuilder::look_at(const std::string& column,
                                             std::span<const std::span<const double>> draws_of_chains) const {
  std::vector<std::span<const double>> chains(draws_of_chains.begin(), draws_of_chains.end());
  std::size_t length = chains.front().size();
  for (const auto& chain : chains) length = std::min(length, chain.size());
  Look look;
  for (auto& chain : chains) {
    look.stands.push_back(stands_still(chain) ? 1 : 0);
    chain = chain.first(length);
  }
  const ChainDraws draws(std::move(chains));
  look.row = {.name = display_name(column), .values = summarise(draws, limit_, summary_.extras)};
  look.row.finite = std::all_of(draws.begin(), draws.end(), [](std::span<const double> chain) {
    return std::all_of(chain.begin(), chain.end(), [](double x) { return std::isfinite(x); });
  });
  look.row.constant = look.row.finite && draws.size() > 1 && !varies(draws);
  if (is_samplers(column)) return look;
  for (std::size_t c = 0; c < with_draws_.size(); ++c)
    for (const std::int64_t draw : with_draws_[c]->divergent_draws) {
      look.sum_of_divergent += draws_of_chains[c][static_cast<std::size_t>(draw) - 1];
      look.divergent += 1.0;
    }
  return look;
}

void SummaryBuilder::add(const Look& look) {
  for (std::size_t c = 0; c < stands_.size(); ++c) stands_[c] = stands_[c] != 0 && look.stands[c] != 0 ? 1 : 0;
  anything_varies_ = anything_varies_ || (look.row.finite && !look.row.constant);
  if (look.divergent > 0.0) compare_divergent(look);
  summary_.rows.push_back(look.row);
}

/// Where divergent draws lie, from one quantity after another.
void SummaryBuilder::compare_divergent(const Look& look) {
  const Summary& all = look.row.values;
  const double mean = look.sum_of_divergent / look.divergent;
  const double distance = (mean - all.mean) / all.sd;
  // Four standard errors, so that one of many quantities does not stand out by chance; half a standard deviation, so that
  // it is worth mentioning.
  if (!(std::abs(distance) * std::sqrt(look.divergent) > 4.0 && std::abs(distance) > 0.5)) return;
  if (std::abs(distance) <= std::abs(largest_distance_)) return;
  largest_distance_ = distance;
  summary_.divergent_where = {.name = look.row.name, .mean_of_divergent = mean, .mean = all.mean, .sd = all.sd};
}

void SummaryBuilder::finish() {
  for (std::size_t c = 0, kept = 0; c < summary_.chains.size(); ++c)
    if (const std::int64_t draws = summary_.chains[c].draws; draws > 0) {
      if (stands_[kept++] != 0 && anything_varies_ && draws > 1) summary_.standing_chains.push_back(c + 1);
    }
  summary_.warnings = warnings_about(summary_);
}

namespace {

/// What one quantity takes, in bytes for each draw: the draw, its place in order, and a number computed from it.
constexpr std::size_t bytes_per_draw = sizeof(double) + sizeof(std::uint32_t) + sizeof(double);

/// What is known before any quantity is looked at.
RunSummary summary_of_chains(const RunInput& input, const std::vector<ChainFacts>& chains) {
  RunSummary summary{.chains = chains,
                     .interrupted = input.interrupted,
                     .failure = input.failure,
                     .mixed = input.mixed ? input.mixed->settings : "",
                     .told = input.told};
  if (summary.chains_with_draws() == 0) require_draws(input.draws.front(), {});
  summary.integrator = input.integrator;
  for (const ChainFacts& chain : chains)  // of several runs, the one to warn about counts
    if (!chain.integrator.empty() && summary.integrator != approximate_integrator)
      summary.integrator = chain.integrator;
  summary.gradients = input.gradients ? input.gradients : sum_of_gradients(chains);
  return summary;
}

/// The first columns of those that are kept become rows.
void add_rows(const RunInput& input, const SummaryOptions& options, const KeptColumns& kept, std::size_t rows,
              RunSummary& summary) {
  SummaryBuilder builder(summary, options.ess_limit);
  std::vector<SummaryBuilder::Look> looks(rows);
  const std::size_t together = (options.memory - kept.store.held()) / (bytes_per_draw * kept.store.all_rows());
  const int threads =
      std::clamp(static_cast<int>(std::min<std::size_t>(together, rows)), 1, threads_or_all(options.threads));
  parallel_for(threads, std::ssize(looks), [&](Index i) {
    const std::vector<double> draws = kept.store.column(at(i));
    auto chains = chains_of(draws, kept.store);
    std::erase_if(chains, [](std::span<const double> chain) { return chain.empty(); });
    looks[at(i)] = builder.look_at(input.draws.front().columns()[kept.columns[at(i)]], chains);
  });
  for (const auto& look : looks) builder.add(look);
  builder.finish();
}

struct Summarised {
  RunSummary summary;
  RunColumns columns;
};

Summarised summarise_columns(const RunInput& input, const SummaryOptions& options, bool for_report) {
  if (input.draws.empty()) throw InputError("there are no files of draws to summarise");
  validate(options.extras);
  for (const StanCsvReader& file : input.draws) require_stan_csv(file);
  require_one_model(input);
  const std::vector<std::size_t> all = require_quantities(input.draws.front());
  ReadOptions reading{.columns = options.columns.empty() ? all : options.columns,
                      .statistics = for_report,
                      .memory = options.memory,
                      .threads = options.threads};
  const std::size_t rows = reading.columns.size();
  if (const auto energy = input.draws.front().find_column("energy__"); for_report && energy)
    reading.columns.push_back(*energy);
  RunColumns columns = read_columns(input, reading);
  RunSummary summary = summary_of_chains(input, columns.facts);
  summary.columns_in_file = all.size();
  summary.extras = options.extras;
  add_rows(input, options, columns.draws, rows, summary);
  return {.summary = std::move(summary), .columns = std::move(columns)};
}

}  // namespace

RunSummary summarise_run(const RunInput& input, const SummaryOptions& options) {
  return summarise_columns(input, options, false).summary;
}

SummarisedRun summarise_for_report(const RunInput& input, const SummaryOptions& options) {
  Summarised run = summarise_columns(input, options, true);
  return {.summary = std::move(run.summary), .columns = std::make_shared<const RunColumns>(std::move(run.columns))};
}

}  // namespace darboux
