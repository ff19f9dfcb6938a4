#include "draws/zarr_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "darboux/core/error.hpp"
#include "io/checksum.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t longest_stretch = 1024;                // draws
constexpr std::size_t largest_chunk = std::size_t{1} << 20U;  // bytes
constexpr std::size_t most_memory = std::size_t{1} << 26U;    // for stretches that are not full

/// A power of two that depends on nothing that may differ when a run is gone on with.
std::int64_t stretch_of(std::size_t draw_bytes, std::size_t row_bytes, Index chains) {
  const std::size_t fits = std::min(largest_chunk / std::max<std::size_t>(draw_bytes, 1),
                                    most_memory / (std::max<std::size_t>(row_bytes, 1) * at(chains)));
  return static_cast<std::int64_t>(std::bit_floor(std::clamp<std::size_t>(fits, 1, longest_stretch)));
}

}  // namespace

/// An array of a store, and how it is cut.
struct ZarrRows::Array {
  std::string name;
  std::string_view type;
  std::vector<std::size_t> places;
  ZarrArray description;
  std::int64_t stretch = 1;    // draws in a chunk
  std::size_t draw_bytes = 0;  // of one draw
};

/// What is known of a chain. Threads that fill different chains do not disturb each other.
struct alignas(cache_line) ZarrRows::Chain {
  std::int64_t rows = 0;
  std::atomic<std::int64_t> flushed{0};
  std::vector<std::string> unfinished;   // array by array, the stretch that is not full, filled up with zeros
  std::vector<std::uint32_t> checksums;  // of those before

  Chain() = default;
  Chain(Chain&& other) noexcept : rows(other.rows), unfinished(std::move(other.unfinished)) {}
};

ZarrRows::ZarrRows(ZarrStore& store, std::vector<DrawVariable> variables, Index chains) : store_(store) {
  std::size_t row_bytes = 0;
  for (const DrawVariable& variable : variables) row_bytes += variable.places.size() * entry_size(variable.type);
  for (DrawVariable& variable : variables) {
    Array array{.name = variable.group + "/" + variable.name,
                .type = variable.type,
                .places = std::move(variable.places),
                .description = {.type = std::string(variable.type), .shape = {chains, 0}, .dims = {"chain", "draw"}},
                .draw_bytes = 0};
    array.draw_bytes = array.places.size() * entry_size(array.type);
    array.stretch = stretch_of(array.draw_bytes, row_bytes, chains);
    array.description.chunk = {1, array.stretch};
    if (std::ranges::find(groups_, variable.group) == groups_.end()) {
      groups_.push_back(variable.group);
      store_.add_coordinate(variable.group, {.name = "chain", .size = chains});
    }
    std::size_t entries = 1;
    for (const Dimension& dimension : variable.dims) {
      store_.add_coordinate(variable.group, dimension);
      array.description.shape.push_back(dimension.size);
      array.description.chunk.push_back(std::max<std::int64_t>(dimension.size, 1));
      array.description.dims.push_back(dimension.name);
      entries *= static_cast<std::size_t>(dimension.size);
    }
    if (entries != array.places.size())
      throw Error(fmt::format("{}: {} entries, and places for {}", array.name, entries, array.places.size()));
    arrays_.push_back(std::move(array));
  }
  chains_.resize(at(chains));
  for (Chain& chain : chains_) {
    for (const Array& array : arrays_)
      chain.unfinished.emplace_back(static_cast<std::size_t>(array.stretch) * array.draw_bytes, '\0');
    chain.checksums.assign(arrays_.size(), 0);
  }
  describe(0);
}

ZarrRows::~ZarrRows() = default;

void ZarrRows::describe(std::int64_t draws) {
  for (Array& array : arrays_) {
    array.description.shape[1] = draws;
    store_.add_array(array.name, array.description);
  }
  for (const std::string& group : groups_)
    store_.add_array(
        group + "/draw",
        {.type = std::string(zarr_type::integer), .shape = {draws}, .chunk = {longest_stretch}, .dims = {"draw"}});
}

void ZarrRows::write(Index chain, const Array& array, std::int64_t stretch, std::string_view bytes) const {
  std::vector<std::int64_t> place(array.description.shape.size(), 0);
  place[0] = chain;
  place[1] = stretch;
  store_.write_chunk(array.name, place, bytes);
}

void ZarrRows::add(Index chain_number, std::span<const double> row) {
  Chain& chain = chains_[at(chain_number)];
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    const Array& array = arrays_[a];
    const std::size_t size = entry_size(array.type);
    std::string& bytes = chain.unfinished[a];
    char* to = bytes.data() + static_cast<std::size_t>(chain.rows % array.stretch) * array.draw_bytes;
    for (const std::size_t place : array.places) {
      encode(row[place], array.type, to);
      to += size;
    }
    if ((chain.rows + 1) % array.stretch != 0) continue;
    write(chain_number, array, chain.rows / array.stretch, bytes);
    chain.checksums[a] = checksum(bytes, chain.checksums[a]);
    std::ranges::fill(bytes, '\0');
  }
  ++chain.rows;
}

void ZarrRows::flush(Index chain_number) {
  Chain& chain = chains_[at(chain_number)];
  if (chain.flushed == chain.rows) return;
  for (std::size_t a = 0; a < arrays_.size(); ++a)
    if (const Array& array = arrays_[a]; chain.rows % array.stretch != 0)
      write(chain_number, array, chain.rows / array.stretch, chain.unfinished[a]);
  chain.flushed = chain.rows;
}

std::int64_t ZarrRows::describe_flushed() {
  std::int64_t draws = chains_.front().flushed;
  for (const Chain& chain : chains_) draws = std::min<std::int64_t>(draws, chain.flushed);
  for (; numbered_ < draws; numbered_ += longest_stretch) {
    std::string bytes(longest_stretch * entry_size(zarr_type::integer), '\0');
    for (std::int64_t i = 0; i < longest_stretch; ++i)
      encode(static_cast<double>(numbered_ + i), zarr_type::integer,
             bytes.data() + static_cast<std::size_t>(i) * entry_size(zarr_type::integer));
    for (const std::string& group : groups_)
      store_.write_chunk(group + "/draw", std::array{numbered_ / longest_stretch}, bytes);
  }
  describe(draws);
  return draws;
}

std::int64_t ZarrRows::publish() {
  const std::int64_t draws = describe_flushed();
  store_.publish();
  return draws;
}

std::int64_t ZarrRows::rows(Index chain) const { return chains_[at(chain)].rows; }

ZarrMark ZarrRows::mark(Index chain_number) const {
  const Chain& chain = chains_[at(chain_number)];
  ZarrMark mark{.rows = chain.rows};
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    const Array& array = arrays_[a];
    const auto rest = static_cast<std::size_t>(chain.rows % array.stretch) * array.draw_bytes;
    mark.arrays.push_back({.array = array.name,
                           .axes = std::ssize(array.description.shape),
                           .stretch = array.stretch,
                           .draw_bytes = static_cast<std::int64_t>(array.draw_bytes),
                           .checksum = chain.checksums[a],
                           .rest = chain.unfinished[a].substr(0, rest)});
  }
  return mark;
}

void require_mark(const fs::path& root, Index chain, const ZarrMark& mark) {
  const ZarrStore store(root);
  for (const ZarrArrayMark& array : mark.arrays) {
    std::vector<std::int64_t> place(static_cast<std::size_t>(array.axes), 0);
    place[0] = chain;
    std::uint32_t sum = 0;
    for (; place[1] < mark.rows / array.stretch; ++place[1]) {
      const fs::path file = store.chunk_file(array.array, place);
      if (!fs::exists(file)) throw Error(fmt::format("{} is missing", file.string()));
      const std::string bytes = read_text(file);
      if (const auto size = static_cast<std::size_t>(array.stretch * array.draw_bytes); bytes.size() != size)
        throw Error(fmt::format("{} has been cut: of {} bytes there are {}", file.string(), size, bytes.size()));
      sum = checksum(bytes, sum);
    }
    if (sum != array.checksum)
      throw Error(fmt::format("{} is damaged: draws of chain {} are not those that were written",
                              (root / array.array).string(), chain + 1));
  }
}

/// Chunks of an array from a place on, as far as there are any: those with the next index of the axis. The last one goes first, so
/// that a process that is killed meanwhile leaves none that the next one would not find.
void ZarrRows::remove_from(const std::string& array, std::vector<std::int64_t> place, std::size_t axis) const {
  const std::int64_t first = place[axis];
  while (fs::exists(store_.chunk_file(array, place))) ++place[axis];
  while (place[axis]-- > first) fs::remove(store_.chunk_file(array, place));
}

void ZarrRows::go_on(std::span<const ZarrMark> marks) {
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    Chain& chain = chains_[c];
    const ZarrMark& mark = marks[c];
    require_sense(mark.arrays.size() == arrays_.size(), "a checkpoint is of another number of arrays");
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      const ZarrArrayMark& known = mark.arrays[a];
      const auto rest = static_cast<std::size_t>(mark.rows % arrays_[a].stretch) * arrays_[a].draw_bytes;
      const bool is_same = known.array == arrays_[a].name && known.stretch == arrays_[a].stretch;
      require_sense(is_same && known.rest.size() == rest, "a checkpoint is of other arrays");
      chain.checksums[a] = known.checksum;
      std::ranges::fill(chain.unfinished[a], '\0');
      chain.unfinished[a].replace(0, rest, known.rest);
    }
    chain.rows = mark.rows;
    chain.flushed = mark.rows;
  }
  (void)describe_flushed();
}

void ZarrRows::cut() {
  for (const std::string& group : groups_) remove_from(group + "/draw", {numbered_ / longest_stretch}, 0);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const Chain& chain = chains_[c];
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      const Array& array = arrays_[a];
      std::vector<std::int64_t> place(array.description.shape.size(), 0);
      place[0] = static_cast<Index>(c);
      place[1] = (chain.rows + array.stretch - 1) / array.stretch;
      remove_from(array.name, std::move(place), 1);
      if (chain.rows % array.stretch != 0)
        write(static_cast<Index>(c), array, chain.rows / array.stretch, chain.unfinished[a]);
    }
  }
}

}  // namespace darboux
