#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draws/zarr_store.hpp"

namespace darboux {

/// Reads stores that ZarrStore wrote, also while another process writes: it sees what was published when it was made. Errors are
/// InputErrors that name the file.
class ZarrReader {
 public:
  explicit ZarrReader(std::filesystem::path root);

  [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }
  /// Paths of all arrays, in the order in which they were added.
  [[nodiscard]] const std::vector<std::string>& arrays() const noexcept { return names_; }
  [[nodiscard]] bool has(const std::string& array) const { return arrays_.contains(array); }
  [[nodiscard]] const ZarrArray& array(const std::string& name) const;
  /// The names of groups below the root.
  [[nodiscard]] const std::vector<std::string>& groups() const noexcept { return groups_; }
  /// Of a group: a JSON object.
  [[nodiscard]] const std::string& attributes(const std::string& group) const;

  /// A chunk, whole.
  [[nodiscard]] std::string chunk(const std::string& array, std::span<const std::int64_t> place) const;
  /// A whole array of numbers, the last index moving fastest.
  [[nodiscard]] std::vector<double> numbers(const std::string& array) const;
  /// What belongs to one value of the first index: of an array of draws, those of a chain.
  [[nodiscard]] std::vector<double> slice(const std::string& array, std::int64_t first) const;
  /// What belongs to a range of the first index.
  [[nodiscard]] std::vector<double> rows(const std::string& array, std::int64_t begin, std::int64_t end) const;
  /// Of these, what belongs to a range of the second index: a stretch of draws.
  [[nodiscard]] std::vector<double> slice(const std::string& array, std::int64_t first, std::int64_t begin,
                                          std::int64_t end) const;
  /// A whole array of texts.
  [[nodiscard]] std::vector<std::string> texts(const std::string& array) const;
  /// The dimensions of an array, with the coordinates of its group, from the axis `first` on.
  [[nodiscard]] std::vector<Dimension> dimensions(const std::string& array, std::size_t first = 0) const;

 private:
  [[noreturn]] void fail(std::string_view why) const;
  void add_array(const std::string& node, const std::string& description);
  /// Of an array of so many dimensions at least.
  [[nodiscard]] std::vector<std::int64_t> shape(const std::string& array, std::size_t least) const;
  [[nodiscard]] std::filesystem::path chunk_file(const std::string& array, std::span<const std::int64_t> place) const;
  [[nodiscard]] std::uint64_t chunk_bytes(const ZarrArray& array) const;
  /// Before there is room for them in memory: all chunks of a box are there, and as large as described.
  void require_chunks(const std::string& array, const std::vector<std::int64_t>& first,
                      const std::vector<std::int64_t>& end) const;
  /// Entries from the index `first` to before `end`.
  [[nodiscard]] std::vector<double> box(const std::string& array, const std::vector<std::int64_t>& first,
                                        const std::vector<std::int64_t>& end) const;

  std::filesystem::path root_;
  std::vector<std::string> names_, groups_;
  std::map<std::string, ZarrArray> arrays_;
  std::map<std::string, std::string> attributes_;
};

}  // namespace darboux
