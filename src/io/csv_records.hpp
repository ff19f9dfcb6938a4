#pragma once

#include <functional>
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

/// Cuts a stream of bytes into records and fields. Fields are views of a buffer that holds whole records; nothing is copied
/// but the rest of a record that the end of the buffer cut in two.
class CsvRecords {
 public:
  CsvRecords(TextSource source, std::string file, Index most_bytes);

  /// Goes on to the next record; false after the last one. Throws InputError where the quoting is wrong.
  bool next();
  /// Valid until next() is called again. A blank line is one empty field.
  [[nodiscard]] std::span<const CsvField> fields() const noexcept { return fields_; }
  [[nodiscard]] bool is_blank() const noexcept {
    return fields_.size() == 1 && fields_[0].text.empty() && !fields_[0].quoted;
  }
  /// The line on which the record starts, from 1.
  [[nodiscard]] Index line() const noexcept { return line_; }

  [[noreturn]] void fail(Index line, std::string_view why) const;

 private:
  void skip_byte_order_mark();
  void refill();
  bool split();
  void take_quoted();
  void take_plain();
  bool take_line_end();

  void skip_spaces() noexcept;
  void remove_doubled_quotes();
  [[nodiscard]] bool at_end() const noexcept { return cursor_ == buffer_.size(); }

  TextSource source_;
  std::string file_;
  std::size_t most_bytes_;
  std::string buffer_;
  std::size_t start_ = 0;   // of the record
  std::size_t cursor_ = 0;  // within it; behind it once it is complete
  bool ended_ = false;      // nothing follows the buffer
  Index line_ = 0;
  Index next_line_ = 1;
  Index line_ends_inside_ = 0;  // of the record: in quoted fields
  std::vector<CsvField> fields_;
  std::vector<std::size_t> with_doubled_quotes_;  // fields in which "" stands for "
};

}  // namespace darboux
