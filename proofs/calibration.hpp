#pragma once

#include <experiments/cell.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proof.hpp"

namespace darboux::proofs {

/// Of a rank among so many draws there are one more values.
inline constexpr int ranked_draws = 99;

/// Calibration by simulation (Talts, Betancourt, Simpson, Vehtari and Gelman 2018): where parameters are drawn from their prior and
/// data from the parameters, the rank of a parameter among draws from the posterior is uniform. Everything takes part that a run
/// consists of: starting points, warm-up, trajectories, acceptance. One of the quantities is the log density, which sees what
/// single parameters do not.
[[nodiscard]] std::vector<experiments::Cell> calibration_cells(const Scale& scale);

/// The method and the model of every row that there is once all cells are.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> calibrated_rows();

/// What is there of these cells, in two tables:
///   ranks     of a model, a method and a quantity: how many ranks there are in each of twenty bins;
///   verdicts  of the same: replications, how far the ECDF of the ranks is outside of its band, and Holm's corrected p.
[[nodiscard]] experiments::Tables reduce_calibration(const Scale& scale, const std::filesystem::path& folder);

/// How unlikely the most unlikely value is that the ECDF of ranks takes: the least, over all places, of the two-sided binomial
/// probability that so many ranks or a more extreme number are below (Säilynoja, Bürkner and Vehtari 2022).
[[nodiscard]] double least_band(std::span<const int> counts);
/// P(least_band of uniform ranks ≤ observed), by simulation.
inline constexpr int band_simulations = 20'000;
[[nodiscard]] double band_p_value(double observed, int replications, int simulations = band_simulations);

/// What so many replications see with probability 0.9, among so many tests: posteriors whose centre is off by `shift` of their
/// standard deviations, and posteriors that are too narrow by the factor `width`.
struct VisibleError {
  double shift = 0.0, width = 1.0;
};
[[nodiscard]] VisibleError visible_error(int replications, std::size_t tests);

}  // namespace darboux::proofs
