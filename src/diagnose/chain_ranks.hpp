#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "darboux/diagnose/chain_draws.hpp"

/// Where the draws of each chain stand among all draws: what rank plots show, and which chain R̂ complains about.
namespace darboux {

/// How many draws of each chain have a rank in each of `bins` equal ranges; equal draws share their mean rank. All chains
/// alike have about length / bins everywhere. One list per chain; empty if draws do not vary.
[[nodiscard]] std::vector<std::vector<double>> rank_histogram(const ChainDraws& draws, std::size_t bins);

struct StrayChain {
  std::size_t chain = 0;  ///< counted from 0
  bool by_width = false;  ///< it is at the same place as the others, but wider or narrower
};
/// The one chain without which the others would agree: leaving it out takes away more than 60 % of R̂ − 1. None if R̂ is at most
/// `tolerated`, if there are fewer than three chains, or if the disagreement is not one chain's.
[[nodiscard]] std::optional<StrayChain> stray_chain(const ChainDraws& draws, double tolerated = 1.01);

}  // namespace darboux
