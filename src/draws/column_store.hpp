#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "io/scratch_file.hpp"

namespace darboux {

/// What commands allow for draws unless they are told otherwise, in bytes.
inline constexpr std::size_t default_memory = std::size_t{256} << 20U;

/// Numbers of several chains that come row by row and are wanted column by column. They are held in memory up to a limit; what is
/// more than that lies in a temporary file, all of it, so that memory is left for what is done with a column.
class ColumnStore {
 public:
  ColumnStore(std::size_t chains, std::size_t columns, std::size_t memory);

  /// One more row of a chain. Rows of different chains may come at the same time.
  void add(std::size_t chain, std::span<const double> row);
  /// There are no more rows of this chain.
  void end(std::size_t chain);

  [[nodiscard]] std::size_t chains() const noexcept { return chains_.size(); }
  [[nodiscard]] std::size_t rows(std::size_t chain) const { return chains_[chain].rows; }
  [[nodiscard]] std::size_t all_rows() const;
  /// Of all chains that have ended, one after another.
  [[nodiscard]] std::vector<double> column(std::size_t column) const;
  /// Bytes in memory.
  [[nodiscard]] std::size_t held() const noexcept { return file_ ? 0 : held_; }
  [[nodiscard]] bool is_on_disk() const noexcept { return file_ != nullptr; }

 private:
  /// Some rows, column after column.
  struct Tile {
    std::size_t rows = 0;
    std::vector<double> held{};  // empty where it lies in the file
    std::int64_t offset = 0;
  };
  struct Chain {
    std::size_t rows = 0;
    std::vector<Tile> tiles{};
    std::vector<double> pending{};  // one row after another
  };

  void store(Chain& chain);
  void move_to_disk();
  void write(Tile& tile);
  void read(const Tile& tile, std::size_t column, std::span<double> to) const;

  std::size_t columns_, memory_;
  std::size_t rows_of_a_tile_;
  std::vector<Chain> chains_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // guards what follows, and the tiles
  std::size_t held_ = 0;
  std::int64_t end_of_file_ = 0;
  std::unique_ptr<ScratchFile> file_;
};

}  // namespace darboux
