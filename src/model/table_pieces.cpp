#include "model/table_pieces.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <utility>

#include "checks.hpp"
#include "cluster/on_all.hpp"
#include "core/archive.hpp"
#include "core/parallel.hpp"
#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "io/csv_source.hpp"

namespace darboux {

namespace {

/// Enough for a few processes, each with a few threads, however small the table; then one for each MiB, so that a piece is some
/// thousand rows and what it costs to begin and to end one is little; no more than what 4096 processors can use.
constexpr Index fewest_pieces = 16, most_pieces = 4096;
constexpr std::int64_t bytes_of_fewest = std::int64_t{fewest_pieces} << 20;

Index pieces_for(std::int64_t bytes) {
  return std::clamp((bytes + bytes_of_fewest - 1) / bytes_of_fewest * fewest_pieces, fewest_pieces, most_pieces);
}

std::vector<std::string> files_called(const std::string& data) {
  if (std::filesystem::exists(data)) return {data};
  std::vector<std::string> names = files_of_pattern(data);
  if (names.empty()) throw InputError(fmt::format("data = {}: there is no such file, nor one that matches", data));
  return names;
}

/// What one process reads at a time: a piece of a plain file, or all of a gzipped one.
struct Unit {
  std::size_t file;
  Index first_piece;  ///< among all
  Index pieces;
  Index place;  ///< of a piece of a plain file: among those of the file
};

std::vector<Unit> units_of(const PiecedTable& table) {
  std::vector<Unit> units;
  Index piece = 0;
  for (std::size_t f = 0; f < table.files.size(); ++f) {
    const PiecedFile& file = table.files[f];
    for (Index k = 0; k < file.pieces && !file.is_gzipped; ++k)
      units.push_back({.file = f, .first_piece = piece + k, .pieces = 1, .place = k});
    if (file.is_gzipped) units.push_back({.file = f, .first_piece = piece, .pieces = file.pieces, .place = 0});
    piece += file.pieces;
  }
  return units;
}

void require_same_columns(const PiecedTable& table, const std::string& file, const std::vector<std::string>& names) {
  const auto& expected = table.header.names;
  const auto [here, there] = std::ranges::mismatch(names, expected);
  if (here == names.end() && there == expected.end()) return;
  const auto called = [](auto at, const auto& list) {
    return at == list.end() ? "not there" : fmt::format("called {}", shown(*at));
  };
  throw InputError(fmt::format("{}: column {} is {}, but in {} {}: all parts of a table must have the same columns",
                               file, here - names.begin() + 1, called(here, names), table.files.front().name,
                               called(there, expected)));
}

/// The units of one process, read.
class Reader {
 public:
  Reader(const PiecedTable& table, const std::vector<Unit>& units, Share own, const RegressionOptions& options)
      : table_(table), units_(units), own_(own), options_(options), read_(at(own.count)) {}

  /// Files must be what the first process says they are.
  void look_at_files() {
    for (Index u = 0; u < own_.count; ++u) {
      const PiecedFile& file = file_of(u);
      if (headers_.contains(file.name)) continue;
      const CsvHeader header = read_csv_header(file.name, csv_options(file.name, options_));
      require_same_columns(table_, file.name, header.names);
      if (const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file.name)); bytes != file.bytes)
        throw InputError(fmt::format("{} has {} bytes here, and {} for the first process: must be the same file",
                                     file.name, bytes, file.bytes));
      headers_.emplace(file.name, header);
    }
  }
  /// Lines are counted from the beginning of each piece as yet, and what goes wrong is kept.
  void read(int threads) {
    parallel_for(threads, own_.count, [&](Index u) {
      try {
        read_[at(u)].table = read_unit(u, headers_.at(file_of(u).name).lines + 1);
      } catch (...) {
        read_[at(u)].failure = std::current_exception();
      }
    });
  }
  [[nodiscard]] std::vector<double> lines() const {
    std::vector<double> out;
    for (const Read& one : read_) out.push_back(static_cast<double>(one.lines));
    return out;
  }
  /// Told how many lines all units have, corrects those of its tables. What went wrong is thrown, with the line on which it did.
  void place_lines(std::span<const double> lines_of_all) {
    for (Index u = 0; u < own_.count; ++u) {
      const Unit& unit = units_[at(own_.first + u)];
      Read& one = read_[at(u)];
      const auto end = lines_of_all.begin() + own_.first + u;
      Index above = 0;
      for (auto lines = end - unit.place; lines != end; ++lines) above += static_cast<Index>(*lines);
      if (one.failure && above > 0) (void)read_unit(u, headers_.at(file_of(u).name).lines + 1 + above);
      if (one.failure) std::rethrow_exception(one.failure);
      move_lines(one.table, above);
    }
  }
  /// Hands over what was read, and says what it shows.
  TableFacts finish(ReadPieces& out) {
    TableFacts facts;
    for (Index u = 0; u < own_.count; ++u) {
      CsvTable& table = read_[at(u)].table;
      const Index rows_left_out = options_.na == MissingValues::drop ? drop_incomplete_rows(table) : 0;
      TableFacts of_unit = facts_of(table);
      of_unit.rows_left_out = rows_left_out;
      add_part(facts, of_unit);
      const Index pieces = units_[at(own_.first + u)].pieces;
      for (Index k = 0; k < pieces; ++k) {
        const Index first = k * table.rows / pieces, end = (k + 1) * table.rows / pieces;
        out.pieces.push_back({.table = out.tables.size(), .first = first, .rows = end - first});
      }
      out.tables.push_back(std::move(table));
    }
    return facts;
  }

 private:
  struct Read {
    CsvTable table;
    Index lines = 0;
    std::exception_ptr failure;
  };
  [[nodiscard]] const PiecedFile& file_of(Index u) const { return table_.files[units_[at(own_.first + u)].file]; }

  CsvTable read_unit(Index u, Index first_line) {
    const PiecedFile& file = file_of(u);
    const CsvOptions how = csv_options(file.name, options_);
    if (file.is_gzipped) return read_csv(file.name, how);
    const CsvHeader& header = headers_.at(file.name);
    const std::int64_t bytes = file.bytes - header.bytes, place = units_[at(own_.first + u)].place;
    return read_csv_rows(file.name, header,
                         {.first = header.bytes + bytes * place / file.pieces,
                          .end = header.bytes + bytes * (place + 1) / file.pieces,
                          .first_line = first_line},
                         how, read_[at(u)].lines);
  }

  const PiecedTable& table_;
  const std::vector<Unit>& units_;
  Share own_;
  const RegressionOptions& options_;
  std::map<std::string, CsvHeader> headers_;
  std::vector<Read> read_;
};

}  // namespace

std::vector<std::string> files_of_pattern(const std::string& data) {
  std::vector<std::string> names;
  if (std::filesystem::exists(data)) return names;
  glob_t found{};
  if (::glob(data.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::ranges::sort(names);
  return names;
}

PiecedTable find_pieces(const std::string& data, const CsvOptions& how) {
  PiecedTable table{.name = data, .files = {}, .header = {}};
  std::int64_t bytes = 0;
  for (const std::string& name : files_called(data)) {
    table.files.push_back({.name = name, .is_gzipped = is_gzipped(name)});
    table.files.back().bytes = static_cast<std::int64_t>(std::filesystem::file_size(name));
    bytes += table.files.back().bytes;
  }
  table.header = read_csv_header(table.files.front().name, how);
  if (table.header.names.size() == 1)  // whose blank lines are missing values where rows follow, maybe in another piece
    throw InputError(fmt::format(
        "{}: a table of one column has no predictors, and nothing to share out: leave shard = rows out", data));
  const auto pieces_of_byte = static_cast<double>(pieces_for(bytes)) / static_cast<double>(bytes);
  for (PiecedFile& file : table.files)
    file.pieces = std::max<Index>(1, static_cast<Index>(std::lround(pieces_of_byte * static_cast<double>(file.bytes))));
  return table;
}

std::vector<Index> deal_pieces(const PiecedTable& table, int processes) {
  const std::vector<Unit> units = units_of(table);
  if (processes > std::ssize(units))
    throw InputError(
        fmt::format("{}: {} processes, but it has {} that one of them can read on its own (gzipped files are read as a "
                    "whole): must "
                    "be no more processes than parts; start fewer, or split the files",
                    table.name, processes, counted(std::ssize(units), "part", "parts")));
  std::vector<Index> bounds;
  for (int r = 0; r < processes; ++r)
    bounds.push_back(units[at(share_of(std::ssize(units), r, processes).first)].first_piece);
  bounds.push_back(units.back().first_piece + units.back().pieces);
  return bounds;
}

ReadPieces read_pieces(Group& group, const PiecedTable& table, const RegressionOptions& options, int threads) {
  const std::vector<Unit> units = units_of(table);
  std::vector<Index> counts;
  for (int r = 0; r < group.size(); ++r) counts.push_back(share_of(std::ssize(units), r, group.size()).count);
  Reader reader(table, units, share_of(std::ssize(units), group.rank(), group.size()), options);
  on_all(group, [&] { reader.look_at_files(); });
  {
    const Apart apart(group);
    reader.read(threads);
  }
  const std::span<const double> gathered = group.gather(reader.lines(), counts);
  const std::vector<double> lines(gathered.begin(), gathered.end());
  on_all(group, [&] { reader.place_lines(lines); });
  ReadPieces out;
  TableFacts own;
  on_all(group, [&] { own = reader.finish(out); });
  out.facts.file = table.name;
  out.facts.separator = table.header.separator;
  out.facts.processes = group.size();
  for (const std::string& bytes : group.gather(bytes_of(own))) {
    TableFacts part;
    read_bytes(bytes, part);
    add_part(out.facts, part);
  }
  return out;
}

}  // namespace darboux
