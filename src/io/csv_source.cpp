#include "csv_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

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

  /// Appends the next bytes, at most so many.
  void read(std::string& out, std::size_t most) {
    const std::size_t before = out.size();
    out.resize(before + most);
    const int got = gzread(file_.get(), out.data() + before, static_cast<unsigned>(most));
    int code = Z_OK;
    std::string_view why = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) read_failed(path_, std::generic_category().message(errno));
    if (code == Z_BUF_ERROR) read_failed(path_, "the compressed file ends too early");
    if (got < 0) {  // zlib's message begins with the file's name too
      const std::string name = path_.string() + ": ";
      if (why.starts_with(name)) why.remove_prefix(name.size());
      read_failed(path_, why);
    }
    out.resize(before + static_cast<std::size_t>(got));
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

  void read(std::string& out) {
    unpacked_.get();
    out += piece_;
    if (!piece_.empty()) begin_next();
  }

 private:
  /// Takes zlib some 10 ms: much longer than it takes to make a thread, and longer than a thread waits on a busy machine.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 22U;

  void begin_next() {
    piece_.clear();
    unpacked_ = std::async([this] { reader_.read(piece_, piece_bytes); });
  }

  GzipReader reader_;
  std::string piece_;
  std::future<void> unpacked_;  // the piece. Last, as its destructor waits for the thread, which uses the others
};

/// Lines that begin in a range of bytes. That at `first` does where the byte before ends a line.
class RangeReader {
 public:
  RangeReader(const std::filesystem::path& file, std::int64_t first, std::int64_t end)
      : path_(file), in_(file, std::ios::binary), at_(first), end_(end) {
    if (!in_) read_failed(path_, std::generic_category().message(errno));
    if (first == 0 || first >= end) return;
    in_.seekg(--at_);
    skip_line();
  }

  /// Appends some.
  void read(std::string& out) {
    constexpr std::int64_t most = 1 << 20;
    if (at_ < end_) {
      append(out, std::min(most, end_ - at_));
      if (at_ < end_) return;
      is_inside_ = !out.empty() && out.back() != '\n';
    }
    while (is_inside_) {  // the rest of the last line
      const std::size_t before = out.size();
      append(out, 1 << 12);
      const std::size_t line_end = out.find('\n', before);
      if (line_end != std::string::npos) out.resize(line_end + 1);
      is_inside_ = line_end == std::string::npos && out.size() > before;
    }
  }

 private:
  void append(std::string& out, std::int64_t bytes) {
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(bytes));
    in_.read(out.data() + before, bytes);
    if (in_.bad()) read_failed(path_, "it cannot be read");
    out.resize(before + static_cast<std::size_t>(in_.gcount()));
    at_ = in_.gcount() == 0 ? end_ : at_ + in_.gcount();
  }
  void skip_line() {
    std::string some;
    while (at_ < end_) {
      some.clear();
      append(some, 1 << 12);
      const std::size_t line_end = some.find('\n');
      if (line_end == std::string::npos) continue;
      at_ -= std::ssize(some) - static_cast<std::int64_t>(line_end) - 1;
      in_.clear();
      in_.seekg(at_);
      return;
    }
  }

  std::filesystem::path path_;
  std::ifstream in_;
  std::int64_t at_, end_;
  bool is_inside_ = false;  // a line that ends behind the range
};

}  // namespace

bool is_gzipped(const std::filesystem::path& file) {
  std::string some;
  GzipReader reader(file);
  reader.read(some, 1);
  return reader.is_compressed();
}

TextSource range_source(const std::filesystem::path& file, std::int64_t first, std::int64_t end) {
  return [lines = std::make_shared<RangeReader>(file, first, end)](std::string& out) { lines->read(out); };
}

TextSource file_source(const std::filesystem::path& file) {
  GzipReader reader(file);
  if (reader.is_compressed())
    return [ahead = std::make_shared<UnpackingAhead>(std::move(reader))](std::string& out) { ahead->read(out); };
  return [plain = std::make_shared<GzipReader>(std::move(reader))](std::string& out) { plain->read(out, 1U << 20U); };
}

}  // namespace darboux
