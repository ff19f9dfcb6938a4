#pragma once

#include <filesystem>

namespace darboux {

/// A new folder for what is being made, which goes with its owner. In the folder where the result will be, what is finished can be
/// renamed into its place. Throws Error where it cannot be made.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& in);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace darboux
