#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "darboux/diagnose/chain_draws.hpp"
#include "darboux/model/model.hpp"
#include "fixed_run.hpp"

/// Effective sizes of short runs, of which a method may have given a few effective draws or none at all.
///
/// About their own mean and variance such chains say little: one that crept through a part of the target, or never moved, cannot be
/// told from one that mixed. Here mean μ and variance σ² of a quantity f are known, by a long run of an exact sampler, and
/// autocorrelations are about them:
///   ρ_t = (1/n) Σ_{i < n − t} (f_i − μ)(f_{i+t} − μ) / σ²,   τ = −ρ_0 + 2 Σ ρ_t (Geyer's rule),   n/τ effective draws.
/// A chain that never moved then has τ = n (f − μ)²/σ², n on average: one draw. A bias counts as far as it can be told from the
/// noise of the autocorrelations.
namespace darboux::experiments {

struct Moments {
  double mean = 0.0;
  double variance = 1.0;
};
[[nodiscard]] Moments moments_of(const ChainDraws& draws);

/// The quantities by which runs are judged.
struct Reference {
  std::vector<Moments> values;   ///< of the model's quantities q_j, for their means
  std::vector<Moments> squares;  ///< of (q_j − E q_j)², for their variances
  Moments log_density;
};
/// From four chains of so many draws of Darboux's defaults, which are exact, with a seed of their own.
[[nodiscard]] Reference find_reference(const std::shared_ptr<const Model>& model, int draws,
                                       const std::atomic<bool>& stop);

/// The reference of several cells, made by whichever needs it first: the others wait for it.
class SharedReference {
 public:
  [[nodiscard]] const Reference& of(const std::shared_ptr<const Model>& model, int draws,
                                    const std::atomic<bool>& stop) {
    std::call_once(made_, [&] { reference_ = find_reference(model, draws, stop); });
    return reference_;
  }

 private:
  std::once_flag made_;
  Reference reference_;
};

[[nodiscard]] double autocorrelation_time_about(const Moments& known, std::span<const double> chain);

/// Autocorrelation times of some quantities in the chains of one run: times[quantity][chain].
using Times = std::vector<std::vector<double>>;

/// n/τ with τ the mean over chains, at most n. Of all quantities the mean.
[[nodiscard]] double mean_size(const Times& times, int draws);
/// The smallest of any quantity. The least of many noisy estimates would be smaller than any is in truth, the more so the noisier
/// they are; so that the worst quantity is looked for in all chains but one and measured in that one, each in turn. Throws
/// std::logic_error for a single chain.
[[nodiscard]] double least_size(const Times& times, int draws);

/// The effective draws of a run, per chain.
struct EffectiveSizes {
  double mean_of_means = 0.0;  ///< over the model's quantities, for their means
  double least_of_means = 0.0;
  double least_of_squares = 0.0;
  double of_log_density = 0.0;
};
[[nodiscard]] EffectiveSizes effective_sizes(const FixedRun& run, const Reference& reference);

}  // namespace darboux::experiments
