#include "draws/line_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "darboux/core/batch.hpp"
#include "darboux/core/error.hpp"
#include "io/checksum.hpp"
#include "io/file.hpp"

namespace darboux {

namespace {

constexpr std::size_t full_buffer = 1 << 18;

[[noreturn]] void write_failed(const std::filesystem::path& file, std::string_view why) {
  throw Error(fmt::format("cannot write {}: {}", file.string(), why));
}

/// Whether opening the path changes what is in it for nobody: a device, a pipe.
bool is_stream(const std::filesystem::path& file) {
  struct stat found{};
  return ::stat(file.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

}  // namespace

LineFile::LineFile(std::filesystem::path file, std::string head, const FlushPolicy& policy)
    : path_(std::move(file)),
      policy_(policy),
      pending_(std::move(head)),
      head_(std::ssize(pending_)),
      last_flush_(std::chrono::steady_clock::now()) {
  const int flags = is_stream(path_) ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL;
  fd_ = ::open(path_.c_str(), flags, 0666);
  if (fd_ < 0) write_failed(path_, std::generic_category().message(errno));
}

LineFile::LineFile(std::filesystem::path file, std::string_view head, const FlushPolicy& policy, const FileMark& mark)
    : path_(std::move(file)),
      policy_(policy),
      written_(std::ssize(head) + mark.size),
      head_(std::ssize(head)),
      checksum_(mark.checksum),
      last_flush_(std::chrono::steady_clock::now()) {
  if (const std::int64_t old_head = find_mark(path_, mark); old_head != head_)
    replace_beginning(path_, head, old_head, mark.size);
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd_ < 0) write_failed(path_, std::generic_category().message(errno));
  if (::ftruncate(fd_, written_) != 0 || ::lseek(fd_, 0, SEEK_END) != written_) fail(errno);
  overwrite(0, head);
}

LineFile::~LineFile() {
  if (fd_ < 0) return;
  try {
    flush();
  } catch (const std::exception&) {
    return;  // closed by fail(); there is nobody left to tell
  }
  ::close(fd_);
}

void LineFile::require_open() const {
  if (fd_ < 0) write_failed(path_, "it is closed");
}

void LineFile::fail(int error) {
  (void)!::ftruncate(fd_, written_);  // back to whole lines, where the file can be cut
  ::close(std::exchange(fd_, -1));
  write_failed(path_, std::generic_category().message(error));
}

bool LineFile::end_line() {
  require_open();
  ++lines_;
  const bool due = pending_.size() >= full_buffer || (policy_.rows > 0 && lines_ >= policy_.rows) ||
                   std::chrono::steady_clock::now() - last_flush_ >= policy_.interval;
  if (due) flush();
  return due;
}

void LineFile::flush() {
  require_open();
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      const std::size_t accepted = pending_.size() - rest.size();
      const std::size_t last_end = accepted == 0 ? std::string::npos : pending_.rfind('\n', accepted - 1);
      if (last_end != std::string::npos) written_ += static_cast<std::int64_t>(last_end + 1);
      fail(error);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  checksum_ = mark().checksum;
  written_ += static_cast<std::int64_t>(pending_.size());
  pending_.clear();
  lines_ = 0;
  last_flush_ = std::chrono::steady_clock::now();
}

FileMark LineFile::mark() const {
  const std::int64_t head_left = std::clamp<std::int64_t>(head_ - written_, 0, std::ssize(pending_));
  return {.size = written_ + std::ssize(pending_) - head_,
          .checksum = checksum(std::string_view(pending_).substr(at(head_left)), checksum_)};
}

void LineFile::overwrite(std::int64_t offset, std::string_view text) {
  flush();
  while (!text.empty()) {
    const ssize_t written = ::pwrite(fd_, text.data(), text.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == ESPIPE) return;  // a pipe: what is out is out
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
}

void LineFile::close() {
  flush();
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);  // EINVAL: a device
  if (::close(std::exchange(fd_, -1)) != 0) write_failed(path_, std::generic_category().message(errno));
}

std::int64_t find_mark(const std::filesystem::path& file, const FileMark& mark) {
  const auto refuse = [&](std::string_view why) { throw Error(fmt::format("{} {}", file.string(), why)); };
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse("cannot be read");
  std::string some;
  do {
    std::getline(in, some);
    if (!in || in.eof()) refuse("has been cut: it ends before its first row");
  } while (some.starts_with('#'));
  const std::int64_t head = in.tellg();
  std::uint32_t sum = 0;
  std::int64_t left = mark.size;
  some.resize(full_buffer);
  while (left > 0 && in) {
    in.read(some.data(), std::min<std::int64_t>(left, std::ssize(some)));
    sum = checksum(std::string_view(some).substr(0, at(in.gcount())), sum);
    left -= in.gcount();
  }
  if (left > 0) refuse(fmt::format("has been cut: of {} bytes of rows there are {}", mark.size, mark.size - left));
  if (sum != mark.checksum) refuse("is damaged: its rows are not those that were written");
  return head;
}

}  // namespace darboux
