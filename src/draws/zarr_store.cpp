#include "draws/zarr_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "darboux/core/error.hpp"
#include "io/file.hpp"

namespace darboux {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "types of entries say so");

namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string array_text(const ZarrArray& array) {
  return text_of({{"zarr_format", 2},
                  {"shape", array.shape},
                  {"chunks", array.chunk},
                  {"dtype", array.type},
                  {"compressor", nullptr},
                  {"fill_value", nullptr},  // a number would be taken for a missing value
                  {"order", "C"},
                  {"filters", nullptr}});
}

/// Unicode characters of a text; bytes that are no UTF-8 become U+FFFD.
std::u32string characters_of(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    char32_t character = length == 1 ? lead : lead & (0x7FU >> length);
    bool is_good = length > 0 && length <= text.size();
    for (std::size_t i = 1; is_good && i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[i]);
      is_good = (next & 0xC0U) == 0x80U;
      character = (character << 6U) | (next & 0x3FU);
    }
    out += is_good ? character : U'\uFFFD';
    text.remove_prefix(is_good ? length : 1);
  }
  return out;
}

std::string bytes_of_numbers(std::span<const double> values, std::string_view type) {
  const std::size_t size = entry_size(type);
  std::string bytes(values.size() * size, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) encode(values[i], type, bytes.data() + i * size);
  return bytes;
}

std::string name_in(const std::string& group, std::string_view name) {
  return group.empty() ? std::string(name) : fmt::format("{}/{}", group, name);
}

}  // namespace

std::size_t entry_size(std::string_view type) {
  for (const std::string_view known : {zarr_type::real, zarr_type::integer, zarr_type::truth})
    if (type == known) return static_cast<std::size_t>(type.back() - '0');
  throw Error(fmt::format("Zarr: entries of type {} are not numbers that we read or write", type));
}

void encode(double value, std::string_view type, char* to) {
  if (type == zarr_type::real) {
    std::memcpy(to, &value, sizeof value);
  } else if (type == zarr_type::integer) {
    const auto whole = static_cast<std::int64_t>(value);
    std::memcpy(to, &whole, sizeof whole);
  } else {
    *to = value != 0.0 ? '\1' : '\0';
  }
}

double decode(const char* from, std::string_view type) {
  if (type == zarr_type::real) {
    double value = 0.0;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  if (type != zarr_type::integer) return *from != '\0' ? 1.0 : 0.0;
  std::int64_t whole = 0;
  std::memcpy(&whole, from, sizeof whole);
  return static_cast<double>(whole);
}

ZarrStore::ZarrStore(fs::path root) : root_(std::move(root)) {}

void ZarrStore::set(const std::string& file, std::string text) {
  const auto [entry, is_new] = places_.emplace(file, metadata_.size());
  if (is_new)
    metadata_.emplace_back(file, std::move(text));
  else if (std::string& old = metadata_[entry->second].second; old != text)
    old = std::move(text);
  else
    return;
  changed_.push_back(file);
}

void ZarrStore::add_group(const std::string& group, std::string attributes) {
  fs::create_directories(root_ / group);
  set(name_in(group, ".zgroup"), text_of({{"zarr_format", 2}}));
  set(name_in(group, ".zattrs"), std::move(attributes));
}

void ZarrStore::add_array(const std::string& array, const ZarrArray& description) {
  if (!places_.contains(array + "/.zarray")) fs::create_directories(root_ / array);
  set(array + "/.zarray", array_text(description));
  set(array + "/.zattrs", text_of({{"_ARRAY_DIMENSIONS", description.dims}}));
}

void ZarrStore::add_whole(const std::string& array, ZarrArray description, std::string_view bytes) {
  description.chunk = description.shape;
  for (std::int64_t& size : description.chunk) size = std::max<std::int64_t>(size, 1);
  add_array(array, description);
  if (!bytes.empty()) write_chunk(array, std::vector<std::int64_t>(description.shape.size(), 0), bytes);
}

void ZarrStore::add_coordinate(const std::string& group, const Dimension& dimension) {
  const std::string array = name_in(group, dimension.name);
  ZarrArray description{.type = std::string(zarr_type::integer), .shape = {dimension.size}, .dims = {dimension.name}};
  if (dimension.labels.empty()) {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < dimension.size; ++i) numbers.push_back(static_cast<double>(i));
    return add_whole(array, description, bytes_of_numbers(numbers, description.type));
  }
  std::vector<std::u32string> labels;
  std::size_t longest = 1;
  for (const std::string& label : dimension.labels)
    longest = std::max(longest, labels.emplace_back(characters_of(label)).size());
  std::string bytes;
  for (std::u32string& label : labels) {
    label.resize(longest);
    bytes.append(reinterpret_cast<const char*>(label.data()), longest * sizeof(char32_t));
  }
  description.type = fmt::format("<U{}", longest);
  add_whole(array, description, bytes);
}

void ZarrStore::add_data(const std::string& group, const std::string& name, std::span<const Dimension> dims,
                         std::span<const double> values, std::string_view type) {
  ZarrArray description{.type = std::string(type)};
  for (const Dimension& dimension : dims) {
    description.shape.push_back(dimension.size);
    description.dims.push_back(dimension.name);
    if (!places_.contains(name_in(group, dimension.name) + "/.zarray")) add_coordinate(group, dimension);
  }
  add_whole(name_in(group, name), description, bytes_of_numbers(values, type));
}

fs::path ZarrStore::chunk_file(const std::string& array, std::span<const std::int64_t> place) const {
  return root_ / array / (place.empty() ? "0" : fmt::format("{}", fmt::join(place, ".")));
}

void ZarrStore::write_chunk(const std::string& array, std::span<const std::int64_t> place,
                            std::string_view bytes) const {
  replace_file(chunk_file(array, place), bytes, root_.parent_path());
}

void ZarrStore::publish() {
  if (changed_.empty()) return;
  for (const std::string& file : changed_)
    replace_file(root_ / file, metadata_[places_.at(file)].second, root_.parent_path());
  changed_.clear();
  std::string all = R"({"zarr_consolidated_format":1,"metadata":{)";
  for (const auto& [file, text] : metadata_) {
    if (all.back() != '{') all += ',';
    all += fmt::format("{}:{}", text_of(file), text);
  }
  replace_file(root_ / zarr_metadata, all + "}}", root_.parent_path());
}

}  // namespace darboux
