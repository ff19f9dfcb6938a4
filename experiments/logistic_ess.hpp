#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "experiment.hpp"
#include "table.hpp"

/// What the runs of the logistic regressions say about effective draws.
namespace darboux::experiments {

inline constexpr std::array<std::string_view, 4> non_canonical{
    "magnetic-momentum-implicit", "magnetic-momentum-explicit", "coupled-implicit", "coupled-explicit"};

/// "Minimum ESS: implicit magnetic momentum 5.3 times canonical (median of 12 sets)".
[[nodiscard]] std::string ratio_title(std::string_view what, const Table& runs, std::string_view column);
[[nodiscard]] Figure boxes_over_runs(const Table& runs, std::string title, std::string_view column,
                                     std::string_view unit, bool logarithmic);

/// By the rows of runs: set, method, run, and their numbers.
[[nodiscard]] std::vector<Claim> logistic_ess_claims(const Table& runs);
[[nodiscard]] ReportSection logistic_ess_section(const Table& runs, const std::vector<Claim>& claims);
/// Means, squares and log density side by side, over all structures.
[[nodiscard]] ReportSection logistic_quantities_section(const Table& runs);
/// The direction in time kept, drawn anew, and turned on acceptance.
[[nodiscard]] ReportSection logistic_direction_section(const Table& runs);

}  // namespace darboux::experiments
