#include "io/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

std::filesystem::path scratch_folder() {
  if (const char* const asked = std::getenv("TMPDIR"); asked != nullptr && *asked != '\0') return asked;
  return ::access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

/// Some file systems know no files without a name; there it goes at once.
int open_nameless(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string name = (folder / "darboux-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

ScratchFile::ScratchFile() : folder_(scratch_folder()), fd_(open_nameless(folder_)) {
  if (fd_ < 0) fail(errno);
}

ScratchFile::~ScratchFile() { ::close(fd_); }

void ScratchFile::fail(int error) const {
  throw Error(fmt::format(
      "a temporary file in {}, for draws that do not fit into memory: {}. Set TMPDIR to a folder with more room, or "
      "allow more memory",
      folder_.string(), std::generic_category().message(error)));
}

void ScratchFile::write(std::int64_t offset, std::span<const double> numbers) {
  auto bytes = std::as_bytes(numbers);
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
}

void ScratchFile::read(std::int64_t offset, std::span<double> numbers) const {
  auto bytes = std::as_writable_bytes(numbers);
  while (!bytes.empty()) {
    const ssize_t got = ::pread(fd_, bytes.data(), bytes.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(got < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

}  // namespace darboux
