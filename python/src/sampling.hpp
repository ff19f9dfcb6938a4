#pragma once

#include <sys/types.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "darboux/run/draws.hpp"
#include "darboux/sample/draw_sink.hpp"
#include "run/run_config.hpp"

namespace darboux::python {

/// What a chain has done so far.
struct ChainProgress {
  std::int64_t warmup = 0, draws = 0, divergences = 0, gradients = 0;
  double step_size = 0.0;
};

/// What it is going to do, as soon as that is decided. Where a run goes on until a target is reached, draws are the most.
struct Iterations {
  std::int64_t warmup = 0, draws = 0;
  bool open_ended = false;
};

/// A run in a thread of its own, from the search for starting points on. All of it may be called from any thread, without the
/// interpreter's lock, but for the destructor.
class Sampling {
 public:
  Sampling(std::shared_ptr<const Model> model, RunConfig config);
  Sampling(const Sampling&) = delete;
  Sampling& operator=(const Sampling&) = delete;
  /// Stops and waits; with the lock held, which is let go meanwhile, since the model may need it to end.
  ~Sampling();

  /// Whether it has ended, after at most so many seconds. Throws Error in a process that was forked, where the run is not.
  [[nodiscard]] bool wait(double seconds) const;
  /// Ends it after the present transitions; what was drawn stays.
  void stop() noexcept {
    stop_ = true;
    resume();
  }
  /// Chains wait after their present transition, until resume() or stop().
  void pause() noexcept { paused_ = true; }
  void resume() noexcept {
    paused_ = false;
    paused_.notify_all();
  }
  [[nodiscard]] std::optional<Iterations> planned() const;
  [[nodiscard]] const RunConfig& config() const noexcept { return config_; }
  [[nodiscard]] std::vector<ChainProgress> progress() const;
  /// What was drawn until now, of a run that is planned: the iterations that all chains have finished. Tuning and seconds are known as
  /// soon as warm-up has ended.
  [[nodiscard]] Draws so_far() const;
  /// What was drawn; waits for the end. What the model threw is thrown here, each time.
  [[nodiscard]] Draws draws() const;

 private:
  /// Counts, and keeps what is known of the result; chains are of different threads.
  class Counter;

  [[nodiscard]] Draws run(const std::shared_ptr<const Model>& model);
  [[nodiscard]] bool is_elsewhere() const noexcept;
  void require_here() const;

  RunConfig config_;
  pid_t process_;  // that the run's thread is of
  std::atomic<bool> stop_{false}, paused_{false};
  std::atomic<bool> is_planned_{false};
  Iterations planned_;  // written before that, and so is the next
  std::shared_ptr<Draws::Content> content_;
  std::shared_ptr<Counter> counter_;
  std::shared_future<Draws> end_;
};

}  // namespace darboux::python
