#pragma once

// The way in: draws from a model, with everything chosen that is not said.

#include <atomic>
#include <concepts>
#include <memory>
#include <utility>

#include "darboux/core/export.hpp"
#include "darboux/model/model.hpp"
#include "darboux/run/draws.hpp"
#include "darboux/sample/draw_sink.hpp"
#include "darboux/sample/sample_options.hpp"

namespace darboux {

/// Who else sees a run, and may end it.
struct SampleWatch {
  DrawSink* sink = nullptr;  ///< is given every draw, kept or not
  /// When it becomes true, the run ends after the current transitions, all chains with the same number of draws.
  const std::atomic<bool>* stop = nullptr;
};

/// Samples as `darboux sample` does, with the same automatic choices, and keeps the draws in memory. Throws InputError, before any
/// work is done, naming option, value and rule; what the model throws passes through.
[[nodiscard]] DARBOUX_API Draws sample(std::shared_ptr<const Model> model, const SampleOptions& options = {},
                                       const SampleWatch& watch = {});
template <std::derived_from<Model> M>
[[nodiscard]] Draws sample(M model, const SampleOptions& options = {}, const SampleWatch& watch = {}) {
  return sample(std::make_shared<const M>(std::move(model)), options, watch);
}

}  // namespace darboux
