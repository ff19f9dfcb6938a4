#pragma once

#include <atomic>
#include <chrono>
#include <darboux/sample/draw_sink.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "line_log.hpp"
#include "status_line.hpp"

namespace darboux::cli {

/// Tells how a run gets on. On a terminal: one line per chain (a single line for more than a screenful of them), a few times
/// a second, on standard error. Where that is no terminal: a plain line for all chains after 3, 10, 30 and 60 seconds, and then every
/// minute. In a file, if one is named: JSON lines,
///
///     {"event": "begin", "chains": 4, "warmup": 1000, "draws": 1000}
///     {"event": "progress", "seconds": 1.0, "chains": [{"iterations": 250, "divergences": 0, "step_size": 0.3}, …]}
///     {"event": "end", "seconds": 2.5, "status": "complete", "out": "…"}
///
/// with a line of progress every second.
class Progress final : public DrawSink {
 public:
  struct Plan {
    Index chains = 1;
    Index first_chain = 0;  ///< how many come before these
    Index elsewhere = 0;    ///< how many of them other processes draw, which are as far as these
    int warmup = 0;
    int draws = 0;
    int done = 0;             ///< iterations that there are already
    bool open_ended = false;  ///< draws are the most that there may be
    bool on_terminal = true;
    std::string log{};  ///< file to append to, "-" for standard output, or empty
  };
  /// Throws InputError where the log cannot be written.
  explicit Progress(const Plan& plan);
  ~Progress() override;

  void draw(const Draw& draw) override;
  [[nodiscard]] bool wants_values(Phase /*phase*/, int /*iteration*/) const override { return false; }
  void finish(const SampleResult& /*result*/) override { stop(); }
  /// Of all chains, where some are elsewhere.
  void count_divergences(std::int64_t more) { divergences_ += more; }
  /// Paints a last time and stops.
  void stop();
  /// The log's last line.
  void log_end(std::string_view status, std::string_view out);
  /// Why a line of the log could not be written, after stop(); empty if all were.
  [[nodiscard]] std::string log_failure() const { return log_ ? log_->failure() : ""; }

 private:
  struct Chain {
    std::atomic<int> iterations{0};
    std::atomic<int> divergences{0};
    std::atomic<double> step_size{0.0};
  };
  void paint();
  void print_line_if_due();
  struct Sum {
    int iterations = 0;  // of a chain, on average
    std::int64_t divergences = 0;
  };
  [[nodiscard]] Sum sum() const;
  using Json = nlohmann::ordered_json;
  void log(const Json& line);
  void log_progress();
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::string line(const std::string& label, Sum done, double step_size, bool with_bar = true) const;

  Plan plan_;
  bool shown_;
  bool lined_;  // plainly
  PlainLineTimes plain_lines_;
  std::unique_ptr<LineLog> log_;
  std::vector<Chain> chains_;  // of this process
  std::atomic<std::int64_t> divergences_{0};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int painted_lines_ = 0;
  std::jthread teller_;
};

}  // namespace darboux::cli
