#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <darboux/core/error.hpp>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "calibration.hpp"
#include "core/field_table.hpp"
#include "exactness.hpp"
#include "io/file.hpp"
#include "page.hpp"
#include "warm_up_trace.hpp"

/// ./dev prove: runs what is missing of a proof, for as long as is given, and writes a page about all that is there.
namespace darboux::proofs {
namespace {

namespace fs = std::filesystem;
using namespace experiments;

constexpr const char* usage = R"(usage: ./dev prove [OPTION…]

Long runs that would show a bias: exact methods against known laws, what warm-up leaves behind, calibration by simulation.
Parts that are finished are kept, and the same command goes on where it was ended, by Ctrl-C, too.

  --minutes N   end after so long, with what there is; until all is done when absent
  --rounds N    rounds of work, 1 to 1000; twenty (the default) make 10⁷ draws for every law,
                10⁵ short runs of each way to run, 1000 replications
  --only PART   exactness, warm-up or calibration
  --seed N      of all random numbers (default 1)
  --threads N   parts that are computed at the same time; all cores when absent
  --out DIR     where results are kept (default: build/proof)
  --keep        put page and tables into docs/
)";

std::atomic<bool> stop{false};
void on_signal(int) { stop = true; }

struct Arguments {
  Scale scale;
  double minutes = 0.0;
  std::string only;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  fs::path out = "build/proof";
  bool keep = false;
};

Arguments arguments(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--keep") {
      a.keep = true;
      continue;
    }
    if (i + 1 == argc)
      throw InputError(fmt::format("{}: an unknown option, or one without its value\n\n{}", flag, usage));
    const std::string value = argv[++i];
    const auto whole = [&](std::int64_t least, std::int64_t most) { return parse_integer(flag, value, least, most); };
    if (flag == "--minutes")
      a.minutes = static_cast<double>(whole(1, 100'000));
    else if (flag == "--rounds")
      a.scale.rounds = static_cast<int>(whole(1, 1000));
    else if (flag == "--seed")
      a.scale.seed = static_cast<std::uint64_t>(whole(0, 1'000'000'000));
    else if (flag == "--threads")
      a.threads = static_cast<int>(whole(1, 1024));
    else if (flag == "--only")
      a.only = value;
    else if (flag == "--out")
      a.out = value;
    else
      throw InputError(fmt::format("{}: an unknown option\n\n{}", flag, usage));
  }
  if (!a.only.empty() && a.only != "exactness" && a.only != "warm-up" && a.only != "calibration")
    throw InputError(fmt::format("--only {}: must be exactness, warm-up or calibration", a.only));
  return a;
}

/// A part, and after how much of all work it is done where all parts are asked for.
struct Part {
  std::string_view name;
  std::vector<Cell> cells;
  double end;
};

/// All parts, taken by turns and round by round: a run that is ended early has something of each.
std::vector<Cell> cells_of(const Arguments& a) {
  std::vector<Cell> all;
  for (auto& [name, cells, end] :
       std::array{Part{"exactness", exactness_cells(a.scale), 0.4},
                  Part{"calibration", calibration_cells(a.scale), 0.5}, Part{"warm-up", trace_cells(a.scale), 1.0}}) {
    if (!a.only.empty() && a.only != name) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i].cost = 2.0 - end * static_cast<double>(i) / static_cast<double>(cells.size());
      all.push_back(std::move(cells[i]));
    }
  }
  return all;
}

/// Sets `stop` after some time, unless it is destroyed before.
class Deadline {
 public:
  explicit Deadline(double minutes) {
    if (minutes > 0.0)
      thread_ = std::jthread([this, minutes](const std::stop_token& token) {
        std::unique_lock lock(mutex_);
        if (!waiting_.wait_for(lock, token, std::chrono::duration<double>(60.0 * minutes), [] { return false; }) &&
            !token.stop_requested())
          stop = true;
      });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any waiting_;
  std::jthread thread_;
};

/// With the hours of earlier runs of the same folder.
double cpu_hours(const fs::path& out) {
  const double now = static_cast<double>(std::clock()) / CLOCKS_PER_SEC / 3600.0;
  const fs::path file = out / "provenance.json";
  return now +
         (fs::exists(file) ? provenance_from_json(nlohmann::ordered_json::parse(read_text(file))).cpu_hours : 0.0);
}

void write(const Findings& findings, const fs::path& folder, const fs::path& page) {
  fs::create_directories(folder);
  for (const auto& [name, tables] : {std::pair{"exactness", &findings.exactness},
                                     {"warm-up", &findings.traces},
                                     {"calibration", &findings.calibration}})
    write_text(folder / fmt::format("{}.json", name), experiments::to_json(*tables).dump() + "\n");
  write_text(folder / "provenance.json", to_json(findings.provenance).dump(1) + "\n");
  write_text(page, to_page(findings));
}

int prove(const Arguments& a) {
  const fs::path cells = a.out / "cells";
  {
    const Deadline deadline(a.minutes);
    const auto done = run_cells(
        cells_of(a), {.folder = cells, .threads = a.threads, .stop = &stop, .on_progress = [](const CellProgress& p) {
                        if (p.done % 100 == 0 || p.done == p.all)
                          fmt::print(stderr, "{} of {} parts, {:.0f} s\n", p.done, p.all, p.seconds);
                      }});
    if (!done) fmt::print("Ended before all was done: the same command goes on from there.\n");
  }
  Findings findings{.exactness = reduce_exactness(a.scale, cells),
                    .traces = reduce_traces(a.scale, cells),
                    .calibration = reduce_calibration(a.scale, cells),
                    .provenance = provenance_here(a.scale)};
  findings.provenance.cpu_hours = cpu_hours(a.out);
  write(findings, a.out, a.out / "trust-exactness.md");
  if (a.keep) write(findings, "docs/proofs", "docs/trust-exactness.md");
  fmt::print("The page is {}{}\n", (a.out / "trust-exactness.md").string(),
             a.keep ? " and docs/trust-exactness.md" : "");
  if (holds(findings)) return 0;
  fmt::print("Something that is claimed is rejected: see the page.\n");
  return 1;
}

}  // namespace
}  // namespace darboux::proofs

int main(int argc, char** argv) {
  using namespace darboux::proofs;
  try {
    if (std::any_of(argv + 1, argv + argc, [](std::string_view word) { return word == "--help" || word == "-h"; })) {
      fmt::print("{}", usage);
      return 0;
    }
    const Arguments a = arguments(argc, argv);
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    return prove(a);
  } catch (const std::exception& e) {
    fmt::print(stderr, "prove: {}\n", e.what());
    return 2;
  }
}
