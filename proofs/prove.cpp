#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "calibration.hpp"
#include "core/field_table.hpp"
#include "core/utc_time.hpp"
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

  --minutes N   end after so long, with what there is; 0 only writes the page; until all is done when absent
  --rounds N    rounds of work, 1 to 1000; twenty (the default) make 10⁷ draws for every law,
                10⁵ short runs of each way to run, 1000 replications
  --only PART   exactness, warm-up or calibration, or only one of them and a law or a model: warm-up/skewed,
                and so on, as the folders below DIR/cells are named: warm-up/skewed/--integrator-split-midpoint
  --seed N      of all random numbers (default 1)
  --threads N   parts that are computed at the same time; all cores when absent
  --out DIR     where results are kept (default: build/proof); those of another build of this program are made anew
  --commit NAME what the program was built from, for the page
  --keep        put page and tables into docs/, unless there would be less of anything than what is kept there
  --replace     with --keep: even so
  --page        only write docs/trust-exactness.md anew from the tables in docs/: for words that have changed
)";

std::atomic<bool> stop{false};
void on_signal(int) { stop = true; }

struct Arguments {
  Scale scale;
  std::optional<double> minutes{};
  std::string only{}, commit{};
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  fs::path out = "build/proof";
  bool keep = false, replace = false, page = false;
};

Arguments arguments(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (bool* const known = flag == "--keep"      ? &a.keep
                            : flag == "--replace" ? &a.replace
                            : flag == "--page"    ? &a.page
                                                  : nullptr) {
      *known = true;
      continue;
    }
    if (i + 1 == argc)
      throw InputError(fmt::format("{}: an unknown option, or one without its value\n\n{}", flag, usage));
    const std::string value = argv[++i];
    const auto whole = [&](std::int64_t least, std::int64_t most) { return parse_integer(flag, value, least, most); };
    if (flag == "--minutes")
      a.minutes = static_cast<double>(whole(0, 100'000));
    else if (flag == "--rounds")
      a.scale.rounds = static_cast<int>(whole(1, 1000));
    else if (flag == "--seed")
      a.scale.seed = static_cast<std::uint64_t>(whole(0, 1'000'000'000));
    else if (flag == "--threads")
      a.threads = static_cast<int>(whole(1, 1024));
    else if (flag == "--only")
      a.only = value;
    else if (flag == "--commit")
      a.commit = value;
    else if (flag == "--out")
      a.out = value;
    else
      throw InputError(fmt::format("{}: an unknown option\n\n{}", flag, usage));
  }
  return a;
}

/// A part, and after how much of all work it is done where all parts are asked for.
struct Part {
  std::vector<Cell> cells;
  double end;
};

/// The same with a table more: the processor's time that it took, and when that was.
Cell timed(Cell cell) {
  cell.compute = [compute = std::move(cell.compute)](const std::atomic<bool>& stopped) {
    const double begin = cpu_seconds();
    Tables tables = compute(stopped);
    append_row(tables["effort"], {{"cpu_seconds", cpu_seconds() - begin}, {"date", utc_now()}});
    return tables;
  };
  return cell;
}

/// All parts, taken by turns and round by round: a run that is ended early has something of each.
std::vector<Cell> cells_of(const Scale& scale) {
  std::vector<Cell> all;
  for (auto& [cells, end] : std::array{Part{exactness_cells(scale), 0.4}, Part{calibration_cells(scale), 0.5},
                                       Part{trace_cells(scale), 1.0}})
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i].cost = 2.0 - end * static_cast<double>(i) / static_cast<double>(cells.size());
      all.push_back(timed(std::move(cells[i])));
    }
  return all;
}

/// Those in a folder.
std::vector<Cell> chosen(std::vector<Cell> cells, const std::string& only) {
  if (only.empty()) return cells;
  std::erase_if(cells, [&](const Cell& cell) { return !cell.key.starts_with(only + '/'); });
  if (cells.empty())
    throw InputError(fmt::format(
        "--only {}: must be exactness, warm-up or calibration, or a folder below one of them: exactness/skewed", only));
  return cells;
}

/// Sets `stop` after some time, unless it is destroyed before.
class Deadline {
 public:
  explicit Deadline(std::optional<double> minutes) {
    if (minutes == 0.0) stop = true;
    if (minutes > 0.0)
      thread_ = std::jthread([this, minutes](const std::stop_token& token) {
        std::unique_lock lock(mutex_);
        if (!waiting_.wait_for(lock, token, std::chrono::duration<double>(60.0 * *minutes), [] { return false; }) &&
            !token.stop_requested())
          stop = true;
      });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any waiting_;
  std::jthread thread_;
};

/// When cells were computed and what that took: of all that are there, whichever run made them.
void add_effort(Provenance& of, const std::vector<Cell>& cells, const fs::path& folder) {
  std::vector<std::string> dates;
  double seconds = 0.0;
  for (const Cell& cell : cells)
    if (const auto kept = kept_tables(cell, folder)) {
      seconds += numbers(kept->at("effort"), "cpu_seconds").front();
      dates.push_back(texts(kept->at("effort"), "date").front());
    }
  of.cpu_hours = seconds / 3600.0;
  if (dates.empty()) return;
  const auto [first, last] = std::ranges::minmax_element(dates);
  of.begun = *first;
  of.date = *last;
}

const fs::path kept_tables_folder = "docs/proofs", kept_page = "docs/trust-exactness.md";

/// False, and says why, where what is kept has more.
bool keep(const Findings& findings, bool replace) {
  const std::vector<std::string> lost = losses(read_findings(kept_tables_folder), findings);
  if (!replace && !lost.empty()) {
    fmt::print("Not kept, for there would be {}. More of it with the same command, or --keep --replace.\n",
               fmt::join(lost, ", "));
    return false;
  }
  write_findings(findings, kept_tables_folder);
  write_text(kept_page, to_page(findings));
  return true;
}

int prove(const Arguments& a) {
  if (a.page) {
    write_text(kept_page, to_page(read_findings(kept_tables_folder)));
    return 0;
  }
  const fs::path folder = a.out / "cells";
  const std::vector<Cell> cells = cells_of(a.scale);
  {
    const Deadline deadline(a.minutes);
    const auto done =
        run_cells(chosen(cells, a.only),
                  {.folder = folder, .threads = a.threads, .stop = &stop, .on_progress = [](const CellProgress& p) {
                     if (p.done % 100 == 0 || p.done == p.all)
                       fmt::print(stderr, "{} of {} parts, {:.0f} s\n", p.done, p.all, p.seconds);
                   }});
    if (!done) fmt::print("Ended before all was done: the same command goes on from there.\n");
  }
  Findings findings{.exactness = reduce_exactness(a.scale, folder),
                    .traces = reduce_traces(a.scale, folder),
                    .calibration = reduce_calibration(a.scale, folder),
                    .provenance = provenance_here(a.scale)};
  add_effort(findings.provenance, cells, folder);
  findings.provenance.commit = a.commit;
  write_findings(findings, a.out);
  write_text(a.out / "trust-exactness.md", to_page(findings));
  const bool is_kept = a.keep && keep(findings, a.replace);
  fmt::print("The page is {}{}\n", (a.out / "trust-exactness.md").string(),
             is_kept ? " and " + kept_page.string() : "");
  if (!holds(findings)) fmt::print("Something that is claimed is rejected: see the page.\n");
  return holds(findings) && is_kept == a.keep ? 0 : 1;
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
