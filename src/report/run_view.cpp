#include "report/run_view.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "diagnose/quantiles.hpp"
#include "draws/column_passes.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

// Enough to see all there is to see, and few enough for a page that opens at once.
constexpr std::size_t closely = 4;          // quantities
constexpr std::size_t most_chains = 64;     // in one figure
constexpr std::size_t trace_points = 4000;  // in one figure
constexpr std::size_t sample_points = 1500, divergent_points = 500;
constexpr std::size_t rank_bins = 20, histogram_bins = 40;
constexpr std::size_t growth_steps = 8, growing = 3;  // so many quantities

std::size_t count(double n) { return static_cast<std::size_t>(n); }

/// `wanted` numbers below `size`, evenly spaced; all of them if there are no more.
std::vector<std::size_t> spread(std::size_t size, std::size_t wanted) {
  std::vector<std::size_t> places(std::min(size, wanted));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = (2 * i + 1) * size / (2 * places.size());
  return places;
}

double quantile_of(std::vector<double> values, double probability) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(probability * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Of finite values, and so many others.
Histogram histogram_of(const std::vector<double>& values, double low, double width, std::size_t bins,
                       std::size_t not_finite = 0) {
  Histogram h{.low = low,
              .width = width,
              .share = std::vector<double>(bins, 0.0),
              .values = values.size() + not_finite,
              .outside = not_finite,
              .not_finite = not_finite};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  h.least = *least;
  h.most = *most;
  const double one = 100.0 / static_cast<double>(h.values);
  for (const double x : values) {
    const double bin = std::floor((x - low) / width);
    if (bin >= 0.0 && bin < static_cast<double>(bins))
      h.share[count(bin)] += one;
    else
      ++h.outside;
  }
  return h;
}

/// The chains with draws, and what is known about them.
struct Chains {
  std::vector<std::size_t> numbers;  // from 1
  std::vector<const ChainFacts*> facts;
};

Chains with_draws(const ReportedRun& run) {
  Chains chains;
  for (std::size_t i = 0; i < run.summary.chains.size(); ++i) {
    if (run.summary.chains[i].draws == 0) continue;
    chains.numbers.push_back(i + 1);
    chains.facts.push_back(&run.summary.chains[i]);
  }
  return chains;
}

/// One column of some chains.
struct Column {
  std::vector<double> numbers;
  std::vector<std::span<const double>> chains;

  /// Of the chains of these numbers, from 1.
  Column(const ColumnStore& store, std::size_t place, const std::vector<std::size_t>& of)
      : numbers(store.column(place)) {
    const auto all = chains_of(numbers, store);
    for (const std::size_t number : of) chains.push_back(all[number - 1]);
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column() = default;
};

struct Chosen {
  const SummaryRow* row;
  std::size_t column;
};

/// Those that mix worst, and the one that tells divergent draws from others.
std::vector<Chosen> choose(const ReportedRun& run, const StanCsvReader& file, std::size_t chains) {
  std::vector<const SummaryRow*> rows;
  for (const SummaryRow& row : run.summary.rows)
    if (!std::isnan(badness(row.values, chains))) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [&](const SummaryRow* a, const SummaryRow* b) {
    const double x = badness(a->values, chains), y = badness(b->values, chains);
    return x != y ? x > y : a < b;  // as they come
  });
  const auto contrast = std::find_if(rows.begin(), rows.end(), [&](const SummaryRow* row) {
    return run.summary.divergent_where && row->name == run.summary.divergent_where->name;
  });
  const SummaryRow* also = contrast == rows.end() ? nullptr : *contrast;
  const bool is_beyond = contrast - rows.begin() >= static_cast<std::ptrdiff_t>(closely);
  rows.resize(std::min(rows.size(), closely));
  if (also != nullptr && is_beyond) rows.push_back(also);
  std::vector<Chosen> chosen;
  for (const SummaryRow* row : rows)
    for (const std::size_t column : summarised_columns(file))
      if (display_name(file.columns()[column]) == row->name) {
        chosen.push_back({.row = row, .column = column});
        break;
      }
  return chosen;
}

ChainDraws cut(const Column& column, std::size_t length) {
  std::vector<std::span<const double>> chains;
  for (const auto chain : column.chains) chains.push_back(chain.first(length));
  return ChainDraws(std::move(chains));
}

std::vector<QuantityView::Growth> growth_of(const ChainDraws& draws) {
  constexpr std::size_t fewest = 20;
  std::vector<QuantityView::Growth> growth;
  for (std::size_t step = 1; step <= growth_steps; ++step) {
    const std::size_t length = draws.length() * step / growth_steps;
    if (length < fewest) continue;
    std::vector<std::span<const double>> chains;
    for (const auto chain : draws) chains.push_back(chain.first(length));
    const Summary s = summarise(ChainDraws(std::move(chains)));
    growth.push_back({.draws = static_cast<double>(length), .bulk = s.ess_bulk, .tail = s.ess_tail});
  }
  return growth;
}

/// Of some chains, each by itself: chains that disagree may still be good ones.
double effective_share_of(const ChainDraws& draws) {
  constexpr std::size_t some = 8;
  double sum = 0.0, chains = 0.0;
  for (const std::size_t c : spread(draws.chains(), some))
    if (const double ess = ess_bulk(ChainDraws({draws[c]})); ess > 0.0) {
      sum += ess / static_cast<double>(draws.length());
      chains += 1.0;
    }
  return chains > 0.0 ? std::min(1.0, sum / chains) : 1.0;
}

/// Where many chains agree, R̂ hardly sees a single one that does not; its ranks do.
void compare_ranks(QuantityView& view, const ChainDraws& draws) {
  const std::size_t bins = std::clamp<std::size_t>(draws.length() / 5, 1, rank_bins);
  view.ranks = rank_histogram(draws, bins);
  const auto comparisons = static_cast<double>(bins * draws.chains());
  const double share = 1.0 / static_cast<double>(bins);
  const double expected = share * static_cast<double>(draws.length());
  // Correlated draws scatter more, as if there were fewer of them.
  const double sd = std::sqrt(expected * (1.0 - share) / effective_share_of(draws));
  view.rank_spread = normal_quantile(1.0 - 0.005 / comparisons) * sd / expected;
  for (std::size_t c = 0; c < view.ranks.size(); ++c)
    if (std::any_of(view.ranks[c].begin(), view.ranks[c].end(),
                    [&](double count) { return std::abs(count / expected - 1.0) > view.rank_spread; }))
      view.uneven.push_back(c);
  if (!view.stray && view.uneven.size() == 1 && draws.chains() > 2) view.stray = StrayChain{.chain = view.uneven[0]};
}

QuantityView look_at(const SummaryRow& row, const ChainDraws& draws, const Chains& chains, std::size_t stride) {
  QuantityView view{.name = row.name, .values = row.values, .stray = stray_chain(draws)};
  compare_ranks(view, draws);
  view.shown = spread(draws.chains(), most_chains);
  if (view.stray && std::find(view.shown.begin(), view.shown.end(), view.stray->chain) == view.shown.end())
    view.shown.push_back(view.stray->chain);
  for (const std::size_t c : view.shown) {
    auto& trace = view.trace.emplace_back();
    for (std::size_t i = 0; i < draws.length(); i += stride) trace.push_back(draws[c][i]);
  }
  for (const std::size_t place : spread(draws.size(), sample_points)) {
    const std::size_t c = place / draws.length(), i = place % draws.length();
    const auto& diverged = chains.facts[c]->divergent_draws;  // which are shown by themselves
    if (!std::binary_search(diverged.begin(), diverged.end(), static_cast<std::int64_t>(i + 1)))
      view.sample.push_back(draws[c][i]);
  }
  std::vector<double> divergent;
  for (std::size_t c = 0; c < draws.chains(); ++c)
    for (const std::int64_t draw : chains.facts[c]->divergent_draws)
      if (static_cast<std::size_t>(draw) <= draws.length())
        divergent.push_back(draws[c][static_cast<std::size_t>(draw) - 1]);
  for (const std::size_t place : spread(divergent.size(), divergent_points)) view.divergent.push_back(divergent[place]);
  return view;
}

void view_energy(const Column& column, RunView& view) {
  std::vector<double> energies, changes;
  energies.reserve(column.numbers.size());
  changes.reserve(column.numbers.size());
  for (const auto chain : column.chains)
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (!std::isfinite(chain[i])) return;
      energies.push_back(chain[i]);
      if (i > 0) changes.push_back(chain[i] - chain[i - 1]);
    }
  if (changes.size() < 2) return;
  const double mean = std::accumulate(energies.begin(), energies.end(), 0.0) / static_cast<double>(energies.size());
  for (double& e : energies) e -= mean;
  const auto square = [](const std::vector<double>& values) {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / static_cast<double>(values.size());
  };
  view.energy_ratio = std::sqrt(square(changes) / square(energies));
  double bound = 0.0;
  for (const auto* values : {&energies, &changes})
    for (const double probability : {0.003, 0.997})
      bound = std::max(bound, std::abs(quantile_of(*values, probability)));
  if (!(bound > 0.0)) return;
  const double width = 2.0 * bound / static_cast<double>(histogram_bins);
  view.energy = histogram_of(energies, -bound, width, histogram_bins);
  view.energy_change = histogram_of(changes, -bound, width, histogram_bins);
}

std::vector<double> all_finite(const Column& column) {
  std::vector<double> values;
  values.reserve(column.numbers.size());
  for (const auto chain : column.chains)
    std::copy_if(chain.begin(), chain.end(), std::back_inserter(values), [](double x) { return std::isfinite(x); });
  return values;
}

double mean_of(std::span<const double> values) {
  return values.empty() ? 0.0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void view_energy_errors(const Column& column, const std::vector<std::size_t>& places, RunView& view) {
  for (std::size_t c = 0; c < places.size(); ++c) {
    std::vector<double> squares;
    for (const double x : column.chains[c])
      if (std::isfinite(x)) squares.push_back(x * x);
    view.statistics[places[c]]->energy_error = std::sqrt(mean_of(squares));
  }
  const std::vector<double> errors = all_finite(column);
  std::size_t all = 0;
  for (const auto chain : column.chains) all += chain.size();
  if (errors.size() < 2) return;
  view.energy_errors_within_one =
      100.0 *
      static_cast<double>(std::count_if(errors.begin(), errors.end(), [](double x) { return std::abs(x) <= 1.0; })) /
      static_cast<double>(all);
  // Where few errors are much larger than most, bins that reach them would hold all others in one: what lies beyond six times the
  // typical error is counted only. Of a normal distribution that is four standard deviations, and nothing to speak of.
  std::vector<double> sizes = errors;
  for (double& x : sizes) x = std::abs(x);
  const double typical = quantile_of(sizes, 0.5), large = quantile_of(sizes, 0.98);
  const double bound = typical > 0.0 ? std::min(large, 6.0 * typical) : large;
  if (!(bound > 0.0)) return;
  view.energy_errors = histogram_of(errors, -bound, 2.0 * bound / static_cast<double>(histogram_bins), histogram_bins,
                                    all - errors.size());
}

void view_solver(const Column& column, RunView& view) {
  const std::vector<double> iterations = all_finite(column);
  if (iterations.empty()) return;
  const double most = quantile_of(iterations, 0.995);
  if (!(most > 0.0)) return;  // explicit steps
  const double width = std::ceil((most + 1.0) / static_cast<double>(histogram_bins));
  view.solver_iterations = histogram_of(iterations, 0.0, width, count(std::ceil((most + 1.0) / width)));
}

/// What the files of statistics say, where there are any.
void view_statistics(const ReportedRun& run, const KeptColumns& kept, RunView& view) {
  std::vector<std::size_t> places, chains;
  for (std::size_t c = 0; c < view.chains.size(); ++c)
    if (kept.store.rows(view.chains[c] - 1) > 0) {
      places.push_back(c);
      chains.push_back(view.chains[c]);
      view.statistics[c].emplace();
    }
  if (places.empty()) return;
  const StanCsvReader& file = *run.input.statistics[chains.front() - 1];
  const auto look = [&](std::string_view name, auto&& at_column) {
    if (const auto column = file.find_column(name))
      if (const auto place = kept.find(*column)) at_column(Column(kept.store, *place, chains));
  };
  const auto note = [&](double ChainStatistics::* member, const Column& column) {
    for (std::size_t c = 0; c < places.size(); ++c) (*view.statistics[places[c]]).*member = mean_of(column.chains[c]);
  };
  look("energy_error__", [&](const Column& column) { view_energy_errors(column, places, view); });
  look("solver_iterations__", [&](const Column& column) {
    note(&ChainStatistics::solver_iterations, column);
    view_solver(column, view);
  });
  look("gradients__", [&](const Column& column) { note(&ChainStatistics::gradients, column); });
  look("accepted__", [&](const Column& column) { note(&ChainStatistics::accepted, column); });
  look("direction__", [&](const Column& column) {
    note(&ChainStatistics::backward, column);
    for (const std::size_t c : places) view.statistics[c]->backward = 0.5 * (1.0 - view.statistics[c]->backward);
  });
}

/// What was kept when the summary was made, or the same from the files.
std::shared_ptr<const RunColumns> columns_of(const ReportedRun& run, std::size_t memory) {
  if (run.columns) return run.columns;
  ReadOptions all{.columns = summarised_columns(run.input.draws.front()), .statistics = true, .memory = memory};
  if (const auto energy = run.input.draws.front().find_column("energy__")) all.columns.push_back(*energy);
  return std::make_shared<const RunColumns>(read_columns(run.input, all));
}

}  // namespace

double badness(const Summary& values, std::size_t chains) {
  const double by_rhat = (values.rhat - 1.0) / (WarningThresholds::rhat_above - 1.0);
  const double least = WarningThresholds::ess_per_chain_below * static_cast<double>(chains);
  return std::fmax(by_rhat, least / std::fmin(values.ess_bulk, values.ess_tail));
}

RunView view_of(const ReportedRun& run, std::size_t memory) {
  const Chains chains = with_draws(run);
  const auto columns = columns_of(run, memory);
  const KeptColumns& kept = columns->draws;
  RunView view{.chains = chains.numbers, .length = static_cast<std::size_t>(run.summary.draws_per_chain)};
  view.statistics.resize(chains.numbers.size());
  const std::size_t lines = std::min(chains.numbers.size(), most_chains);
  view.stride = std::max<std::size_t>(1, (view.length * lines + trace_points - 1) / trace_points);

  for (const Chosen& chosen : choose(run, run.input.draws.front(), chains.numbers.size())) {
    const Column column(kept.store, kept.find(chosen.column).value(), chains.numbers);
    const ChainDraws draws = cut(column, view.length);
    view.looks.push_back(look_at(*chosen.row, draws, chains, view.stride));
    if (view.looks.size() <= growing) view.looks.back().growth = growth_of(draws);
  }
  if (const auto energy = run.input.draws.front().find_column("energy__"))
    if (const auto place = kept.find(*energy)) view_energy(Column(kept.store, *place, chains.numbers), view);
  if (columns->statistics) view_statistics(run, *columns->statistics, view);
  if (run.manifest) view.regression = regression_of(*run.manifest);
  if (view.regression) view.coefficients = coefficients_of(*view.regression, run, *columns);
  return view;
}

}  // namespace darboux
