#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/batch.hpp"

namespace darboux {

/// Appends the next bytes of a file to a text; none at the file's end, after which it must not be called.
using TextSource = std::function<void(std::string&)>;

struct CsvField {
  std::string_view text;  ///< without its quotes, or without the spaces around it
  bool quoted = false;
};

/// "comma", "semicolon", "tab", "vertical bar".
[[nodiscard]] std::string_view name_of_separator(char separator);

/// Cuts a stream of bytes into records and fields. Fields are views of a buffer that holds whole records; nothing is copied
/// but the rest of a record that the end of the buffer cut in two. Lines that begin with # are passed over, but for #N/A.
class CsvRecords {
 public:
  /// Without a separator, it is the one of , ; | and tabs that the header has most of outside quotes. Of a part of a file that was cut
  /// at line ends, on which line it begins: each record of it must be one line.
  CsvRecords(TextSource source, std::string file, Index most_bytes, std::optional<char> separator = std::nullopt,
             std::optional<Index> part_from = std::nullopt);

  /// Goes on to the next record; false after the last one. Throws InputError where the quoting is wrong.
  bool next();
  /// Valid until next() is called again. A blank line is one empty field.
  [[nodiscard]] std::span<const CsvField> fields() const noexcept { return fields_; }
  [[nodiscard]] bool is_blank() const noexcept {
    return fields_.size() == 1 && fields_[0].text.empty() && !fields_[0].quoted;
  }
  /// The line on which the record starts, from 1.
  [[nodiscard]] Index line() const noexcept { return line_; }
  /// How many bytes of the source are behind, and how many lines.
  [[nodiscard]] std::int64_t bytes_behind() const noexcept { return static_cast<std::int64_t>(dropped_ + start_); }
  [[nodiscard]] Index lines_behind() const noexcept { return next_line_ - 1; }
  /// Known after the first record.
  [[nodiscard]] char separator() const noexcept { return separator_.value_or(','); }
  /// How many lines were passed over that begin with #; the first of them.
  [[nodiscard]] Index comments() const noexcept { return comments_; }
  [[nodiscard]] Index first_comment() const noexcept { return first_comment_; }

  [[noreturn]] void fail(Index line, std::string_view why) const;

 private:
  void skip_byte_order_mark();
  [[nodiscard]] bool skip_comment();
  void find_separator();
  void set_separator(char separator);
  void refuse_above_limit(std::size_t size) const;
  void refill();
  bool split();
  void take_quoted();
  void take_plain();
  bool take_line_end();

  [[nodiscard]] bool is_space(char c) const noexcept { return (c == ' ' || c == '\t') && c != separator_; }
  void skip_spaces() noexcept;
  void remove_doubled_quotes();
  [[nodiscard]] bool at_end() const noexcept { return cursor_ == buffer_.size(); }

  TextSource source_;
  std::string file_;
  std::size_t most_bytes_;
  std::string buffer_;
  std::size_t dropped_ = 0;  // before the buffer
  std::size_t start_ = 0;    // of the record
  std::size_t cursor_ = 0;   // within it; behind it once it is complete
  bool ended_ = false;       // nothing follows the buffer
  bool records_are_lines_ = false;
  std::optional<char> separator_;
  std::array<char, 5> stops_{};  // what ends an unquoted field, or must not occur in it; a byte 0 does, too
  Index comments_ = 0;
  Index first_comment_ = 0;
  Index line_ = 0;
  Index next_line_ = 1;
  Index line_ends_inside_ = 0;  // of the record: in quoted fields
  std::vector<CsvField> fields_;
  std::vector<std::size_t> with_doubled_quotes_;  // fields in which "" stands for "
};

}  // namespace darboux
