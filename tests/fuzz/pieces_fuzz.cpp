// What several processes read and tell each other: pieces of a table, and the frames that go between them.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "cluster/framed_group.hpp"
#include "io/csv.hpp"
#include "model/table_pieces.hpp"
#include "target.hpp"

namespace darboux::fuzz {
namespace {

/// A table in pieces is the table: where one can be read in pieces, all of it can, with the same columns and rows.
const Target pieces("pieces", [](std::string_view input) {
  static const MemoryFile file;
  const unsigned bits = take_byte(input);
  RegressionOptions options;
  if ((bits & 1U) != 0) options.separator = static_cast<Separator>((bits >> 1U) & 3U);
  if ((bits & 8U) != 0) options.decimal = DecimalSign::comma;
  if ((bits & 16U) != 0) options.na = MissingValues::drop;
  const std::string name = file.fill(input).string();
  attempt([&] {
    const PiecedTable table = find_pieces(name, csv_options(name, options));
    const std::vector<Index> bounds = deal_pieces(table, 1);
    const ReadPieces read = read_pieces(alone(), table, options, 1);
    demand(std::ssize(read.pieces) == bounds.back(), "all pieces are read");
    Index rows = 0;
    for (const PieceOfTable& piece : read.pieces) {
      demand(piece.first >= 0 && piece.first + piece.rows <= read.tables.at(piece.table).rows,
             "rows of a piece are there");
      rows += piece.rows;
    }
    const CsvTable whole = read_csv(name, csv_options(name, options));
    demand(rows + read.facts.rows_left_out == whole.rows, "rows of all pieces are those of the table");
    for (const CsvTable& part : read.tables)
      demand(part.columns.size() == whole.columns.size(), "pieces have the columns of the table");
  });
});

/// Other processes of which nothing is known: whatever they say.
class Strangers final : public Carrier {
 public:
  Strangers(int rank, std::string_view& said) : rank_(rank), said_(said) {}
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return 3; }
  void exchange(const void* mine, std::span<const int> blocks, void* all) override {
    if (said_.empty()) throw PeerFailure("another process of the group has ended");
    auto* to = static_cast<char*>(all);
    for (int r = 0; r < size(); ++r) {
      const std::size_t bytes = 8 * static_cast<std::size_t>(blocks[static_cast<std::size_t>(r)]);
      std::fill_n(to, bytes, '\0');
      if (r == rank_)
        std::copy_n(static_cast<const char*>(mine), bytes, to);
      else
        say(to, bytes);
      to += bytes;
    }
  }
  [[nodiscard]] std::string describe(int rank) const override { return "rank " + std::to_string(rank); }

 private:
  /// What would be sent in gigabytes is not: there is no room for it here.
  void say(char* to, std::size_t bytes) {
    const std::size_t count = std::min(bytes, said_.size());
    said_.copy(to, count);
    said_.remove_prefix(count);
    std::int64_t size = 0;
    if (bytes < 16) return;
    std::memcpy(&size, to + 8, sizeof size);
    if (size > 0) size %= 1 << 16;
    std::memcpy(to + 8, &size, sizeof size);
  }

  int rank_;
  std::string_view& said_;
};

/// The first byte is a rank, the others what is said to it; what it does in between depends on them, too.
const Target frames("frames", [](std::string_view input) {
  const int rank = static_cast<int>(take_byte(input) % 3U);
  FramedGroup group(std::make_unique<Strangers>(rank, input));
  const std::array<Index, 3> counts{2, 0, 9};
  const std::vector<double> mine(static_cast<std::size_t>(counts.at(static_cast<std::size_t>(rank))), 1.0);
  for (bool goes_on = true; goes_on && !input.empty();)
    goes_on = attempt([&] {
      const unsigned what = take_byte(input);
      if (what % 2 == 0)
        demand(group.gather(std::string(what, 'x')).size() == 3, "a text of each process");
      else
        demand(group.gather(mine, counts).size() == 11, "the numbers of all");
    });
  group.fail("the input is at its end");
  group.leave();
});

}  // namespace
}  // namespace darboux::fuzz
