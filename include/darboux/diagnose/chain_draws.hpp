#pragma once

// A view of the draws of one quantity, chain by chain: what diagnostics take.

#include <cstddef>
#include <span>
#include <vector>

#include "darboux/core/export.hpp"

namespace darboux {

/// A view of the draws of one quantity: chains of equal length. It owns a short list of spans and none of the draws, which
/// must outlive it.
class DARBOUX_API ChainDraws {
 public:
  /// Throws InputError if the lengths differ.
  explicit ChainDraws(std::vector<std::span<const double>> chains);
  /// Chains that lie one after another. Throws InputError unless they divide the draws evenly.
  ChainDraws(std::span<const double> draws, std::size_t chains);

  [[nodiscard]] std::size_t chains() const noexcept { return chains_.size(); }
  /// Draws per chain.
  [[nodiscard]] std::size_t length() const noexcept { return chains_.empty() ? 0 : chains_.front().size(); }
  /// Draws of all chains.
  [[nodiscard]] std::size_t size() const noexcept { return chains() * length(); }

  [[nodiscard]] std::span<const double> operator[](std::size_t chain) const noexcept { return chains_[chain]; }
  [[nodiscard]] auto begin() const noexcept { return chains_.begin(); }
  [[nodiscard]] auto end() const noexcept { return chains_.end(); }
  [[nodiscard]] std::span<const std::span<const double>> spans() const noexcept { return chains_; }

  /// The first and the last ⌊n/2⌋ draws of each chain as chains of their own, so that a drift within a chain counts as a
  /// difference between chains. If n is odd, the draw in the middle is left out.
  [[nodiscard]] ChainDraws split() const;

 private:
  std::vector<std::span<const double>> chains_;
};

/// Whether there is anything to diagnose: all draws finite, and over all chains together max − min at least 2.2e-16 max|x|,
/// which is more than rounding does. Where not, R̂, ESS and MCSE are NaN. (posterior has no factor max|x|, and so calls draws
/// of a very small quantity constant.)
[[nodiscard]] DARBOUX_API bool varies(const ChainDraws& draws);

}  // namespace darboux
