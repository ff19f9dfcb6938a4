#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/run/draws.hpp"
#include "darboux/run/sample.hpp"
#include "draws/memory_sink.hpp"
#include "sample/sample_plan.hpp"

namespace darboux {

struct Draws::Content {
  explicit Content(SamplePlan p) : Content(std::move(p), {}) {}
  /// Of quantities with other names than the model's.
  Content(SamplePlan p, std::vector<std::string> other)
      : plan(std::move(p)),
        names(other.empty() ? plan.model->names() : std::move(other)),
        memory(plan.settings.chains, names.size()) {}

  SamplePlan plan;
  std::vector<std::string> names;
  MemorySink memory;
  SampleResult result{};
};

/// The same run with other quantities after warm-up, functions of what was drawn: `values` [quantity, chain, draw].
[[nodiscard]] Draws with_quantities(const Draws& draws, std::vector<std::string> names, std::span<const double> values);

/// What sample() does once everything is decided.
[[nodiscard]] Draws sample_as_planned(SamplePlan plan, const SampleWatch& watch = {});
/// The same into content that finished_so_far may look at meanwhile.
[[nodiscard]] Draws sample_into(std::shared_ptr<Draws::Content> content, const SampleWatch& watch = {});

/// A copy of what a run has so far, from any thread: the iterations that all chains have finished, and the result as far as it is known.
[[nodiscard]] Draws finished_so_far(const Draws::Content& running, SampleResult so_far);

}  // namespace darboux
