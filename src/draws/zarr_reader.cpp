#include "draws/zarr_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "io/json_text.hpp"

namespace darboux {

namespace {

using nlohmann::ordered_json;

/// What comes before the last part of a path, and that part.
std::pair<std::string, std::string> parted(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xC0U | (c >> 6U));
  } else {
    if (c < 0x10000) {
      byte(0xE0U | (c >> 12U));
    } else {
      byte(0xF0U | (c >> 18U));
      byte(0x80U | ((c >> 12U) & 0x3FU));
    }
    byte(0x80U | ((c >> 6U) & 0x3FU));
  }
  byte(0x80U | (c & 0x3FU));
}

std::size_t size_of(std::string_view type) {
  if (!type.starts_with("<U")) return entry_size(type);
  return sizeof(char32_t) * static_cast<std::size_t>(std::stoul(std::string(type.substr(2))));
}

std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes) all *= size;
  return all;
}

/// Goes to the next place of a box, the last index moving fastest; false after the last.
bool advance(std::vector<std::int64_t>& place, std::span<const std::int64_t> first, std::span<const std::int64_t> end) {
  for (std::size_t i = place.size(); i-- > 0;) {
    if (++place[i] < end[i]) return true;
    place[i] = first[i];
  }
  return false;
}

}  // namespace

void ZarrReader::fail(std::string_view why) const { throw InputError(fmt::format("{}: {}", root_.string(), why)); }

ZarrReader::ZarrReader(std::filesystem::path root) : root_(std::move(root)) {
  const std::filesystem::path file = root_ / ".zmetadata";
  const std::string text = read_text(file);
  const auto advice = [&] {
    return fmt::format(
        ". Each array of the store has a description of its own, and draws are whole: in Python, "
        "zarr.consolidate_metadata(\"{}\", zarr_format=2) writes the file anew. Where there are chain_1.csv, … beside "
        "the store, remove it, and darboux convert makes another",
        root_.string());
  };
  try {
    require_json(text, file.string());
  } catch (const InputError& e) {
    throw InputError(e.what() + advice());
  }
  try {
    const ordered_json metadata = ordered_json::parse(text).at("metadata");
    for (const auto& [key, value] : metadata.items()) {
      const auto [node, kind] = parted(key);
      if (kind == ".zarray") {
        if (!value.at("compressor").is_null() || value.at("order") != "C")
          fail(node + " is compressed, or in another order than ours: darboux reads stores that it wrote");
        names_.push_back(node);
        arrays_[node] = {
            .type = value.at("dtype"), .shape = value.at("shape"), .chunk = value.at("chunks"), .dims = {}};
      } else if (kind == ".zattrs" && arrays_.contains(node)) {
        arrays_[node].dims = value.at("_ARRAY_DIMENSIONS").get<std::vector<std::string>>();
      } else if (kind == ".zattrs") {
        attributes_[node] = value.dump();
      } else if (kind == ".zgroup" && !node.empty()) {
        groups_.push_back(node);
      }
    }
  } catch (const ordered_json::exception&) {
    fail(".zmetadata does not describe arrays as darboux does" + advice());
  }
  for (const auto& [name, array] : arrays_)
    if (array.shape.size() != array.chunk.size() || std::ranges::any_of(array.chunk, [](auto n) { return n < 1; }))
      fail(name + ": shape and chunks do not go together");
}

const ZarrArray& ZarrReader::array(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail(fmt::format("there is no array {}", name));
  return found->second;
}

std::string ZarrReader::chunk(const std::string& name, std::span<const std::int64_t> place) const {
  const ZarrArray& described = array(name);
  std::string bytes = read_text(root_ / name / (place.empty() ? "0" : fmt::format("{}", fmt::join(place, "."))));
  const std::size_t expected = static_cast<std::size_t>(product(described.chunk)) * size_of(described.type);
  if (bytes.size() != expected)
    fail(fmt::format("chunk {} of {} has {} bytes, must have {}", fmt::join(place, "."), name, bytes.size(), expected));
  return bytes;
}

namespace {

/// Copies entries from chunks to where they belong in a box of the array, from `first` to before `end`.
template <class Chunk, class Take>
void gather(const ZarrArray& array, std::vector<std::int64_t> first, std::vector<std::int64_t> end,
            const Chunk& chunk_at, const Take& take) {
  const std::size_t rank = array.shape.size();
  std::vector<std::int64_t> chunk_first(rank), chunk_end(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (first[i] >= end[i]) return;
    chunk_first[i] = first[i] / array.chunk[i];
    chunk_end[i] = (end[i] - 1) / array.chunk[i] + 1;
  }
  std::vector<std::int64_t> at_chunk = chunk_first;
  do {
    const std::string bytes = chunk_at(at_chunk);
    std::vector<std::int64_t> inner(rank), from(rank), to(rank);
    for (std::size_t i = 0; i < rank; ++i) {
      from[i] = std::max(first[i], at_chunk[i] * array.chunk[i]);
      to[i] = std::min(end[i], (at_chunk[i] + 1) * array.chunk[i]);
    }
    inner = from;
    do {
      std::int64_t in_chunk = 0, in_box = 0;
      for (std::size_t i = 0; i < rank; ++i) {
        in_chunk = in_chunk * array.chunk[i] + (inner[i] - at_chunk[i] * array.chunk[i]);
        in_box = in_box * (end[i] - first[i]) + (inner[i] - first[i]);
      }
      take(bytes, static_cast<std::size_t>(in_chunk), static_cast<std::size_t>(in_box));
    } while (advance(inner, from, to));
  } while (advance(at_chunk, chunk_first, chunk_end));
}

}  // namespace

std::vector<double> ZarrReader::box(const std::string& name, const std::vector<std::int64_t>& first,
                                    const std::vector<std::int64_t>& end) const {
  const ZarrArray& described = array(name);
  const std::size_t size = entry_size(described.type);
  std::int64_t entries = 1;
  for (std::size_t i = 0; i < first.size(); ++i) entries *= end[i] - first[i];
  std::vector<double> out(static_cast<std::size_t>(entries));
  gather(
      described, first, end, [&](std::span<const std::int64_t> place) { return chunk(name, place); },
      [&](const std::string& bytes, std::size_t from, std::size_t to) {
        out[to] = decode(bytes.data() + from * size, described.type);
      });
  return out;
}

std::vector<double> ZarrReader::numbers(const std::string& name) const {
  const std::vector<std::int64_t>& shape = array(name).shape;
  return box(name, std::vector<std::int64_t>(shape.size(), 0), shape);
}

std::vector<double> ZarrReader::slice(const std::string& name, std::int64_t index) const {
  return rows(name, index, index + 1);
}

std::vector<double> ZarrReader::rows(const std::string& name, std::int64_t begin, std::int64_t end) const {
  std::vector<std::int64_t> last = array(name).shape, first(last.size(), 0);
  first.at(0) = begin;
  last.at(0) = end;
  return box(name, first, last);
}

std::vector<double> ZarrReader::slice(const std::string& name, std::int64_t index, std::int64_t begin,
                                      std::int64_t end) const {
  std::vector<std::int64_t> last = array(name).shape, first(last.size(), 0);
  first.at(0) = index;
  last.at(0) = index + 1;
  first.at(1) = begin;
  last.at(1) = end;
  return box(name, first, last);
}

std::vector<std::string> ZarrReader::texts(const std::string& name) const {
  const ZarrArray& described = array(name);
  const std::size_t size = size_of(described.type);
  std::vector<std::string> out(static_cast<std::size_t>(product(described.shape)));
  gather(
      described, std::vector<std::int64_t>(described.shape.size(), 0), described.shape,
      [&](std::span<const std::int64_t> place) { return chunk(name, place); },
      [&](const std::string& bytes, std::size_t from, std::size_t to) {
        for (std::size_t i = 0; i < size; i += sizeof(char32_t)) {
          char32_t character = 0;
          std::memcpy(&character, bytes.data() + from * size + i, sizeof character);
          if (character == 0) break;
          append_utf8(out[to], character);
        }
      });
  return out;
}

std::vector<Dimension> ZarrReader::dimensions(const std::string& name, std::size_t first) const {
  const ZarrArray& described = array(name);
  std::vector<Dimension> dims;
  for (std::size_t i = first; i < described.shape.size(); ++i) {
    Dimension dimension{.name = described.dims.at(i), .size = described.shape[i]};
    const std::string coordinate = parted(name).first + "/" + dimension.name;
    if (has(coordinate) && array(coordinate).type.starts_with("<U")) dimension.labels = texts(coordinate);
    dims.push_back(std::move(dimension));
  }
  return dims;
}

}  // namespace darboux
