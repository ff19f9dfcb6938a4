#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace darboux {

/// A temporary file for what does not fit into memory. It has no name, so that nothing is left of it however the process ends. It is
/// made in the folder that TMPDIR names, or else in /var/tmp, which is on a disk where /tmp may be memory.
///
/// Failures throw Error with the folder, the reason, and what to do. Different threads may write and read at the same time.
class ScratchFile {
 public:
  ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  void write(std::int64_t offset, std::span<const double> numbers);
  void read(std::int64_t offset, std::span<double> numbers) const;

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path folder_;
  int fd_ = -1;
};

}  // namespace darboux
