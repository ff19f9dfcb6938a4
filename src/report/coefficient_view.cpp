#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "io/column_names.hpp"
#include "report/coefficients.hpp"
#include "report/run_columns.hpp"

namespace darboux {

namespace {

/// Of draws in any order, which it disturbs.
double quantile_of(std::vector<double>& draws, double probability) {
  const auto at = draws.begin() + static_cast<std::ptrdiff_t>(probability * static_cast<double>(draws.size() - 1));
  std::nth_element(draws.begin(), at, draws.end());
  return *at;
}

/// Sums over all draws of Gaussians are slow: draws are counted in bins much narrower than these first.
std::vector<double> smoothed(const std::vector<double>& counts, double width_in_bins, std::size_t every) {
  const auto reach = static_cast<std::ptrdiff_t>(std::ceil(4.0 * width_in_bins));
  std::vector<double> weights;
  for (std::ptrdiff_t d = 0; d <= reach; ++d)
    weights.push_back(std::exp(-0.5 * std::pow(static_cast<double>(d) / width_in_bins, 2)) /
                      (width_in_bins * std::sqrt(2.0 * std::numbers::pi)));
  std::vector<double> out;
  const auto size = std::ssize(counts);
  for (std::ptrdiff_t i = 0; i < size; i += static_cast<std::ptrdiff_t>(every)) {
    double sum = 0.0;
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - reach); j < std::min(size, i + reach + 1); ++j)
      sum += counts[static_cast<std::size_t>(j)] * weights[static_cast<std::size_t>(std::abs(i - j))];
    out.push_back(sum);
  }
  return out;
}

/// The draws that are left of all chains, one after another.
std::optional<std::vector<double>> draws_of(const std::string& column, const ReportedRun& run,
                                            const RunColumns& columns) {
  const auto place = run.input.draws.front().find_column(column);
  const auto kept = place ? columns.draws.find(*place) : std::nullopt;
  return kept ? std::optional(columns.draws.store.column(*kept)) : std::nullopt;
}

const SummaryRow* row_of(const RunSummary& summary, const std::string& column) {
  const std::string shown = display_name(column);
  const auto found =
      std::find_if(summary.rows.begin(), summary.rows.end(), [&](const SummaryRow& row) { return row.name == shown; });
  return found == summary.rows.end() || !found->finite || found->constant ? nullptr : &*found;
}

/// b_0 + Σ m_j b_j: the log odds at the mean of the predictors. That of no predictor at all is far from any data, and as uncertain.
std::optional<CoefficientView> centred_intercept(const RegressionFacts& facts, const ReportedRun& run,
                                                 const RunColumns& columns, const std::vector<std::string>& names) {
  const SummaryRow* row = row_of(run.summary, names.front());
  auto sum = row == nullptr ? std::nullopt : draws_of(names.front(), run, columns);
  if (!sum) return std::nullopt;
  for (std::size_t j = 0; j < facts.predictors.size(); ++j) {
    const auto draws = draws_of(names[j + 1], run, columns);
    if (!draws) return std::nullopt;
    for (std::size_t i = 0; i < sum->size(); ++i) (*sum)[i] += facts.predictors[j].mean * (*draws)[i];
  }
  if (!std::ranges::all_of(*sum, [](double x) { return std::isfinite(x); })) return std::nullopt;
  CoefficientView view{.name = facts.priors.front().name,
                       .step = "at the mean of the predictors",
                       .prior_sd = facts.priors.front().standardised_sd,
                       .density = density_of(*sum, row->values.ess_bulk)};
  view.above_zero = static_cast<double>(std::count_if(sum->begin(), sum->end(), [](double x) { return x > 0.0; })) /
                    static_cast<double>(sum->size());
  view.q5 = quantile_of(*sum, 0.05);
  view.median = quantile_of(*sum, 0.5);
  view.q95 = quantile_of(*sum, 0.95);
  return view;
}

}  // namespace

std::optional<Density> density_of(std::vector<double> draws, double effective_size) {
  constexpr std::size_t points = 96, bins_per_point = 8;
  if (draws.size() < 10) return std::nullopt;
  const double low = quantile_of(draws, 0.001), high = quantile_of(draws, 0.999);
  const double quartiles = quantile_of(draws, 0.75) - quantile_of(draws, 0.25);
  double mean = 0.0, square = 0.0;
  for (const double x : draws) mean += x / static_cast<double>(draws.size());
  for (const double x : draws) square += (x - mean) * (x - mean) / static_cast<double>(draws.size());
  const double width = 0.9 * std::fmin(std::sqrt(square), 0.746 * quartiles) *
                       std::pow(std::clamp(effective_size, 10.0, static_cast<double>(draws.size())), -0.2);
  if (!(width > 0.0 && std::isfinite(width) && high > low)) return std::nullopt;
  Density density{.low = low - 2.0 * width, .width = (high - low + 4.0 * width) / static_cast<double>(points - 1)};
  const double bin = density.width / static_cast<double>(bins_per_point);
  std::vector<double> counts((points - 1) * bins_per_point + 1);
  const double one = 1.0 / (bin * static_cast<double>(draws.size()));
  for (const double x : draws)
    if (const double at = std::round((x - density.low) / bin); at >= 0.0 && at < static_cast<double>(counts.size()))
      counts[static_cast<std::size_t>(at)] += one;
  density.heights = smoothed(counts, width / bin, bins_per_point);
  return density;
}

std::vector<CoefficientView> coefficients_of(const RegressionFacts& facts, const ReportedRun& run,
                                             const RunColumns& columns) {
  std::vector<CoefficientView> views;
  std::vector<std::string> names;
  for (const RegressionFacts::Prior& prior : facts.priors) names.push_back(prior.name);
  if (names.size() < facts.predictors.size()) return views;
  names = stan_column_names(names);
  const std::size_t intercepts = names.size() - facts.predictors.size();
  if (intercepts == 1)
    if (auto view = centred_intercept(facts, run, columns, names)) views.push_back(*std::move(view));
  for (std::size_t j = 0; j < facts.predictors.size(); ++j) {
    const PredictorFacts& predictor = facts.predictors[j];
    const SummaryRow* row = row_of(run.summary, names[j + intercepts]);
    auto draws = row == nullptr ? std::nullopt : draws_of(names[j + intercepts], run, columns);
    if (!draws) continue;
    for (double& x : *draws) x *= predictor.step;
    const Summary& v = row->values;
    views.push_back({.name = predictor.name,
                     .step = predictor.step_text,
                     .unit = predictor.step,
                     .q5 = v.q5 * predictor.step,
                     .median = v.median * predictor.step,
                     .q95 = v.q95 * predictor.step,
                     .above_zero = v.above_zero,
                     .values = &v,
                     .prior_sd = facts.priors[j + intercepts].sd * predictor.step,
                     .density = density_of(*std::move(draws), v.ess_bulk)});
  }
  return views;
}

}  // namespace darboux
