#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/chain_ranks.hpp"
#include "report/coefficients.hpp"
#include "report/run_report.hpp"

/// What the figures of a report need to know of the draws: little, however long the run was.
namespace darboux {

/// One of the quantities that are looked at closely.
struct QuantityView {
  std::string name{};  ///< as people write it
  Summary values{};
  std::vector<std::size_t> shown{};          ///< places of the chains that figures show, all if they are not too many
  std::vector<std::vector<double>> trace{};  ///< of each of those, thinned
  std::vector<std::vector<double>> ranks{};  ///< rank_histogram of all chains
  double rank_spread = 0.0;                  ///< counts leave (1 ± this) times their mean by chance in 1 of 100 runs
  std::vector<std::size_t> uneven{};         ///< places of the chains of which some do
  std::optional<StrayChain> stray{};         ///< as R̂ sees it, or else the only uneven one
  std::vector<double> sample{};              ///< draws at places that all quantities share
  std::vector<double> divergent{};           ///< the same at divergent draws
  struct Growth {
    double draws = 0.0;  ///< per chain
    double bulk = 0.0, tail = 0.0;
  };
  std::vector<Growth> growth{};  ///< effective sizes of beginnings of the run
};

/// Equal bins from `low` on.
struct Histogram {
  double low = 0.0, width = 1.0;
  std::vector<double> share{};     ///< of the values, in percent
  std::size_t values = 0;          ///< all of them
  std::size_t outside = 0;         ///< that lie beyond
  double least = 0.0, most = 0.0;  ///< of all, where they are finite
  std::size_t not_finite = 0;      ///< that lie beyond, too
};

/// Means over the transitions of one chain.
struct ChainStatistics {
  double energy_error = 0.0;  ///< root mean square where it is finite
  double solver_iterations = 0.0;
  double gradients = 0.0;
  double backward = 0.0;  ///< share of trajectories against time
  double accepted = 0.0;
};

struct RunView {
  std::vector<std::size_t> chains{};  ///< numbers of those with draws, from 1; elsewhere chains are places in this list
  std::size_t length = 0;             ///< draws per chain
  std::size_t stride = 1;             ///< one of so many draws is in a trace
  std::vector<QuantityView> looks{};  ///< the quantities that mix worst, the worst first; then that of the divergences
  std::optional<Histogram> energy{}, energy_change{};  ///< about their means, on the same bins
  double energy_ratio = 0.0;                           ///< the standard deviation of the second by that of the first
  std::vector<std::optional<ChainStatistics>> statistics{};
  std::optional<Histogram> energy_errors{}, solver_iterations{};
  double energy_errors_within_one = 0.0;  ///< share of proposals, in percent
  std::optional<RegressionFacts> regression{};
  std::vector<CoefficientView> coefficients{};
};

/// From what is kept of the files, or else from the files themselves.
[[nodiscard]] RunView view_of(const ReportedRun& run, std::size_t memory);

/// How badly a quantity mixes: above 1 is worth a warning.
[[nodiscard]] double badness(const Summary& values, std::size_t chains);

}  // namespace darboux
