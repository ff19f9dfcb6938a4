#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/group.hpp"
#include "io/csv.hpp"
#include "model/regression_table.hpp"
#include "model/table_facts.hpp"

/// A table that several processes read, each a part of it.
namespace darboux {

/// A file of it. A plain one is cut into pieces by bytes, at line ends; a gzipped one is read as a whole, and cut by rows.
struct PiecedFile {
  std::string name;
  std::int64_t bytes = 0;
  bool is_gzipped = false;
  Index pieces = 0;
  template <class Archive>
  void archive(Archive& fields) {
    fields(name, bytes, is_gzipped, pieces);
  }
};

/// A table in pieces. How it is cut depends on its files alone, so that sums over its rows, piece by piece, do not depend on who reads
/// what.
struct PiecedTable {
  std::string name;  ///< of the file, or the pattern of its files
  std::vector<PiecedFile> files;
  CsvHeader header;  ///< of the first
  template <class Archive>
  void archive(Archive& fields) {
    fields(name, files, header);
  }
};

/// Those that a pattern (part-*.csv.gz) stands for, in the order of their names; none where `data` is a file, or nothing matches it.
[[nodiscard]] std::vector<std::string> files_of_pattern(const std::string& data);

/// `data` is a file, or a pattern of files (part-*.csv.gz), which count in the order of their names. Throws InputError where there is
/// none, or none can be read.
[[nodiscard]] PiecedTable find_pieces(const std::string& data, const CsvOptions& how);

/// Where the pieces of each process begin, and how many there are: each has a run of whole files, or of pieces of plain ones. Throws
/// InputError where there are more processes than can read something on their own.
[[nodiscard]] std::vector<Index> deal_pieces(const PiecedTable& table, int processes);

/// Rows of one piece, in a table that may have those of others, too.
struct PieceOfTable {
  std::size_t table = 0;
  Index first = 0, rows = 0;
};
/// What one process has of a table, and what all know of it.
struct ReadPieces {
  std::vector<CsvTable> tables;
  std::vector<PieceOfTable> pieces;
  TableFacts facts;  ///< of all rows, whoever has them
};
/// Reads those of this process (deal_pieces), on several threads. All processes call it together; what is wrong with the part of one, the
/// columns of its files too, is told by all: throws InputError with the file, its line, and the rank.
[[nodiscard]] ReadPieces read_pieces(Group& group, const PiecedTable& table, const RegressionOptions& options,
                                     int threads);

}  // namespace darboux
