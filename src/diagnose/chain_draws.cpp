#include "darboux/diagnose/chain_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

std::vector<std::span<const double>> cut(std::span<const double> draws, std::size_t chains) {
  if (chains == 0 ? !draws.empty() : draws.size() % chains != 0)
    throw InputError("chains: " + std::to_string(draws.size()) + " draws do not make " + std::to_string(chains) +
                     " chains of equal length");
  std::vector<std::span<const double>> spans;
  spans.reserve(chains);
  for (std::size_t c = 0; c < chains; ++c)
    spans.push_back(draws.subspan(c * (draws.size() / chains), draws.size() / chains));
  return spans;
}

}  // namespace

ChainDraws::ChainDraws(std::vector<std::span<const double>> chains) : chains_(std::move(chains)) {
  for (std::size_t c = 0; c < chains_.size(); ++c)
    if (chains_[c].size() != length())
      throw InputError("chains: chain " + std::to_string(c + 1) + " has " + std::to_string(chains_[c].size()) +
                       " draws; all must have as many as the first, " + std::to_string(length()));
}

ChainDraws::ChainDraws(std::span<const double> draws, std::size_t chains) : chains_(cut(draws, chains)) {}

ChainDraws ChainDraws::split() const {
  const std::size_t half = length() / 2;
  std::vector<std::span<const double>> halves;
  halves.reserve(2 * chains());
  for (const auto chain : chains_) {
    halves.push_back(chain.first(half));
    halves.push_back(chain.last(half));
  }
  return ChainDraws(std::move(halves));
}

bool varies(const ChainDraws& draws) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const auto chain : draws) {
    for (const double x : chain) {
      if (!std::isfinite(x)) return false;
      least = std::min(least, x);
      greatest = std::max(greatest, x);
    }
  }
  const double largest = std::max(std::abs(least), std::abs(greatest));
  return greatest > least && greatest - least >= std::numeric_limits<double>::epsilon() * largest;
}

}  // namespace darboux
