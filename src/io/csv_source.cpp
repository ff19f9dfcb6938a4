#include "csv_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

[[noreturn]] void read_failed(const std::filesystem::path& file, std::string_view why) {
  throw InputError(fmt::format("cannot read {}: {}", file.string(), why));
}

struct CloseGzip {
  void operator()(gzFile file) const noexcept { (void)gzclose_r(file); }
};
using Gzip = std::unique_ptr<gzFile_s, CloseGzip>;

/// zlib reads files that are not compressed as they are.
class GzipReader {
 public:
  explicit GzipReader(std::filesystem::path file) : path_(std::move(file)) {
    std::error_code error;
    if (std::filesystem::is_directory(path_, error)) read_failed(path_, "it is a directory");
    errno = 0;
    file_.reset(gzopen(path_.c_str(), "rbe"));
    if (!file_) read_failed(path_, std::generic_category().message(errno == 0 ? ENOMEM : errno));
    (void)gzbuffer(file_.get(), 1U << 18U);
  }

  [[nodiscard]] bool is_compressed() const noexcept { return gzdirect(file_.get()) == 0; }

  std::size_t read(std::span<char> out) {
    const auto most = static_cast<unsigned>(std::min(out.size(), std::size_t{1} << 30U));
    const int got = gzread(file_.get(), out.data(), most);
    int code = Z_OK;
    std::string_view why = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) read_failed(path_, std::generic_category().message(errno));
    if (code == Z_BUF_ERROR) read_failed(path_, "the compressed file ends too early");
    if (got < 0) {  // zlib's message begins with the file's name too
      const std::string name = path_.string() + ": ";
      if (why.starts_with(name)) why.remove_prefix(name.size());
      read_failed(path_, why);
    }
    return static_cast<std::size_t>(got);
  }

 private:
  std::filesystem::path path_;
  Gzip file_;
};

/// Unpacks a piece of a file while the one before is in use: on another thread, or on the caller's where no thread is to be
/// had. What goes wrong there is thrown to the caller who has read all that came before.
class UnpackingAhead {
 public:
  explicit UnpackingAhead(GzipReader reader) : reader_(std::move(reader)) { begin_next(); }
  UnpackingAhead(const UnpackingAhead&) = delete;  // the thread knows where it is
  UnpackingAhead& operator=(const UnpackingAhead&) = delete;
  ~UnpackingAhead() = default;

  std::size_t read(std::span<char> out) {
    if (rest_.empty() && !ended_) {
      const std::size_t size = next_size_.get();
      std::swap(current_, next_);
      rest_ = std::span(current_).first(size);
      ended_ = size == 0;
      if (!ended_) begin_next();
    }
    const std::size_t count = std::min(rest_.size(), out.size());
    std::copy_n(rest_.begin(), count, out.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  /// Takes zlib some 10 ms: much longer than it takes to make a thread, and longer than a thread waits on a busy machine.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 22U;

  void begin_next() {
    next_size_ = std::async([this] { return reader_.read(next_); }).share();
  }

  GzipReader reader_;
  std::vector<char> current_ = std::vector<char>(piece_bytes), next_ = std::vector<char>(piece_bytes);
  std::span<const char> rest_;  // of the current piece: what has not been read
  bool ended_ = false;
  /// Throws as often as it is asked. Last, as its destructor waits for the thread, which uses the others.
  std::shared_future<std::size_t> next_size_;
};

}  // namespace

ByteSource file_source(const std::filesystem::path& file) {
  GzipReader reader(file);
  const auto source = [](auto from) -> ByteSource { return [from](std::span<char> out) { return from->read(out); }; };
  if (reader.is_compressed()) return source(std::make_shared<UnpackingAhead>(std::move(reader)));
  return source(std::make_shared<GzipReader>(std::move(reader)));
}

}  // namespace darboux
