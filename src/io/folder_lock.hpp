#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "darboux/core/error.hpp"

namespace darboux {

/// A folder that a run was to be written into has one, or gets one just now.
class FolderTaken : public InputError {
 public:
  using InputError::InputError;
};

/// Keeps other processes from writing into a folder: a file in it that the system holds locked for this process, with the process
/// number in it. Where the process dies, the system gives the lock back, so that a file that was left means nothing.
class FolderLock {
 public:
  static constexpr std::string_view file_name = "run.lock";

  /// Throws FolderTaken with the number of the process that has it. Where a file system knows no locks, nothing is locked.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Why the folder that was locked is not to be found where it was; nothing where it is.
  [[nodiscard]] std::string obstacle() const;

  /// The process that has the lock, "1234", if there is one.
  [[nodiscard]] static std::optional<std::string> holder(const std::filesystem::path& folder);

 private:
  std::filesystem::path folder_, file_;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t number_ = 0;  // of the folder
};

}  // namespace darboux
