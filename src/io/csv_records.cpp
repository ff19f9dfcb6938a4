#include "csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr std::size_t first_buffer = std::size_t{1} << 20;
/// So many bytes 0 follow what has been read: a stop, and room for the search to take a whole word.
constexpr std::size_t padding = sizeof(std::uint64_t);

bool is_space(char c) noexcept { return c == ' ' || c == '\t'; }

/// What ends an unquoted field, or must not occur in it.
constexpr std::array<bool, 256> make_stops() {
  std::array<bool, 256> out{};
  for (const char c : {',', '\n', '\r', '"', '\0'}) out[static_cast<unsigned char>(c)] = true;
  return out;
}
constexpr std::array<bool, 256> stops = make_stops();

static_assert(std::all_of(stops.begin() + '-', stops.end(), [](bool stop) { return !stop; }));
/// The first byte below '-', eight at a time. All stops are below; digits, points, letters and minus signs are not.
const char* find_below_minus(const char* at) noexcept {
  constexpr std::uint64_t every_byte = 0x0101'0101'0101'0101;
  while (true) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    // A byte below 128 has its highest bit set afterwards if it was too small, or if one before it was and borrowed: the
    // first one is right.
    const std::uint64_t too_small = (word - '-' * every_byte) & ~word & 0x80 * every_byte;
    if (too_small != 0) return at + std::countr_zero(too_small) / 8;
    at += sizeof word;
  }
}

/// The first stop, which must be there.
const char* find_stop(const char* at) noexcept {
  if constexpr (std::endian::native == std::endian::little) at = find_below_minus(at);
  while (!stops[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

}  // namespace

CsvRecords::CsvRecords(ByteSource source, std::string file, Index most_bytes)
    : source_(std::move(source)),
      file_(std::move(file)),
      most_bytes_(static_cast<std::size_t>(most_bytes)),
      buffer_(first_buffer + padding) {
  skip_byte_order_mark();
}

void CsvRecords::fail(Index line, std::string_view why) const {
  throw InputError(fmt::format("{}:{}: {}", file_, line, why));
}

void CsvRecords::skip_byte_order_mark() {
  while (!ended_ && end_ < 3) refill();
  const std::string_view head(buffer_.data(), end_);
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) fail(1, "the file is UTF-16: save it as UTF-8");
  if (head.starts_with("\xef\xbb\xbf")) start_ = 3;
}

/// Moves what is left to the front of the buffer and reads on behind it. A record that fills the buffer gets one twice as
/// large, so that reading a long one takes linear time.
void CsvRecords::refill() {
  if (start_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
    end_ -= start_;
    start_ = 0;
  }
  if (end_ + padding == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = source_({buffer_.data() + end_, buffer_.size() - padding - end_});
  end_ += got;
  std::fill_n(buffer_.data() + end_, padding, '\0');
  ended_ = got == 0;
}

bool CsvRecords::next() {
  line_ = next_line_;
  const auto refuse_above_limit = [&](std::size_t size) {
    if (size > most_bytes_)
      fail(line_, fmt::format("a row of more than {} bytes: is there a quote that is not closed?", most_bytes_));
  };
  while (!split()) {
    refuse_above_limit(end_ - start_);
    refill();
  }
  refuse_above_limit(cursor_ - start_);
  if (start_ == end_) return false;
  remove_doubled_quotes();
  start_ = cursor_;
  next_line_ = line_ + line_ends_inside_ + 1;
  return true;
}

/// Whether the buffer holds the whole record. Where it ends too early, fields may be cut short: what tells is that no
/// separator follows.
bool CsvRecords::split() {
  fields_.clear();
  with_doubled_quotes_.clear();
  line_ends_inside_ = 0;
  cursor_ = start_;
  while (true) {
    skip_spaces();
    const bool quoted = !at_end() && buffer_[cursor_] == '"';
    quoted ? take_quoted() : take_plain();
    const Separator separator = take_separator();
    if (separator != Separator::comma) return separator == Separator::line_end;
  }
}

void CsvRecords::skip_spaces() noexcept {
  while (!at_end() && is_space(buffer_[cursor_])) ++cursor_;
}

/// Takes also those that follow, as long as there are only commas between them.
void CsvRecords::take_plain() {
  const char* first = buffer_.data() + cursor_;
  while (true) {
    const char* const stop = find_stop(first);
    const char* last = stop;
    while (last != first && is_space(last[-1])) --last;
    fields_.push_back({.text = {first, static_cast<std::size_t>(last - first)}, .quoted = false});
    cursor_ = static_cast<std::size_t>(stop - buffer_.data());
    if (*stop != ',' || is_space(stop[1]) || stop[1] == '"') return;
    first = stop + 1;
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
    if (c == '\n') ++line_ends_inside_;
    if (c == '\0') fail(line_ + line_ends_inside_, "a byte 0: not a text file");
    if (c != '"') continue;
    if (cursor_ + 1 == end_ || buffer_[cursor_ + 1] != '"') break;
    doubled = true;
    ++cursor_;
  }
  if (doubled) with_doubled_quotes_.push_back(fields_.size());
  fields_.push_back({.text = {buffer_.data() + first, cursor_ - first}, .quoted = true});
  ++cursor_;
  skip_spaces();
}

CsvRecords::Separator CsvRecords::take_separator() {
  if (at_end()) return ended_ ? Separator::line_end : Separator::unfinished;
  const Index line = line_ + line_ends_inside_;
  switch (buffer_[cursor_]) {
    case ',': ++cursor_; return Separator::comma;
    case '\n': ++cursor_; return Separator::line_end;
    case '\r':
      if (cursor_ + 1 == end_ && !ended_) return Separator::unfinished;
      if (cursor_ + 1 < end_ && buffer_[cursor_ + 1] != '\n')
        fail(line, "a carriage return without a line feed: lines must end in LF or CRLF");
      cursor_ = std::min(cursor_ + 2, end_);
      return Separator::line_end;
    case '\0': fail(line, "a byte 0: not a text file");
    default: break;
  }
  if (fields_.back().quoted) fail(line, "text after a closing quote: a comma or the end of the line must follow");
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
