#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "draws/run_manifest.hpp"
#include "draws/stan_csv_writer.hpp"
#include "io/folder_lock.hpp"

namespace darboux {

/// The folder that a run writes into:
///
///     run.json                 the manifest
///     chain_1.csv, …           draws, one file per chain, and no other .csv: CmdStanPy and ArviZ take the whole folder
///     statistics/chain_1.csv   what else is known about each draw
///     log_likelihood/…, posterior_predictive/…, observations.json   what a model says of its observations (observation_pass.hpp)
///
/// and, while it is written, run.lock, which keeps other processes out, and checkpoints (checkpoint_file.hpp).
/// Nothing is created before the first file is asked for, so that a mistake in the configuration leaves no trace. If no file
/// appears in them, folders that it created go again with it.
class RunDirectory {
 public:
  /// Throws InputError, saying what to do, if the path is something else than a new or an empty folder (FolderTaken where it is
  /// one that has something in it), or if it could not be created. A run is never overwritten, finished or not.
  explicit RunDirectory(std::filesystem::path directory);
  /// The folder of a run that is to be gone on with. What a killed process left half written goes. Throws InputError where there
  /// is no run, or where a process is writing it, with its number.
  [[nodiscard]] static std::unique_ptr<RunDirectory> existing(const std::filesystem::path& directory);
  /// The folder of a run that another process of its group has opened, which keeps others out and tidies up.
  [[nodiscard]] static std::unique_ptr<RunDirectory> of_group(const std::filesystem::path& directory);
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// The files of a chain, counted from 1. Creates the folders for them, and throws Error where that fails.
  [[nodiscard]] StanCsvFiles chain_files(int chain);
  /// A further file of a chain, in a folder of its own; creates the folder.
  [[nodiscard]] std::filesystem::path chain_file(std::string_view folder, int chain);
  /// A file beside them, by its plain name; creates the folder for it.
  [[nodiscard]] std::filesystem::path file(std::string_view name);
  /// Writes run.json, whole or not at all; may be called again.
  void write(const RunManifest& manifest);
  /// Lets others in: the last call, where a process ends without destructors.
  void unlock() noexcept { lock_.reset(); }

 private:
  struct Existing {};
  RunDirectory(std::filesystem::path directory, Existing);
  struct OfGroup {};
  RunDirectory(std::filesystem::path directory, OfGroup) : path_(std::move(directory)), is_of_group_(true) {}
  void create(const std::filesystem::path& directory);
  void prepare(const std::filesystem::path& file);

  std::filesystem::path path_;
  std::vector<std::filesystem::path> created_;  // parents first
  std::unique_ptr<FolderLock> lock_;
  bool is_of_group_ = false;  // another process has the lock
};

/// The entry that a manifest has for a chain of a RunDirectory.
[[nodiscard]] DrawFile draw_file_entry(int chain, const StanCsvWriter& writer);

/// The files of draws that a path stands for: a file stands for itself, a run's folder for the files in its manifest, another
/// folder for all *.csv and *.csv.gz in it, chain_2 before chain_10. Throws InputError if there are none.
[[nodiscard]] std::vector<std::filesystem::path> find_draw_files(const std::filesystem::path& path);

}  // namespace darboux
