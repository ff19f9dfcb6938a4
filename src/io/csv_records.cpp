#include "csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr std::string_view separators = ",;\t|";
constexpr std::array<std::string_view, 4> names_of_separators{"comma", "semicolon", "tab", "vertical bar"};

}  // namespace

std::string_view name_of_separator(char separator) {
  return names_of_separators.at(std::min(separators.find(separator), separators.size() - 1));
}

CsvRecords::CsvRecords(TextSource source, std::string file, Index most_bytes, std::optional<char> separator,
                       std::optional<Index> part_from)
    : source_(std::move(source)),
      file_(std::move(file)),
      most_bytes_(static_cast<std::size_t>(most_bytes)),
      records_are_lines_(part_from.has_value()),
      next_line_(part_from.value_or(1)) {
  if (separator) set_separator(*separator);
  if (!part_from) skip_byte_order_mark();
}

void CsvRecords::set_separator(char separator) {
  separator_ = separator;
  stops_ = {separator, '\n', '\r', '"', '\0'};
}

void CsvRecords::fail(Index line, std::string_view why) const {
  throw InputError(fmt::format("{}:{}: {}", file_, line, why));
}

void CsvRecords::skip_byte_order_mark() {
  while (!ended_ && buffer_.size() < 4) refill();
  const std::string_view head = buffer_;
  if (head.starts_with("PK\x03\x04"))
    fail(1, "a zip archive, as spreadsheets (.xlsx, .ods) are: save the table as CSV");
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) fail(1, "the file is UTF-16: save it as UTF-8");
  if (head.starts_with("\xef\xbb\xbf")) start_ = 3;
}

/// Drops the records before this one and reads on. What there is of this one at least doubles, so that reading a long one
/// takes linear time, but does not go far beyond the limit.
void CsvRecords::refill() {
  dropped_ += start_;
  buffer_.erase(0, std::exchange(start_, 0));
  const std::size_t enough = std::min(2 * buffer_.size(), most_bytes_ + 1);
  do {
    const std::size_t before = buffer_.size();
    source_(buffer_);
    ended_ = buffer_.size() == before;
  } while (!ended_ && buffer_.size() < enough);
}

void CsvRecords::refuse_above_limit(std::size_t size) const {
  if (size > most_bytes_)
    fail(line_, fmt::format("a row of more than {} bytes: is there a quote that is not closed?", most_bytes_));
}

/// The whole line goes, whatever quotes are in it. A spreadsheet's #N/A is a value.
bool CsvRecords::skip_comment() {
  while (!ended_ && buffer_.size() < start_ + 4) refill();
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (!rest.starts_with('#') || rest.starts_with("#N/A")) return false;
  std::size_t end = 0;
  while ((end = buffer_.find('\n', start_)) == std::string::npos && !ended_) {
    refuse_above_limit(buffer_.size() - start_);
    refill();
  }
  start_ = end == std::string::npos ? buffer_.size() : end + 1;
  if (comments_++ == 0) first_comment_ = next_line_;
  line_ = ++next_line_;
  return true;
}

/// Of the first line that is not blank.
void CsvRecords::find_separator() {
  std::array<Index, separators.size()> counts{};
  bool is_quoted = false, is_blank = true;
  for (std::size_t i = 0;; ++i) {
    if (start_ + i == buffer_.size() && !ended_) refill();
    if (start_ + i == buffer_.size() || i > most_bytes_) break;
    const char c = buffer_[start_ + i];
    if (c == '"') is_quoted = !is_quoted;
    if (c == '\n' && !is_quoted && !is_blank) break;
    is_blank = is_blank && (c == ' ' || c == '\r' || c == '\n');
    if (const std::size_t which = separators.find(c); which != std::string_view::npos && !is_quoted) ++counts.at(which);
  }
  set_separator(separators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())]);
}

bool CsvRecords::next() {
  line_ = next_line_;
  while (skip_comment()) {
  }
  if (!separator_) find_separator();
  while (!split()) {
    refuse_above_limit(buffer_.size() - start_);
    refill();
  }
  refuse_above_limit(cursor_ - start_);
  if (start_ == buffer_.size()) return false;
  remove_doubled_quotes();
  start_ = cursor_;
  next_line_ = line_ + line_ends_inside_ + 1;
  return true;
}

// These two are inline because they are called for every field.

inline void CsvRecords::skip_spaces() noexcept {
  while (is_space(buffer_[cursor_])) ++cursor_;
}

inline void CsvRecords::take_plain() {
  const char* const first = buffer_.data() + cursor_;
  std::size_t size = std::strcspn(first, stops_.data());
  cursor_ += size;
  while (size > 0 && is_space(first[size - 1])) --size;
  fields_.push_back({.text = {first, size}, .quoted = false});
}

/// Whether the buffer holds the whole record. Where it ends too early, fields may be cut short: what tells is that no
/// separator follows. A byte 0 follows the buffer, so that nothing runs past its end.
bool CsvRecords::split() {
  fields_.clear();
  with_doubled_quotes_.clear();
  line_ends_inside_ = 0;
  for (cursor_ = start_;; ++cursor_) {
    skip_spaces();
    buffer_[cursor_] == '"' ? take_quoted() : take_plain();
    if (buffer_[cursor_] != *separator_) return take_line_end();
  }
}

void CsvRecords::take_quoted() {
  const Index line = line_ + line_ends_inside_;
  const std::size_t first = ++cursor_;
  bool doubled = false;
  for (;; ++cursor_) {
    if (at_end()) {
      if (ended_) fail(line, "a quote is opened here and never closed");
      return;
    }
    const char c = buffer_[cursor_];
    if (c == '\n' && records_are_lines_)
      fail(line,
           "a quoted field goes on in the next line: a file that is read in parts is cut at line ends, so every row "
           "must be "
           "one line; gzipped files are read as a whole");
    if (c == '\n') ++line_ends_inside_;
    if (c == '\0') fail(line_ + line_ends_inside_, "a byte 0: not a text file");
    if (c != '"') continue;
    if (buffer_[cursor_ + 1] != '"') break;
    doubled = true;
    ++cursor_;
  }
  if (doubled) with_doubled_quotes_.push_back(fields_.size());
  fields_.push_back({.text = {buffer_.data() + first, cursor_ - first}, .quoted = true});
  ++cursor_;
  skip_spaces();
}

/// Whether the buffer holds what ends the record.
bool CsvRecords::take_line_end() {
  if (at_end()) return ended_;
  const Index line = line_ + line_ends_inside_;
  switch (buffer_[cursor_]) {
    case '\n': ++cursor_; return true;
    case '\r':
      if (cursor_ + 1 == buffer_.size() && !ended_) return false;
      if (cursor_ + 1 < buffer_.size() && buffer_[cursor_ + 1] != '\n')
        fail(line, "a carriage return without a line feed: lines must end in LF or CRLF");
      cursor_ = std::min(cursor_ + 2, buffer_.size());
      return true;
    case '\0': fail(line, "a byte 0: not a text file");
    default: break;
  }
  if (fields_.back().quoted)
    fail(line, fmt::format("text after a closing quote: a {} or the end of the line must follow",
                           name_of_separator(*separator_)));
  fail(line, R"(a quote inside a field: quote the whole field and double the quote, as in "5"" pipe")");
}

/// In place, within the room of the field.
void CsvRecords::remove_doubled_quotes() {
  for (const std::size_t which : with_doubled_quotes_) {
    const std::string_view text = fields_[which].text;
    char* const out = buffer_.data() + (text.data() - buffer_.data());
    std::size_t size = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      out[size++] = text[i];
      if (text[i] == '"') ++i;
    }
    fields_[which].text = {out, size};
  }
}

}  // namespace darboux
