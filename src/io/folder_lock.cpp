#include "io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace darboux {

namespace {

/// What is written there: the number of a process.
std::string owner(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  std::string number(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  number.resize(std::min(number.size(), number.find_first_not_of("0123456789")));
  return number.empty() ? "of unknown number" : number;
}

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::filesystem::path& file, int error) {
  const std::string why = std::generic_category().message(error);
  if (error == EACCES || error == EPERM || error == EROFS)
    throw InputError(
        fmt::format("{}: nothing can be written into this folder ({}: {}): must be one that you may write to; copy it "
                    "to such a place, and "
                    "use the copy",
                    folder.string(), file.filename().string(), why));
  throw Error(fmt::format("cannot write {}: {}", file.string(), why));
}

bool is_held_by_another(int fd, int kind) { return ::flock(fd, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

/// Who had the lock before may have removed the file after it was opened here.
bool is_removed(int fd) {
  struct stat found{};
  return ::fstat(fd, &found) == 0 && found.st_nlink == 0;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : folder_(folder), file_(folder / file_name) {
  do {
    if (fd_ >= 0) ::close(fd_);
    fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0) refuse(folder, file_, errno);
    if (is_held_by_another(fd_, LOCK_EX)) {
      const std::string process = owner(fd_);
      ::close(fd_);
      throw FolderTaken(fmt::format(
          "{}: process {} is writing into this folder; wait until it has ended, or end it (kill {}) and go on then",
          folder.string(), process, process));
    }
  } while (is_removed(fd_));
  struct stat found{};
  if (::stat(folder_.c_str(), &found) == 0) {
    device_ = found.st_dev;
    number_ = found.st_ino;
  }
  const std::string number = fmt::format("{}\n", ::getpid());
  (void)!::ftruncate(fd_, 0);
  (void)!::pwrite(fd_, number.data(), number.size(), 0);  // for messages only
}

FolderLock::~FolderLock() {
  if (obstacle().empty()) ::unlink(file_.c_str());
  ::close(fd_);
}

std::string FolderLock::obstacle() const {
  struct stat found{};
  if (::stat(folder_.c_str(), &found) != 0) return std::generic_category().message(errno);
  if (found.st_dev == device_ && found.st_ino == number_) return "";
  return "the folder has been moved or removed meanwhile, and there is another one of its name";
}

std::optional<std::string> FolderLock::holder(const std::filesystem::path& folder) {
  const int fd = ::open((folder / file_name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::optional<std::string> process;
  if (is_held_by_another(fd, LOCK_SH)) process = owner(fd);
  ::close(fd);
  return process;
}

}  // namespace darboux
