#pragma once

#include <experiments/cell.hpp>
#include <string>
#include <utility>
#include <vector>

#include "proof.hpp"

namespace darboux::proofs {

/// Short runs whose chains begin with exact draws of the law, with all that a run does: what warm-up adapts, how a run ends, how it
/// is gone on with. If that leaves no trace, draws after warm-up have the law, too.
[[nodiscard]] std::vector<experiments::Cell> trace_cells(const Scale& scale);

/// The way and the law of every row that there is once all cells are.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> traced_rows();

/// What may be left of warm-up that has adapted, in standard deviations of a quantity: steps and preconditioner were fitted to where
/// chains happened to be, so that what chains do next is no longer the same wherever they are.
inline constexpr double nearly = 0.05;

/// How far a mean over runs is from what it must be, with its standard error, and z of what is beyond a bound.
struct Finding {
  double bias = 0.0, error = 1.0, bound = 0.0;
  [[nodiscard]] double z() const { return bias / error; }
  [[nodiscard]] double z_beyond() const;
};

/// Of the mean of n draws, where n may depend on them: E mean − μ = (E S − Cov(mean, n))/E n with S = n (mean − μ). E S is that of
/// a few draws at the end, and none where draws are independent (Wald); the rest is at most sd(mean) sd(n)/E n (Cauchy and
/// Schwarz), which falls as 1/n where n scatters as little as a mean does.
[[nodiscard]] double mean_bias_bound(double deviation_of_mean, double deviation_of_n, double mean_of_n);

/// What is there of these cells, in two tables:
///   traces   of a law, a way to run and a draw (the first after warm-up, the last, the mean of all): runs, how many of them the clock
///            would have ended before the first draw, and the worst of its tests;
///   rejected the tests that Holm's correction rejects.
[[nodiscard]] experiments::Tables reduce_traces(const Scale& scale, const std::filesystem::path& folder);

}  // namespace darboux::proofs
