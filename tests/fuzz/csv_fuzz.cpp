// Tables: as text, as files, plain and gzipped, and what a regression makes of them.

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/csv.hpp"
#include "model/regression_table.hpp"
#include "target.hpp"

namespace darboux::fuzz {
namespace {

CsvOptions options_of(unsigned bits) {
  constexpr std::string_view separators = ",;\t|";
  CsvOptions options{.limits = {.columns = 500, .cells = 1 << 16, .record_bytes = 1 << 14}};
  if ((bits & 1U) != 0) options.separator = separators[(bits >> 1U) & 3U];
  options.decimal_comma = (bits & 8U) != 0;
  return options;
}

void require_whole(const CsvTable& table) {
  demand(table.rows > 0, "a table has rows");
  for (const CsvColumn& column : table.columns) {
    const bool is_text = column.kind == CsvColumn::Kind::text;
    demand(std::ssize(column.numbers) == (is_text ? 0 : table.rows), "a number for each row");
    demand(std::ssize(column.codes) == (is_text ? table.rows : 0), "a code for each row");
    demand(std::ranges::is_sorted(column.levels), "levels are in order");
    for (const std::int32_t code : column.codes)
      demand(code >= -1 && code < std::ssize(column.levels), "codes are of levels");
    for (const Index row : column.missing) demand(row >= 0 && row < table.rows, "what is missing is in a row");
  }
  demand(table.line_of(table.rows - 1) > table.rows - 1, "rows are on lines after the header");
}

bool same(const CsvTable& a, const CsvTable& b) {
  return a.rows == b.rows && a.lines == b.lines && a.remarks == b.remarks &&
         std::ranges::equal(a.columns, b.columns, [](const CsvColumn& x, const CsvColumn& y) {
           return x.name == y.name && x.levels == y.levels && x.codes == y.codes && x.missing == y.missing &&
                  x.numbers.size() == y.numbers.size();
         });
}

const Target csv("csv", [](std::string_view input) {
  const CsvOptions options = options_of(take_byte(input));
  attempt([&] { require_whole(parse_csv(input, "table.csv", options)); });
});

std::string packed(std::string_view text) {
  std::string out(::compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  (void)deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  (void)deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  (void)deflateEnd(&stream);
  return out;
}

/// A file as it is; or packed, and then cut or with a wrong byte, where the first bytes say so.
const Target gzip("gzip", [](std::string_view input) {
  static const MemoryFile file;
  const unsigned how = take_byte(input), damage = take_byte(input), place = take_byte(input);
  const CsvOptions options = options_of(how >> 2U);
  std::string bytes((how & 1U) != 0 ? packed(input) : input);
  const bool is_damaged = (how & 3U) == 3U && !bytes.empty();
  if (is_damaged && damage == 0) bytes.resize(place % bytes.size());
  if (is_damaged && damage > 0) bytes[place % bytes.size()] ^= static_cast<char>(damage);
  std::optional<CsvTable> from_file, from_text;
  attempt([&] { from_file = read_csv(file.fill(bytes), options); });
  if (from_file) require_whole(*from_file);
  if ((how & 1U) == 0 || is_damaged) return;
  attempt([&] { from_text = parse_csv(input, "table.csv", options); });
  demand(from_file.has_value() == from_text.has_value(), "a packed table is read where it is read as text");
  demand(!from_file || same(*from_file, *from_text), "packing changes nothing");
});

/// Settings first, then the table.
const Target regression("regression", [](std::string_view input) {
  const unsigned bits = take_byte(input);
  const auto parts = parts_of(input, 5);
  const auto line = [&](std::size_t i) { return std::string(parts[i].substr(0, parts[i].find('\n'))); };
  RegressionOptions options{.response = line(0), .positive = line(1)};
  if (!line(2).empty()) options.reference = {line(2)};
  if (!line(3).empty()) options.drop = {line(3)};
  options.na = (bits & 1U) != 0 ? MissingValues::drop : MissingValues::refuse;
  options.intercept = (bits & 2U) == 0;
  attempt([&] {
    const RegressionTable table = regression_table(parse_csv(parts[4], "table.csv", options_of(bits >> 2U)), options);
    demand(table.rows == table.features.rows(), "a row of the design for each row");
    demand(std::ssize(table.predictors) == table.features.cols(), "a column of the design for each predictor");
    demand(std::ssize(table.outcome.labels) == table.rows, "an outcome for each row");
    const double* const entries = table.features.data();
    demand(std::all_of(entries, entries + table.features.rows() * table.features.cols(),
                       [](double x) { return std::isfinite(x); }),
           "the design is finite");
  });
});

}  // namespace
}  // namespace darboux::fuzz
