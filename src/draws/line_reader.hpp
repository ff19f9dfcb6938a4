#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace darboux {

/// Reads a text file, gzipped or not, line by line in bounded memory: a buffer that is as long as the longest line at least.
/// Throws InputError with the file and the reason.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path file);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  /// The next line without its end (\n or \r\n), valid until the next call; nothing after the last one.
  std::optional<std::string_view> next();
  /// Of the line that next() returned, counted from 1.
  [[nodiscard]] std::int64_t line_number() const noexcept { return line_number_; }
  /// Whether that line had an end. Only the last line of a file may lack it.
  [[nodiscard]] bool line_is_complete() const noexcept { return complete_; }

 private:
  void refill();

  std::filesystem::path path_;
  void* file_ = nullptr;  // gzFile
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is in the buffer and not yet returned
  std::size_t searched_ = 0;         // before it there is no end of line
  bool at_end_ = false;
  std::int64_t line_number_ = 0;
  bool complete_ = true;
};

}  // namespace darboux
