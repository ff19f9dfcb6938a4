#pragma once

#include <atomic>
#include <chrono>
#include <darboux/sample/sampler.hpp>
#include <string>
#include <thread>
#include <vector>

namespace darboux::cli {

/// Shows on a terminal how a run gets on, one line per chain (a single line for more than a screenful of them), a few times
/// a second, on standard error. Where that is no terminal it shows nothing.
class Progress {
 public:
  struct Plan {
    Index chains = 1;
    int warmup = 0;
    int draws = 0;
  };
  Progress(const Plan& plan, bool wanted);
  ~Progress();

  /// From any thread, for every draw of every chain.
  void saw(const Draw& draw);
  /// Paints a last time and stops.
  void finish();

 private:
  struct Chain {
    std::atomic<int> iterations{0};
    std::atomic<int> divergences{0};
    std::atomic<double> step_size{0.0};
  };
  void paint();
  [[nodiscard]] std::string line(const std::string& label, int iterations, int divergences, double step_size) const;

  Plan plan_;
  bool shown_;
  std::vector<Chain> chains_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int painted_lines_ = 0;
  std::jthread painter_;
};

}  // namespace darboux::cli
