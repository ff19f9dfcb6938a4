#include "draws/zarr_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/shown.hpp"
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
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;  // no character
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

/// Of a text so many characters; none where the type is not known.
std::optional<std::int64_t> size_of(std::string_view type) {
  constexpr std::int64_t longest = 1'000'000;
  for (const std::string_view known : {zarr_type::real, zarr_type::integer, zarr_type::truth})
    if (type == known) return static_cast<std::int64_t>(entry_size(type));
  if (!type.starts_with("<U")) return std::nullopt;
  std::int64_t characters = 0;
  const auto [end, error] = std::from_chars(type.data() + 2, type.data() + type.size(), characters);
  const bool is_length = error == std::errc() && end == type.data() + type.size();
  if (!is_length || characters < 1 || characters > longest) return std::nullopt;
  return characters * std::int64_t{sizeof(char32_t)};
}

/// More entries than that are no array of draws; all sizes here fit into 64 bits.
constexpr std::int64_t most_entries = std::int64_t{1} << 40;

/// None where it is larger than that.
std::optional<std::int64_t> product(std::span<const std::int64_t> sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes) {
    if (size > 0 && all > most_entries / size) return std::nullopt;
    all *= size;
  }
  return all;
}

/// Sizes as an array of JSON has them; none for what is something else.
std::optional<std::vector<std::int64_t>> sizes_in(const ordered_json& json, std::int64_t least) {
  std::vector<std::int64_t> sizes;
  for (const ordered_json& entry : json) {
    if (!entry.is_number_unsigned() || entry > most_entries || entry < least) return std::nullopt;
    sizes.push_back(entry.get<std::int64_t>());
  }
  return json.is_array() ? std::optional(sizes) : std::nullopt;
}

/// What describes an array, if it does.
std::optional<ZarrArray> described(const ordered_json& json) {
  const auto shape = sizes_in(json.at("shape"), 0), chunk = sizes_in(json.at("chunks"), 1);
  const auto type = json.at("dtype").get<std::string>();
  if (!shape || !chunk || shape->size() != chunk->size() || !product(*shape) || !product(*chunk) || !size_of(type))
    return std::nullopt;
  return ZarrArray{.type = type, .shape = *shape, .chunk = *chunk, .dims = {}};
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
  const std::filesystem::path file = root_ / zarr_metadata;
  const std::string text = read_text(file);
  const auto advice = [&] {
    return fmt::format(
        ". A power cut leaves it so, and darboux resume writes it anew. Of a run that is complete, each array has a "
        "description of its own: in Python, zarr.consolidate_metadata(\"{}\", zarr_format=2) makes the file of them. "
        "Where there are chain_1.csv, … beside the store, remove it, and darboux convert makes another",
        root_.string());
  };
  try {
    require_json(text, file.string());
  } catch (const InputError& e) {
    throw InputError(e.what() + advice());
  }
  try {
    const ordered_json metadata = ordered_json::parse(text).at("metadata");
    for (const auto& [key, value] : metadata.items())
      if (const auto [node, kind] = parted(key); kind == ".zarray") add_array(node, value.dump());
    for (const auto& [key, value] : metadata.items()) {
      const auto [node, kind] = parted(key);
      if (!stays_below(node)) fail(shown(node) + " is outside of the store");
      if (kind == ".zattrs" && arrays_.contains(node)) {
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
    if (array.shape.size() != array.dims.size())
      fail(fmt::format("{}: {} and {} dimensions do not go together", shown(name), array.shape.size(),
                       array.dims.size()));
}

void ZarrReader::add_array(const std::string& node, const std::string& text) {
  const auto json = ordered_json::parse(text);
  if (!json.at("compressor").is_null() || json.at("order") != "C")
    fail(node + " is compressed, or in another order than ours: darboux reads stores that it wrote");
  auto array = described(json);
  if (!array) fail(fmt::format("{}: type, shape and chunks describe no array of numbers or texts", shown(node)));
  names_.push_back(node);
  arrays_[node] = *std::move(array);
}

const std::string& ZarrReader::attributes(const std::string& group) const {
  const auto found = attributes_.find(group);
  if (found == attributes_.end()) fail(fmt::format("there is no group {}", shown(group)));
  return found->second;
}

const ZarrArray& ZarrReader::array(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail(fmt::format("there is no array {}", name));
  return found->second;
}

std::filesystem::path ZarrReader::chunk_file(const std::string& name, std::span<const std::int64_t> place) const {
  return root_ / name / (place.empty() ? "0" : fmt::format("{}", fmt::join(place, ".")));
}

std::uint64_t ZarrReader::chunk_bytes(const ZarrArray& array) const {
  return static_cast<std::uint64_t>(product(array.chunk).value()) *
         static_cast<std::uint64_t>(size_of(array.type).value());
}

std::string ZarrReader::chunk(const std::string& name, std::span<const std::int64_t> place) const {
  std::string bytes = read_text(chunk_file(name, place));
  if (const std::uint64_t expected = chunk_bytes(array(name)); bytes.size() != expected)
    fail(fmt::format("chunk {} of {} has {} bytes, must have {}", fmt::join(place, "."), name, bytes.size(), expected));
  return bytes;
}

namespace {

/// Goes through the chunks of a box of an array, from the entry `first` to before `end`.
template <class Visit>
void for_each_chunk(const ZarrArray& array, const std::vector<std::int64_t>& first,
                    const std::vector<std::int64_t>& end, const Visit& visit) {
  const std::size_t rank = array.shape.size();
  std::vector<std::int64_t> chunk_first(rank), chunk_end(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (first[i] >= end[i]) return;
    chunk_first[i] = first[i] / array.chunk[i];
    chunk_end[i] = (end[i] - 1) / array.chunk[i] + 1;
  }
  std::vector<std::int64_t> place = chunk_first;
  do {
    visit(place);
  } while (advance(place, chunk_first, chunk_end));
}

/// Copies entries from chunks to where they belong in such a box.
template <class Chunk, class Take>
void gather(const ZarrArray& array, const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& end,
            const Chunk& chunk_at, const Take& take) {
  const std::size_t rank = array.shape.size();
  for_each_chunk(array, first, end, [&](const std::vector<std::int64_t>& at_chunk) {
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
  });
}

}  // namespace

void ZarrReader::require_chunks(const std::string& name, const std::vector<std::int64_t>& first,
                                const std::vector<std::int64_t>& end) const {
  const ZarrArray& described = array(name);
  for_each_chunk(described, first, end, [&](const std::vector<std::int64_t>& place) {
    std::error_code error;
    const std::uint64_t found = std::filesystem::file_size(chunk_file(name, place), error);
    if (error || found != chunk_bytes(described)) (void)chunk(name, place);  // which says what is wrong
  });
}

std::vector<double> ZarrReader::box(const std::string& name, const std::vector<std::int64_t>& first,
                                    const std::vector<std::int64_t>& end) const {
  const ZarrArray& described = array(name);
  const std::size_t size = entry_size(described.type);
  std::int64_t entries = 1;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] < 0 || first[i] > end[i] || end[i] > described.shape[i])
      fail(
          fmt::format("{}: there are no entries {} to {} among {}", shown(name), first[i], end[i], described.shape[i]));
    entries *= end[i] - first[i];
  }
  require_chunks(name, first, end);
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

std::vector<std::int64_t> ZarrReader::shape(const std::string& name, std::size_t least) const {
  std::vector<std::int64_t> sizes = array(name).shape;
  if (sizes.size() < least)
    fail(fmt::format("{} has {} dimensions: must have at least {}", shown(name), sizes.size(), least));
  return sizes;
}

std::vector<double> ZarrReader::slice(const std::string& name, std::int64_t index) const {
  return rows(name, index, index + 1);
}

std::vector<double> ZarrReader::rows(const std::string& name, std::int64_t begin, std::int64_t end) const {
  std::vector<std::int64_t> last = shape(name, 1), first(last.size(), 0);
  first[0] = begin;
  last[0] = end;
  return box(name, first, last);
}

std::vector<double> ZarrReader::slice(const std::string& name, std::int64_t index, std::int64_t begin,
                                      std::int64_t end) const {
  std::vector<std::int64_t> last = shape(name, 2), first(last.size(), 0);
  first[0] = index;
  last[0] = index + 1;
  first[1] = begin;
  last[1] = end;
  return box(name, first, last);
}

std::vector<std::string> ZarrReader::texts(const std::string& name) const {
  const ZarrArray& described = array(name);
  if (!described.type.starts_with("<U")) fail(shown(name) + " is no array of texts");
  const auto size = static_cast<std::size_t>(size_of(described.type).value());
  const std::vector<std::int64_t> first(described.shape.size(), 0);
  require_chunks(name, first, described.shape);
  std::vector<std::string> out(static_cast<std::size_t>(product(described.shape).value()));
  gather(
      described, first, described.shape, [&](std::span<const std::int64_t> place) { return chunk(name, place); },
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
    if (!dimension.labels.empty() && std::ssize(dimension.labels) != dimension.size)
      fail(fmt::format("{} has {} labels: must have {}", shown(coordinate), dimension.labels.size(), dimension.size));
    dims.push_back(std::move(dimension));
  }
  return dims;
}

}  // namespace darboux
