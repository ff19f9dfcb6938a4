#pragma once

#include "darboux/sample/draw_sink.hpp"

namespace darboux {

/// Hands on the draws that are to be kept: one of `thin` in each phase, the first of each; those of warm-up only where wanted.
class KeptDraws final : public DrawSink {
 public:
  KeptDraws(DrawSink& sink, int thin, bool save_warmup) : sink_(sink), thin_(thin), save_warmup_(save_warmup) {}

  void draw(const Draw& draw) override {
    if (draw.phase == Phase::warmup && !save_warmup_) return;
    if (draw.iteration % thin_ == 0) sink_.draw(draw);
  }
  void end_warmup(const Tuning& tuning) override { sink_.end_warmup(tuning); }
  void finish(const SampleResult& result) override { sink_.finish(result); }

 private:
  DrawSink& sink_;
  int thin_;
  bool save_warmup_;
};

}  // namespace darboux
