#include "draws/column_store.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace darboux {

namespace {

/// Large enough that the parts of one column, which are read one by one, have a few thousand bytes each.
constexpr std::size_t numbers_of_a_tile = std::size_t{1} << 17U;

}  // namespace

ColumnStore::ColumnStore(std::size_t chains, std::size_t columns, std::size_t memory)
    : columns_(columns),
      memory_(memory),
      rows_of_a_tile_(std::max<std::size_t>(1, numbers_of_a_tile / std::max<std::size_t>(1, columns))),
      chains_(chains) {}

void ColumnStore::add(std::size_t chain, std::span<const double> row) {
  Chain& to = chains_[chain];
  to.pending.insert(to.pending.end(), row.begin(), row.end());
  if (++to.rows % rows_of_a_tile_ == 0) store(to);
}

void ColumnStore::end(std::size_t chain) {
  store(chains_[chain]);
  std::vector<double>().swap(chains_[chain].pending);
}

void ColumnStore::store(Chain& chain) {
  if (chain.pending.empty()) return;
  Tile tile{.rows = chain.pending.size() / columns_, .held = std::vector<double>(chain.pending.size())};
  for (std::size_t i = 0; i < tile.rows; ++i)
    for (std::size_t j = 0; j < columns_; ++j) tile.held[j * tile.rows + i] = chain.pending[i * columns_ + j];
  chain.pending.clear();
  const std::scoped_lock lock(*mutex_);
  held_ += tile.held.size() * sizeof(double);
  if (held_ > memory_ && !file_) move_to_disk();
  if (file_) write(tile);
  chain.tiles.push_back(std::move(tile));
}

void ColumnStore::move_to_disk() {
  file_ = std::make_unique<ScratchFile>();
  for (Chain& chain : chains_)
    for (Tile& tile : chain.tiles) write(tile);
}

void ColumnStore::write(Tile& tile) {
  file_->write(end_of_file_, tile.held);
  tile.offset = std::exchange(end_of_file_, end_of_file_ + std::ssize(tile.held) * std::int64_t{sizeof(double)});
  std::vector<double>().swap(tile.held);
}

void ColumnStore::read(const Tile& tile, std::size_t column, std::span<double> to) const {
  const std::size_t begin = column * tile.rows;
  if (file_)
    file_->read(tile.offset + static_cast<std::int64_t>(begin * sizeof(double)), to);
  else
    std::copy_n(tile.held.begin() + static_cast<std::ptrdiff_t>(begin), tile.rows, to.begin());
}

std::size_t ColumnStore::all_rows() const {
  return std::accumulate(chains_.begin(), chains_.end(), std::size_t{0},
                         [](std::size_t sum, const Chain& chain) { return sum + chain.rows; });
}

std::vector<double> ColumnStore::column(std::size_t column) const {
  std::vector<double> numbers(all_rows());
  std::span<double> rest(numbers);
  for (const Chain& chain : chains_)
    for (const Tile& tile : chain.tiles) {
      read(tile, column, rest.first(tile.rows));
      rest = rest.subspan(tile.rows);
    }
  return numbers;
}

}  // namespace darboux
