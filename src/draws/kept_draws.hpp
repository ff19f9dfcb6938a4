#pragma once

#include "darboux/sample/draw_sink.hpp"

namespace darboux {

/// Hands on the draws that are to be kept: one of `thin` in each phase, the first of each; those of warm-up only where wanted.
class KeptDraws final : public DrawSink {
 public:
  KeptDraws(DrawSink& sink, int thin, bool save_warmup) : sink_(sink), thin_(thin), save_warmup_(save_warmup) {}

  void draw(const Draw& draw) override {
    if (keeps(draw.phase, draw.iteration)) sink_.draw(draw);
  }
  [[nodiscard]] bool wants_values(Phase phase, int iteration) const override {
    return keeps(phase, iteration) && sink_.wants_values(phase, iteration);
  }
  void end_warmup(const SampleResult& so_far) override { sink_.end_warmup(so_far); }
  void finish(const SampleResult& result) override { sink_.finish(result); }

 private:
  [[nodiscard]] bool keeps(Phase phase, int iteration) const {
    return (phase == Phase::sampling || save_warmup_) && iteration % thin_ == 0;
  }

  DrawSink& sink_;
  int thin_;
  bool save_warmup_;
};

}  // namespace darboux
