#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_view.hpp"

/// The figures of a report: each a finding, a specification and its data.
namespace darboux {

/// "Chain 3 stands apart in beta[2] (R̂ 1.32)", or that all is well.
[[nodiscard]] std::string mixing_finding(const RunView& view, const QuantityView& quantity);

// About the estimates: estimate_figures.cpp.
struct EffectRow {
  std::string name;
  double q5 = 0.0, median = 0.0, q95 = 0.0;
};
inline constexpr std::size_t most_intervals = 40;  ///< of more, names and lines are too close
/// Medians and intervals on one axis, as they are; none if there are more than most_intervals.
[[nodiscard]] std::optional<Figure> interval_figure(const std::vector<EffectRow>& rows, std::string_view axis);
/// The same of all quantities, in figures for those of similar size; nothing is divided by its own width, which would make all intervals
/// equally long. None if there are too many quantities, or too many sizes.
[[nodiscard]] std::vector<Figure> estimate_figures(const RunSummary& summary);
/// R̂ and effective size of each quantity.
[[nodiscard]] Figure convergence_figure(const RunSummary& summary);
/// Medians and intervals of the same quantities in two runs.
struct ComparedRow {
  std::string name;
  Summary first, second;
  double z = 0.0;  ///< difference of the means in standard errors
};
[[nodiscard]] std::optional<Figure> compared_figure(const std::vector<ComparedRow>& rows, const std::string& first,
                                                    const std::string& second);
/// Differences of means; beyond ±limit they are more than chance.
[[nodiscard]] Figure difference_figure(const std::vector<ComparedRow>& rows, double limit);

// About single quantities: mixing_figures.cpp.
[[nodiscard]] Figure trace_figure(const RunView& view, const QuantityView& quantity);
[[nodiscard]] Figure rank_figure(const RunView& view, const QuantityView& quantity);
/// The colours of chains, which are those of all traces and ranks; none where there are so many that colours mean something else, or one.
[[nodiscard]] std::vector<LegendEntry> chain_legend(const RunView& view);
[[nodiscard]] double correlation(const QuantityView& x, const QuantityView& y);
[[nodiscard]] Figure pair_figure(const QuantityView& x, const QuantityView& y);
[[nodiscard]] Figure growth_figure(const RunView& view);

// About the sampler: sampler_figures.cpp.
[[nodiscard]] std::string energy_finding(const RunSummary& summary);
[[nodiscard]] std::optional<Figure> energy_figure(const RunView& view, const RunSummary& summary);
[[nodiscard]] Figure divergence_figure(const RunView& view, const RunSummary& summary);
[[nodiscard]] Figure eigenvalue_figure(const StructureFacts& structure);
[[nodiscard]] std::optional<Figure> energy_error_figure(const RunView& view);
[[nodiscard]] std::optional<Figure> solver_figure(const RunView& view);

}  // namespace darboux
