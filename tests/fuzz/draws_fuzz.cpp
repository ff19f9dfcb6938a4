// Draws: Stan CSV files, Zarr stores, checkpoints, and what is made of them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/archive.hpp"
#include "draws/chain_readers.hpp"
#include "draws/zarr_reader.hpp"
#include "draws/zarr_sink.hpp"
#include "io/checksum.hpp"
#include "io/scratch_folder.hpp"
#include "report/run_input.hpp"
#include "report/run_report.hpp"
#include "report/summary_files.hpp"
#include "report/summary_text.hpp"
#include "run/checkpoint_file.hpp"
#include "run/convert.hpp"
#include "target.hpp"

namespace darboux::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::size_t> all_columns(const StanCsvReader& file) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < file.columns().size(); ++i) columns.push_back(i);
  return columns;
}

void read_all(const StanCsvReader& file) {
  std::int64_t rows = 0;
  const StanCsvPass pass = file.for_each_row(all_columns(file), [&](std::span<const double> values, Phase) {
    demand(values.size() == file.columns().size(), "a value for each column");
    ++rows;
  });
  demand(pass.warmup_rows + pass.sampling_rows == rows, "rows are counted");
}

const Target stan_csv("stan_csv", [](std::string_view input) {
  static const MemoryFile file;
  attempt([&] {
    const StanCsvReader reader(file.fill(input));
    for (const std::string& column : reader.columns()) (void)reader.find_column(column);
    read_all(reader);
  });
});

/// A store that is whole, as that in the corpus.
fs::path whole_store(const fs::path& folder) {
  const fs::path root = folder / std::string(zarr_name);
  fs::create_directories(folder);
  ZarrSink sink(root, {.header = {.model = "banana"}, .names = {"q[1]", "q[2]"}}, 2);
  const std::vector<double> values{0.5, -1.5};
  const Transition transition{};
  for (int i = 0; i < 8; ++i)
    for (Index chain = 0; chain < 2; ++chain)
      sink.draw({.values = values, .transition = transition, .chain = chain, .iteration = i});
  sink.finish({});
  return root;
}

/// What describes a store is the input, its chunks are those of a whole one.
const Target zarr("zarr", [](std::string_view input) {
  static const ScratchFolder folder(fs::temp_directory_path());
  static const fs::path root = whole_store(folder.path());
  put(root / ".zmetadata", input);
  attempt([&] {
    const ZarrReader reader(root);
    for (const std::string& array : reader.arrays()) {
      attempt([&] { (void)reader.numbers(array); });
      attempt([&] { (void)reader.texts(array); });
      attempt([&] { (void)reader.dimensions(array); });
    }
  });
  attempt([&] {
    for (const ChainReaders& chain : open_zarr(root)) {
      read_all(chain.draws);
      if (chain.statistics) read_all(*chain.statistics);
    }
  });
});

std::string checkpoint_of(std::string_view bytes) {
  return fmt::format("darboux-checkpoint/8, {} bytes, crc32 {:08x}\n{}", bytes.size(), checksum(bytes), bytes);
}

/// With a checksum that is right, for else nothing would be read.
const Target checkpoint("checkpoint", [](std::string_view input) {
  static const MemoryFile file;
  attempt([&] { (void)read_checkpoint(file.fill(input)); });
  attempt([&] {
    Checkpoint read = read_checkpoint(file.fill(checkpoint_of(input)));
    demand(bytes_of(read) == input, "a checkpoint comes back");
  });
});

/// The folder of a run with one chain.
class Folder {
 public:
  Folder() { fs::create_directories(path() / "statistics"); }
  [[nodiscard]] fs::path path() const { return scratch_.path() / "run"; }
  /// Its files; those that are empty are not there.
  void fill(const std::vector<std::pair<std::string_view, std::string_view>>& files) const {
    for (const auto& [name, text] : files)
      if (text.empty())
        fs::remove(path() / name);
      else
        put(path() / name, text);
  }

 private:
  ScratchFolder scratch_{fs::temp_directory_path()};
};

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F; });
}

/// run.json, draws, statistics, observations: summarised, and reported. Files of draws are looked for by the names in run.json.
const Target report("report", [](std::string_view input) {
  static const Folder folder;
  const auto parts = parts_of(input, 4);
  folder.fill({{"run.json", parts[0]},
               {"chain_1.csv", parts[1]},
               {"statistics/chain_1.csv", parts[2]},
               {observations_name, parts[3]}});
  attempt([&] {
    ReportedRun run{.name = "<run>", .input = open_runs(std::array{folder.path()}), .summary = {}};
    SummarisedRun summarised = summarise_for_report(run.input, {.threads = 1});
    run.summary = std::move(summarised.summary);
    run.columns = std::move(summarised.columns);
    demand(is_printable(summary_text(run.summary)), "a summary can be printed");
    demand(nlohmann::json::accept(summary_to_json(run.summary)), "a summary is JSON");
    (void)summary_to_csv(run.summary);
    if (!parts[0].empty()) run.manifest = read_manifest(folder.path() / "run.json");
    if (!parts[3].empty()) run.observations = read_observation_summary(folder.path() / observations_name);
    for (const Report& made : {run_report(run), comparison_report(run, run)}) {
      const std::string text = report_to_json(made);
      demand(text.find('<') == std::string::npos, "no markup is in a report");
      demand(nlohmann::json::accept(text), "a report is JSON");
    }
  });
});

const Target convert("convert", [](std::string_view input) {
  static const Folder folder;
  const auto parts = parts_of(input, 2);
  folder.fill({{"chain_1.csv", parts[0]}, {"statistics/chain_1.csv", parts[1]}});
  const fs::path to = folder.path().parent_path();
  attempt([&] {
    const RunInput run = open_runs(std::array{folder.path() / "chain_1.csv"});
    attempt([&] { convert_to_zarr(run, to / "draws.zarr"); });
    attempt([&] { convert_to_csv(run, std::nullopt, to / "csv"); });
  });
  fs::remove_all(to / "draws.zarr");
  fs::remove_all(to / "csv");
});

}  // namespace
}  // namespace darboux::fuzz
