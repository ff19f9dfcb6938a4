#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace darboux {

/// An axis of an array, with what xarray calls its coordinate.
struct Dimension {
  std::string name;
  std::int64_t size = 0;
  std::vector<std::string> labels{};  ///< 0, 1, … if empty

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// What numpy calls the types of entries. All of ours fit into a double exactly.
namespace zarr_type {
inline constexpr std::string_view real = "<f8";
inline constexpr std::string_view integer = "<i8";
inline constexpr std::string_view truth = "|b1";
}  // namespace zarr_type

/// The consolidated metadata of a store, which readers look for first.
inline constexpr std::string_view zarr_metadata = ".zmetadata";

/// How large an array is, and how it is cut into chunks, which are whole files of raw numbers, the last index moving fastest.
struct ZarrArray {
  std::string type{zarr_type::real};
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> chunk{};  ///< the shape of one; those at an edge are filled up with zeros
  std::vector<std::string> dims{};    ///< names of axes, for xarray

  friend bool operator==(const ZarrArray&, const ZarrArray&) = default;
};

/// Bytes of an entry.
[[nodiscard]] std::size_t entry_size(std::string_view zarr_type);
/// An entry as it is in a chunk.
void encode(double value, std::string_view zarr_type, char* to);
[[nodiscard]] double decode(const char* from, std::string_view zarr_type);

/// Writes a Zarr store, version 2, that is valid at every moment: to readers meanwhile, and to those that come after the process
/// was killed. Every file appears whole, by renaming; metadata of arrays count when they are published, all at once, as one file
/// (.zmetadata, the consolidated metadata that readers look for first), which is replaced after the chunks that it speaks of are there.
///
/// Version 2 and no compression, because all readers know them without a word of warning, labels (which are texts) included, and
/// because digits of draws are random: they hardly get shorter.
class ZarrStore {
 public:
  /// Temporary files are in the folder above it. Nothing is written yet.
  explicit ZarrStore(std::filesystem::path root);

  [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }

  /// Groups are named by their path, "" is the root, which must be there; attributes are a JSON object.
  void add_group(const std::string& group, std::string attributes = "{}");
  /// An array is named by its path, "posterior/theta". An array that is there already is described anew.
  void add_array(const std::string& array, const ZarrArray& description);
  /// An array of one chunk, written at once.
  void add_whole(const std::string& array, ZarrArray description, std::string_view bytes);
  /// The coordinate of a dimension, in a group.
  void add_coordinate(const std::string& group, const Dimension& dimension);
  /// Numbers with dimensions, and their coordinates, in a group.
  void add_data(const std::string& group, const std::string& name, std::span<const Dimension> dims,
                std::span<const double> values, std::string_view type = zarr_type::real);

  /// A chunk of an array, with or without a place in its present shape. From several threads, for different chunks.
  void write_chunk(const std::string& array, std::span<const std::int64_t> place, std::string_view bytes) const;
  [[nodiscard]] std::filesystem::path chunk_file(const std::string& array, std::span<const std::int64_t> place) const;

  /// Lets readers see what was added and described since.
  void publish();

 private:
  void set(const std::string& file, std::string text);

  std::filesystem::path root_;
  std::vector<std::pair<std::string, std::string>> metadata_;  // files, in order, and their JSON
  std::map<std::string, std::size_t> places_;                  // of files in it
  std::vector<std::string> changed_;                           // files that are not written yet
};

}  // namespace darboux
