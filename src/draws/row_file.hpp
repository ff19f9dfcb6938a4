#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "draws/line_file.hpp"

namespace darboux {

/// Rows of numbers between commas, written one by one to a file that appears when it is whole, or not at all. Numbers have as many
/// digits as it takes to read back the same double. Failures throw Error with the file and the reason.
class RowFile {
 public:
  /// The temporary file is on the file system of the target. `head` is what precedes the rows, in lines.
  RowFile(std::filesystem::path temporary, std::filesystem::path target, std::string head);
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;
  ~RowFile();

  void add(std::span<const double> row);
  /// Lets the file appear, in place of one of that name.
  void finish();

 private:
  std::filesystem::path temporary_, target_;
  std::optional<LineFile> lines_;
};

}  // namespace darboux
