#pragma once

#include <span>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/core/random.hpp"

/// Draws that stand for a density other than the one they are from, each with a weight. Weights are given by their logarithms,
/// up to a common constant; −∞ is none.
namespace darboux {

/// log Σ exp(x), −∞ for none.
[[nodiscard]] double log_sum(std::span<const double> x);

/// log(p/q), −∞ where that is no finite number.
[[nodiscard]] double log_ratio(double log_p, double log_q) noexcept;

/// (Σ wᵗ)²/Σ w²ᵗ: how many equally weighted draws are worth as much, with weights to the power t. 0 where all weights are.
[[nodiscard]] double effective_size(std::span<const double> log_weights, double power = 1.0);

/// The lower bound E[log p − log N] of a Gaussian N restricted to where the model does not refuse points, from the log ratios of
/// its draws.
struct EvidenceBound {
  explicit EvidenceBound(std::span<const double> log_ratios);
  double value;           ///< −∞ where all draws are refused
  double sd;              ///< of the log ratios; ∞ where fewer than two draws are not refused
  double standard_error;  ///< of the value
};

/// The largest of 1, ½, ¼, … to whose power the weights leave at least so many effective draws; 0 where hardly any power does.
/// It takes from heavy weights what they have by chance, and keeps their order.
[[nodiscard]] double power_for_size(std::span<const double> log_weights, double wanted);

/// Numbers that add up to `count`, each the product of count and share rounded up or down, so that its mean over offsets
/// uniform on (0, 1) is that product (systematic resampling). Shares add up to 1.
[[nodiscard]] std::vector<Index> systematic_counts(std::span<const double> shares, Index count, double offset);

/// Different places, at most `count`, one after the other with probability proportional to the weight of those that are left:
/// the places with the largest logarithm of weight plus Gumbel noise.
[[nodiscard]] std::vector<Index> choose_different(std::span<const double> log_weights, Index count,
                                                  RandomStream& random);

}  // namespace darboux
