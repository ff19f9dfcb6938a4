#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"
#include "darboux/core/batch.hpp"
#include "draws/zarr_store.hpp"
#include "io/file.hpp"

namespace darboux {

/// An array of draws: its dimensions are chain, draw, and its own.
struct DrawVariable {
  std::string group, name;
  std::vector<Dimension> dims{};      ///< its own
  std::vector<std::size_t> places{};  ///< of its entries in a row, the last index moving fastest
  std::string_view type = zarr_type::real;
};

/// How far an array of a chain had got. Chunks that are full are not written again; the draws after them are kept here, as a power cut
/// may damage the chunk that they are in, with what describes arrays in the store.
struct ZarrArrayMark {
  std::string array;                   ///< its path
  std::int64_t axes = 2, stretch = 1;  ///< with chain and draw; draws in a chunk
  std::int64_t draw_bytes = 0;         ///< of one draw
  std::uint32_t checksum = 0;          ///< of the chunks that are full
  std::string rest;                    ///< the bytes of the draws after them

  template <class Archive>
  void archive(Archive& fields) {
    fields(array, axes, stretch, draw_bytes, checksum, rest);
    require_sense(stays_below(array) && axes >= 2 && is_count(axes, 1000), "it is of no array of draws");
    require_sense(stretch > 0 && are_counts({stretch, draw_bytes}, std::int64_t{1} << 31), "chunks have no such sizes");
  }
  friend bool operator==(const ZarrArrayMark&, const ZarrArrayMark&) = default;
};

/// How far a chain's arrays had got.
struct ZarrMark {
  std::int64_t rows = 0;
  std::vector<ZarrArrayMark> arrays{};

  template <class Archive>
  void archive(Archive& fields) {
    fields(rows, arrays);
    require_sense(rows >= 0, "it has less than no rows");
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
  /// Goes on with such arrays, of all chains. What is after the marks goes with `cut`, when readers have been told, by `publish` of the
  /// store, that it is not there any more.
  void go_on(std::span<const ZarrMark> marks);
  void cut();

 private:
  struct Chain;
  struct Array;
  void describe(std::int64_t draws);
  /// Describes the rows that are flushed of every chain, and returns how many those are.
  std::int64_t describe_flushed();
  void write(Index chain, const Array& array, std::int64_t stretch, std::string_view bytes) const;
  void remove_from(const std::string& array, std::vector<std::int64_t> place, std::size_t axis) const;

  ZarrStore& store_;
  std::vector<Array> arrays_;
  std::vector<std::string> groups_;
  std::vector<Chain> chains_;
  std::int64_t numbered_ = 0;  // draws whose numbers are written
};

/// Throws Error, saying what is wrong, where full chunks of a chain's arrays, which ZarrRows wrote, are not what they were at the mark.
/// What describes arrays is not looked at: it is written anew.
void require_mark(const std::filesystem::path& root, Index chain, const ZarrMark& mark);

}  // namespace darboux
