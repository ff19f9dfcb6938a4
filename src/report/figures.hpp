#pragma once

#include <optional>

#include "report/run_view.hpp"

/// The figures of a report: each a finding, a specification and its data.
namespace darboux {

/// "Chain 3 stands apart in beta[2] (R̂ 1.32)", or that all is well.
[[nodiscard]] std::string mixing_finding(const RunView& view, const QuantityView& quantity);

// About the estimates: estimate_figures.cpp.
/// Medians and intervals; none if there are too many, or on scales too different to share an axis.
[[nodiscard]] std::optional<Figure> estimates_figure(const RunSummary& summary);
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
