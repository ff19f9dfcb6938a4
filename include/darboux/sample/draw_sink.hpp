#pragma once

// Where draws go while they are made: derive from DrawSink to write a format of your own, or to watch a run.

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "darboux/core/export.hpp"
#include "darboux/sample/draw.hpp"
#include "darboux/sample/sample_result.hpp"
#include "darboux/sample/tuning.hpp"

namespace darboux {

/// What the sampler writes to. Calls come in this order, and only `draw` from several threads at once:
///
///     draw …      of one chain in order, of different chains possibly at the same time
///     end_warmup  once, unless the run was stopped before
///     draw …
///     finish      once, also after an interrupt; not where something threw
///
/// A sink that is destroyed without finish() keeps what it was given.
class DARBOUX_API DrawSink {
 public:
  DrawSink() = default;
  DrawSink(const DrawSink&) = delete;
  DrawSink& operator=(const DrawSink&) = delete;
  virtual ~DrawSink() = default;

  virtual void draw(const Draw& draw) = 0;
  /// Whether draw() is going to look at the values of a draw, which may take long to compute; they are empty where not. Asked
  /// from several threads at once.
  [[nodiscard]] virtual bool wants_values(Phase /*phase*/, int /*iteration*/) const { return true; }
  /// Draws from here on count, and the tuning stays as it is. What warm-up found and took is known, nothing of sampling yet.
  virtual void end_warmup(const SampleResult& /*so_far*/) {}
  virtual void finish(const SampleResult& /*result*/) {}
};

/// Calls a function for every draw, from several threads at once where there are several: it must be safe to.
class DARBOUX_API CallbackSink final : public DrawSink {
 public:
  explicit CallbackSink(std::function<void(const Draw&)> on_draw) : on_draw_(std::move(on_draw)) {}
  void draw(const Draw& draw) override { on_draw_(draw); }

 private:
  std::function<void(const Draw&)> on_draw_;
};

/// Hands everything on to several sinks, in their order.
class DARBOUX_API SinkList final : public DrawSink {
 public:
  explicit SinkList(std::vector<DrawSink*> sinks) : sinks_(std::move(sinks)) {}

  void draw(const Draw& draw) override {
    for (DrawSink* sink : sinks_) sink->draw(draw);
  }
  [[nodiscard]] bool wants_values(Phase phase, int iteration) const override {
    return std::ranges::any_of(sinks_, [&](const DrawSink* sink) { return sink->wants_values(phase, iteration); });
  }
  void end_warmup(const SampleResult& so_far) override {
    for (DrawSink* sink : sinks_) sink->end_warmup(so_far);
  }
  void finish(const SampleResult& result) override {
    for (DrawSink* sink : sinks_) sink->finish(result);
  }

 private:
  std::vector<DrawSink*> sinks_;
};

}  // namespace darboux
