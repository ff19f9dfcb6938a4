#pragma once

#include "darboux/sample/draw_sink.hpp"
#include "stopwatch.hpp"

namespace darboux::bench {

/// Notes when sampling begins, in CPU time of the thread.
class SamplingClock final : public DrawSink {
 public:
  void draw(const Draw&) override {}
  void end_warmup(const SampleResult&) override { begin_ = thread_seconds(); }
  [[nodiscard]] double begin() const noexcept { return begin_; }

 private:
  double begin_ = 0.0;
};

}  // namespace darboux::bench
