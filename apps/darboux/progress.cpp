#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

namespace darboux::cli {

namespace {

constexpr Index most_lines = 12;

std::string bar(double fraction) {
  constexpr int width = 14;
  const int full = static_cast<int>(fraction * width);
  std::string text;
  for (int i = 0; i < width; ++i) text += i < full ? "━" : "╌";
  return text;
}

std::string clock(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// A line that wraps would be painted over wrongly next time.
std::size_t columns_of_terminal() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// The first characters (UTF-8, each one column wide here).
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && ++seen > columns) break;
  }
  return text.substr(0, at);
}

}  // namespace

Progress::Progress(const Plan& plan)
    : plan_(plan),
      shown_(plan.on_terminal && is_told_on_terminal()),
      lined_(plan.on_terminal && !shown_),
      chains_(static_cast<std::size_t>(plan.chains - plan.elsewhere)) {
  for (Chain& chain : chains_) chain.iterations = plan.done;
  if (!plan.log.empty()) {
    std::fflush(stdout);  // which may be the same
    log_ = std::make_unique<LineLog>(plan.log);
    log({{"event", "begin"}, {"chains", plan.chains}, {"warmup", plan.warmup}, {"draws", plan.draws}});
  }
  if (!shown_ && !lined_ && !log_) return;
  teller_ = std::jthread([this](const std::stop_token& stop) {
    constexpr int paints_per_line = 7;  // of the log
    for (int i = 1; !stop.stop_requested(); ++i) {
      if (shown_) paint();
      if (lined_) print_line_if_due();
      if (log_ && i % paints_per_line == 0) log_progress();
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
  });
}

Progress::~Progress() { stop(); }

void Progress::draw(const Draw& draw) {
  Chain& chain = chains_[at(draw.chain)];
  ++chain.iterations;
  chain.step_size = draw.transition.step_size;
  if (draw.phase == Phase::sampling && draw.transition.status == Status::diverged) ++chain.divergences;
}

void Progress::stop() {
  if (!teller_.joinable()) return;
  teller_.request_stop();
  if (log_) log_->end();
  teller_.join();
  if (shown_) paint();
  if (log_) log_progress();
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Progress::log(const Json& line) { log_->add(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"); }

void Progress::log_progress() {
  Json states = Json::array();
  for (const Chain& chain : chains_)
    states.push_back({{"iterations", chain.iterations.load()},
                      {"divergences", chain.divergences.load()},
                      {"step_size", chain.step_size.load()}});
  Json line = {{"event", "progress"}, {"seconds", seconds()}, {"chains", states}};
  if (plan_.elsewhere > 0) line["divergences"] = divergences_.load();
  log(line);
}

void Progress::log_end(std::string_view status, std::string_view out) {
  if (log_) log({{"event", "end"}, {"seconds", seconds()}, {"status", status}, {"out", out}});
}

Progress::Sum Progress::sum() const {
  std::int64_t iterations = 0;
  Sum sum;
  for (const Chain& chain : chains_) {
    iterations += chain.iterations;
    sum.divergences += chain.divergences;
  }
  sum.iterations = static_cast<int>(iterations / std::ssize(chains_));
  if (plan_.elsewhere > 0) sum.divergences = divergences_;
  return sum;
}

void Progress::print_line_if_due() {
  if (!plain_lines_.is_due(seconds())) return;
  const std::string text = line(plan_.chains == 1 ? "1 chain" : fmt::format("{} chains", plan_.chains), sum(),
                                chains_.front().step_size, false);
  std::fputs(fmt::format("{:>5.0f} s  {}\n", seconds(), text).c_str(), stderr);
  std::fflush(stderr);
}

std::string Progress::line(const std::string& label, Sum done, double step_size, bool with_bar) const {
  const int iterations = done.iterations;
  const std::int64_t divergences = done.divergences;
  const int total = plan_.warmup + (plan_.open_ended ? 0 : plan_.draws);
  const double fraction = static_cast<double>(iterations) / std::max(1, total);
  const double seconds = this->seconds();
  const bool knows_end = !plan_.open_ended || iterations < plan_.warmup;
  std::string text =
      fmt::format("{} {}  {}", label,
                  knows_end ? fmt::format("{}{:3.0f} %", with_bar ? bar(fraction) + " " : "", 100.0 * fraction)
                            : fmt::format("{} draws of at most {}", iterations - plan_.warmup, plan_.draws),
                  iterations < plan_.warmup ? "warm-up " : "sampling");
  const double rate = (iterations - plan_.done) / std::max(seconds, 1e-3);
  if (iterations > plan_.done) text += fmt::format("  {:.0f} it/s  step {:.3g}", rate, step_size);
  if (divergences > 0) text += fmt::format("  {} divergent", divergences);
  if (iterations > plan_.done && iterations < total)
    text += fmt::format("  {} left", clock((total - iterations) / rate));
  return text;
}

void Progress::paint() {
  std::vector<std::string> lines;
  if (plan_.chains <= most_lines && plan_.elsewhere == 0) {
    for (std::size_t c = 0; c < chains_.size(); ++c)
      lines.push_back(line(fmt::format("chain {:>2}", at(plan_.first_chain) + c + 1),
                           {chains_[c].iterations, chains_[c].divergences}, chains_[c].step_size));
  } else {
    lines.push_back(line(fmt::format("{} chains", plan_.chains), sum(), chains_.front().step_size));
  }
  for (std::string& text : lines) text = cut(text, columns_of_terminal());
  std::string screen = painted_lines_ > 0 ? fmt::format("\x1b[{}A", painted_lines_) : "";
  for (const std::string& text : lines) screen += "\r\x1b[K" + text + "\n";
  painted_lines_ = static_cast<int>(lines.size());
  std::fputs(screen.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace darboux::cli
