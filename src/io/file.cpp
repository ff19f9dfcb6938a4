#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void write_failed(const std::filesystem::path& file, std::string_view why) {
  throw Error(fmt::format("cannot write {}: {}", file.string(), why));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { (void)close(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  /// Some file systems report a failed write only here.
  [[nodiscard]] bool close() noexcept { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A new, empty file in a folder of the target's file system. It disappears again unless it is renamed.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& target, const std::filesystem::path& folder) : target_(target) {
    static std::atomic<unsigned> counter{0};
    do {
      path_ = folder / fmt::format(".darboux-{}-{}.tmp", ::getpid(), counter++);
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EEXIST);
    if (fd_ < 0) write_failed(target, reason(errno));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] bool rename_to_target() noexcept {
    renamed_ = ::rename(path_.c_str(), target_.c_str()) == 0;
    return renamed_;
  }
  /// Likewise, where nobody waits for the disk: some file systems write data out when a name is taken over, which takes
  /// milliseconds, but not when two files exchange their names. The other one then disappears in place of this one.
  [[nodiscard]] bool exchange_with_target() noexcept {
#ifdef SYS_renameat2
    constexpr unsigned exchange = 2;  // RENAME_EXCHANGE, which older headers lack
    if (::syscall(SYS_renameat2, AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), exchange) == 0) return true;
#endif
    return rename_to_target();
  }

 private:
  std::filesystem::path target_, path_;
  int fd_ = -1;
  bool renamed_ = false;
};

/// So that the new name survives a power cut. A directory that cannot be synchronised is no reason to fail.
void sync_directory(const std::filesystem::path& directory) {
  const Descriptor fd(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) (void)::fsync(fd.get());
}

}  // namespace

std::string in_words(const std::exception& thrown) {
  const auto* const of_files = dynamic_cast<const std::filesystem::filesystem_error*>(&thrown);
  if (of_files == nullptr) return thrown.what();
  return fmt::format("{}: {}", of_files->path1().string(), of_files->code().message());
}

bool stays_below(const std::filesystem::path& name) {
  return name.is_relative() && std::ranges::find(name, "..") == name.end();
}

std::string read_text(const std::filesystem::path& file) {
  const auto fail = [&](int error) {
    throw InputError(fmt::format("cannot read {}: {}", file.string(), reason(error)));
  };
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail(errno);
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

namespace {

/// `fill` writes to a descriptor, and returns whether it could.
template <class Fill>
void write_whole(const std::filesystem::path& file, const Fill& fill) {
  // Renaming would replace a link by a file, and a device by a file: follow the one, refuse the other.
  std::filesystem::path target = file;
  std::error_code error;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(file, error))) {
    target = std::filesystem::canonical(file, error);
    if (error) write_failed(file, error.message());
  }
  struct stat old{};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) write_failed(file, reason(EISDIR));
  if (exists && !S_ISREG(old.st_mode)) write_failed(file, "not a regular file");

  TemporaryFile temporary(target, target.parent_path());
  Descriptor fd(temporary.descriptor());
  if (exists && ::fchmod(fd.get(), old.st_mode & 07777) != 0) write_failed(file, reason(errno));
  if (!fill(fd.get())) write_failed(file, reason(errno));
  if (::fsync(fd.get()) != 0) write_failed(file, reason(errno));
  if (!fd.close()) write_failed(file, reason(errno));
  if (!temporary.rename_to_target()) write_failed(file, reason(errno));
  sync_directory(target.parent_path());
}

bool copy_all(int from, std::int64_t begin, std::int64_t size, int to) {
  std::array<char, 1 << 16> buffer{};
  while (size > 0) {
    const auto most = static_cast<std::size_t>(std::min<std::int64_t>(size, std::ssize(buffer)));
    const ssize_t got = ::pread(from, buffer.data(), most, begin);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // it has been cut meanwhile
    if (got <= 0 || !write_all(to, {buffer.data(), static_cast<std::size_t>(got)})) return false;
    begin += got;
    size -= got;
  }
  return true;
}

}  // namespace

void write_text(const std::filesystem::path& file, std::string_view text) {
  write_whole(file, [&](int fd) { return write_all(fd, text); });
}

void replace_beginning(const std::filesystem::path& file, std::string_view text, std::int64_t from, std::int64_t size) {
  const Descriptor old(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (old.get() < 0) write_failed(file, reason(errno));
  write_whole(file, [&](int fd) { return write_all(fd, text) && copy_all(old.get(), from, size, fd); });
}

void replace_file(const std::filesystem::path& file, std::string_view bytes, const std::filesystem::path& by_way_of) {
  TemporaryFile temporary(file, by_way_of);
  Descriptor fd(temporary.descriptor());
  if (!write_all(fd.get(), bytes) || !fd.close() || !temporary.exchange_with_target())
    write_failed(file, reason(errno));
}

void flush_to_disk(std::span<const std::filesystem::path> files) {
  const auto for_each_of = [&](const auto& act) {
    for (const std::filesystem::path& file : files) {
      const Descriptor fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
      if (fd.get() < 0) write_failed(file, reason(errno));
      act(file, fd.get());
    }
  };
#ifdef SYNC_FILE_RANGE_WRITE
  // All set out first: waiting for a hundred files then takes hardly longer than for one.
  if (files.size() > 1)
    for_each_of([](const auto&, int fd) { (void)::sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); });
#endif
  for_each_of([](const auto& file, int fd) {
    if (::fdatasync(fd) != 0 && errno != EINVAL && errno != EROFS) write_failed(file, reason(errno));
  });
}

void flush_file_system(const std::filesystem::path& folder) {
#ifdef __linux__
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || ::syncfs(fd.get()) != 0) write_failed(folder, reason(errno));
#else
  ::sync();
#endif
}

}  // namespace darboux
