#pragma once

// The draws of a run in memory, with what the sampler says about them.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/export.hpp"
#include "darboux/diagnose/chain_draws.hpp"
#include "darboux/diagnose/summary.hpp"
#include "darboux/linalg/matrix.hpp"
#include "darboux/sample/draw.hpp"
#include "darboux/sample/sample_result.hpp"

namespace darboux {

/// One quantity of a run, summarised.
struct NamedSummary {
  std::string name;  ///< as people write it: a[1,2]
  Summary values{};
};

/// What a run found, and whether it can be believed.
struct DrawsSummary {
  std::vector<NamedSummary> rows;     ///< lp__ first, then the model's quantities
  std::vector<std::string> warnings;  ///< what may be wrong, each with what to do next; none is the good news
  std::string text;                   ///< all of it as `darboux summary` prints it
};

/// The draws that sample() returns.
class DARBOUX_API Draws {
 public:
  /// What they are made of; sample() knows.
  struct Content;
  explicit Draws(std::shared_ptr<const Content> content);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept;  ///< as the model has them
  [[nodiscard]] Index chains() const noexcept;
  [[nodiscard]] Index size() const noexcept;  ///< kept draws of each chain, after warm-up
  /// One quantity of all chains after warm-up, or "lp__". Throws InputError, with a suggestion, for a name that is not there.
  [[nodiscard]] ChainDraws operator[](std::string_view name) const;
  /// The same of warm-up, where it was saved.
  [[nodiscard]] ChainDraws warmup(std::string_view name) const;
  /// What the sampler says about the draws of a chain.
  [[nodiscard]] std::span<const Transition> transitions(Index chain, Phase phase = Phase::sampling) const;
  /// Tuning, gradients, seconds, and what ended the run.
  [[nodiscard]] const SampleResult& result() const noexcept;

  /// log p(y_i | draw) of the draws of a chain (rows) and the observations (columns). Throws InputError where the model tells nothing
  /// of single observations (Model::make_observations).
  [[nodiscard]] Matrix log_likelihood(Index chain) const;
  /// What might have been observed, at `count` draws of a chain (rows) that are spread evenly over it, or at all where there are
  /// fewer. The same for the same seed.
  [[nodiscard]] Matrix posterior_predictive(Index chain, Index count) const;

  /// Mean, quantiles, ESS and R̂ of every quantity, what else is asked for, and warnings. Throws InputError for extras that make no
  /// sense.
  [[nodiscard]] DrawsSummary summary(const SummaryExtras& extras = {}) const;

  [[nodiscard]] const Content& content() const noexcept { return *content_; }

 private:
  std::shared_ptr<const Content> content_;
};

}  // namespace darboux
