#include "draws/line_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr std::size_t first_size = 1 << 18;
constexpr std::size_t longest_line = std::size_t{1} << 30U;

[[noreturn]] void read_failed(const std::filesystem::path& file, std::string_view why) {
  throw InputError(fmt::format("cannot read {}: {}", file.string(), why));
}

gzFile handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

LineReader::LineReader(std::filesystem::path file) : path_(std::move(file)), buffer_(first_size) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) read_failed(path_, "it is a directory");
  errno = 0;
  file_ = gzopen(path_.c_str(), "rbe");  // which reads other files as they are
  if (file_ == nullptr) read_failed(path_, std::generic_category().message(errno == 0 ? ENOMEM : errno));
  (void)gzbuffer(handle(file_), 1U << 17U);
}

LineReader::~LineReader() { (void)gzclose_r(handle(file_)); }

void LineReader::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    searched_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= longest_line)
      throw InputError(fmt::format("{} line {}: longer than {} bytes", path_.string(), line_number_ + 1, longest_line));
    buffer_.resize(2 * buffer_.size());
  }
  errno = 0;
  const int got = gzread(handle(file_), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  int code = Z_OK;
  const char* const why = gzerror(handle(file_), &code);
  if (code == Z_ERRNO) read_failed(path_, std::generic_category().message(errno));
  if (got < 0 && code != Z_BUF_ERROR) read_failed(path_, why);
  if (got <= 0) at_end_ = true;  // Z_BUF_ERROR: a compressed file that was cut; what could be unpacked has been
  end_ += static_cast<std::size_t>(std::max(got, 0));
}

std::optional<std::string_view> LineReader::next() {
  const char* line_end = nullptr;
  while (line_end == nullptr) {
    line_end = static_cast<const char*>(std::memchr(buffer_.data() + searched_, '\n', end_ - searched_));
    if (line_end != nullptr) break;
    searched_ = end_;
    if (at_end_) break;
    refill();
  }
  complete_ = line_end != nullptr;
  if (!complete_ && begin_ == end_) return std::nullopt;
  const std::size_t stop = complete_ ? static_cast<std::size_t>(line_end - buffer_.data()) : end_;
  std::string_view line(buffer_.data() + begin_, stop - begin_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  begin_ = searched_ = complete_ ? stop + 1 : stop;
  if (constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
      ++line_number_ == 1 && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  return line;
}

}  // namespace darboux
