#include "draws/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <system_error>

#include "darboux/core/error.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view advice = "choose another directory, or remove this one first";

std::string chain_name(int chain) { return fmt::format("chain_{}.csv", chain); }

/// Why a folder cannot be written to, or nothing.
std::string obstacle(const fs::path& directory) {
  return ::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0
             ? ""
             : std::generic_category().message(errno);
}

/// What a process that was killed in the middle of write_text leaves.
bool is_left_over(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with(".darboux-") && name.ends_with(".tmp");
}

/// What an existing folder holds, for a message; nothing if it is empty.
std::string contents(const fs::path& directory) {
  if (const auto process = FolderLock::holder(directory))
    return fmt::format("process {} is writing a run into it", *process);
  const fs::path manifest_file = directory / manifest_name;
  if (fs::exists(manifest_file)) {
    try {
      const RunStatus status = read_manifest(manifest_file).status;
      if (status == RunStatus::complete) return "it holds a finished run";
      return fmt::format("it holds a run whose status is \"{}\" (to go on with it: darboux resume)", name(status));
    } catch (const Error&) {
      return fmt::format("it holds a file {}", manifest_name);
    }
  }
  for (const auto& entry : fs::directory_iterator(directory))
    if (!is_left_over(entry) && entry.path().filename() != FolderLock::file_name)
      return fmt::format("it is not empty (it has {})", entry.path().filename().string());
  return "";
}

/// Orders chain_2 before chain_10: runs of digits count as numbers.
bool naturally_less(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); };
  while (!a.empty() && !b.empty()) {
    if (const auto m = digits(a), n = digits(b); m > 0 && n > 0) {
      const auto number = [](std::string_view text) {
        return text.substr(std::min(text.find_first_not_of('0'), text.size()));
      };
      const std::string_view x = number(a.substr(0, m)), y = number(b.substr(0, n));
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(m);
      b.remove_prefix(n);
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

}  // namespace

RunDirectory::RunDirectory(fs::path directory) : path_(std::move(directory)) {
  const auto refusal = [&](std::string_view why) {
    return fmt::format("output directory {}: {}", path_.string(), why);
  };
  const auto refuse = [&](std::string_view why) { throw InputError(refusal(why)); };
  if (path_.empty()) refuse("its name must not be empty");
  if (!path_.has_filename() && path_.has_parent_path() && path_ != path_.root_path()) path_ = path_.parent_path();
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) {
    if (const std::string why = obstacle(path_); !why.empty()) refuse(why);
    if (const std::string what = contents(path_); !what.empty())
      throw FolderTaken(refusal(fmt::format("{}; {}", what, advice)));
    return;
  }
  if (fs::exists(status)) refuse("there is a file of that name; choose another directory");
  fs::path above = path_;
  while (!fs::exists(fs::status(above, error)) && above != above.parent_path()) above = above.parent_path();
  if (above.empty()) above = ".";
  if (error && error != std::errc::no_such_file_or_directory) refuse(error.message());
  if (!fs::is_directory(above)) refuse(fmt::format("{} is a file, not a directory", above.string()));
  if (const std::string why = obstacle(above); !why.empty())
    refuse(fmt::format("cannot be created in {}: {}", above.string(), why));
}

RunDirectory::RunDirectory(fs::path directory, Existing) : path_(std::move(directory)) {
  std::error_code error;
  if (!fs::exists(path_ / manifest_name, error)) {
    const std::string why = error ? fmt::format("{} cannot be looked at: {}", manifest_name, error.message())
                            : fs::is_directory(path_)
                                ? fmt::format("there is no {} here, so that nothing is known of a run", manifest_name)
                                : std::string("there is no such folder");
    throw InputError(fmt::format("{}: {}: give the folder that darboux sample made", path_.string(), why));
  }
  lock_ = std::make_unique<FolderLock>(path_);
  for (const auto& entry : fs::directory_iterator(path_))
    if (is_left_over(entry)) fs::remove(entry);
}

std::unique_ptr<RunDirectory> RunDirectory::existing(const fs::path& directory) {
  return std::unique_ptr<RunDirectory>(new RunDirectory(directory, Existing{}));
}

std::unique_ptr<RunDirectory> RunDirectory::of_group(const fs::path& directory) {
  return std::unique_ptr<RunDirectory>(new RunDirectory(directory, OfGroup{}));
}

RunDirectory::~RunDirectory() {
  if (lock_ && !lock_->obstacle().empty()) created_.clear();  // what is there now is another's
  lock_.reset();
  std::error_code ignored;  // a folder that is not empty refuses, and stays
  for (const fs::path& directory : created_ | std::views::reverse) fs::remove(directory, ignored);
}

void RunDirectory::create(const fs::path& directory) {
  std::error_code error;
  if (directory.empty() || fs::is_directory(directory, error)) return;
  create(directory.parent_path());
  if (fs::create_directory(directory, error))
    created_.push_back(directory);
  else if (error)
    throw InputError(fmt::format("output directory {}: cannot be created: {}", directory.string(), error.message()));
}

/// Created once: a folder that somebody moves or removes meanwhile must not come back without its draws, nor be taken for another
/// in its place.
void RunDirectory::prepare(const fs::path& file) {
  if (is_of_group_) return;
  if (lock_) {
    if (const std::string why = lock_->obstacle(); !why.empty())
      throw Error(fmt::format("cannot write {}: {}", file.string(), why));
    return;
  }
  create(path_);
  lock_ = std::make_unique<FolderLock>(path_);
}

fs::path RunDirectory::chain_file(std::string_view folder, int chain) {
  prepare(path_ / folder);
  create(path_ / folder);
  return path_ / folder / chain_name(chain);
}

StanCsvFiles RunDirectory::chain_files(int chain) {
  const fs::path statistics = chain_file("statistics", chain);
  return {.draws = path_ / chain_name(chain), .statistics = statistics};
}

fs::path RunDirectory::file(std::string_view name) {
  prepare(path_ / name);
  return path_ / name;
}

void RunDirectory::write(const RunManifest& manifest) { write_manifest(manifest, file(manifest_name)); }

DrawFile draw_file_entry(int chain, const StanCsvWriter& writer) {
  return {.file = chain_name(chain),
          .statistics = "statistics/" + chain_name(chain),
          .chain = chain,
          .warmup_rows = writer.warmup_rows(),
          .rows = writer.sampling_rows()};
}

std::vector<fs::path> find_draw_files(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  if (const fs::path manifest = path / manifest_name; fs::exists(manifest)) {
    for (const DrawFile& file : read_manifest(manifest).files) files.push_back(path / file.file);
    if (!files.empty()) return files;
  }
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() && (name.ends_with(".csv") || name.ends_with(".csv.gz"))) files.push_back(entry.path());
  }
  if (files.empty()) throw InputError(fmt::format("{}: there are no .csv files in this directory", path.string()));
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return naturally_less(a.filename().string(), b.filename().string());
  });
  return files;
}

}  // namespace darboux
