#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/batch.hpp"
#include "draws/zarr_store.hpp"

namespace darboux {

class ZarrReader;

/// An array of draws: its dimensions are chain, draw, and its own.
struct DrawVariable {
  std::string group, name;
  std::vector<Dimension> dims{};      ///< its own
  std::vector<std::size_t> places{};  ///< of its entries in a row, the last index moving fastest
  std::string_view type = zarr_type::real;
};

/// How far a chain's arrays had got: the number of rows, and a checksum of each array.
struct ZarrMark {
  std::int64_t rows = 0;
  std::vector<std::uint32_t> checksums;

  template <class Archive>
  void archive(Archive& fields) {
    fields(rows, checksums);
  }
  friend bool operator==(const ZarrMark&, const ZarrMark&) = default;
};

/// Arrays of a store that grow by rows, a row being all numbers of one draw of one chain. Chunks are of one chain and a stretch of
/// draws; the stretch that is not full yet is written again, whole, when it is flushed.
///
/// Different chains may be written to by different threads. Nothing else may happen at the same time, but `publish` by one of them.
class ZarrRows {
 public:
  /// Describes the arrays, without draws, and the coordinates of their groups, which must be there, to the store.
  ZarrRows(ZarrStore& store, std::vector<DrawVariable> variables, Index chains);
  ~ZarrRows();

  void add(Index chain, std::span<const double> row);
  /// Writes what is not written of a chain.
  void flush(Index chain);
  /// Lets readers see the rows that are flushed of every chain. Returns how many those are.
  std::int64_t publish();

  [[nodiscard]] std::int64_t rows(Index chain) const;
  /// Where a chain is.
  [[nodiscard]] ZarrMark mark(Index chain) const;
  /// Goes on with such arrays, of all chains: what is after the marks is not there any more.
  void go_on(std::span<const ZarrMark> marks);

 private:
  struct Chain;
  struct Array;
  void describe(std::int64_t draws);
  void write(Index chain, const Array& array, std::int64_t stretch, std::string_view bytes) const;
  [[nodiscard]] std::string read(Index chain, const Array& array, std::int64_t stretch) const;
  void remove_from(const std::string& array, std::vector<std::int64_t> place, std::size_t axis) const;

  ZarrStore& store_;
  std::vector<Array> arrays_;
  std::vector<std::string> groups_;
  std::vector<Chain> chains_;
  std::int64_t numbered_ = 0;  // draws whose numbers are written
};

/// Throws Error, saying what is wrong, where a chain's arrays of these groups, which ZarrRows wrote, do not reach the mark or are
/// not what they were there.
void require_mark(const ZarrReader& store, std::span<const std::string> groups, Index chain, const ZarrMark& mark);

}  // namespace darboux
