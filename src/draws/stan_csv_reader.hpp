#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "darboux/sample/draw.hpp"

namespace darboux {

/// What a pass over a Stan CSV file found.
struct StanCsvPass {
  std::int64_t warmup_rows = 0;
  std::int64_t sampling_rows = 0;
  /// The last line, where it lacks its end: the writer was stopped in it. It is left out, even if it looks complete, as
  /// its last number may not be.
  std::optional<std::int64_t> incomplete_line;
  std::optional<double> step_size;  ///< that adaptation settled on
  std::optional<double> warmup_seconds, sampling_seconds;
};

/// Reads Stan CSV: our files and those of all versions of CmdStan, gzipped or not. Files may be larger than memory: draws
/// are visited row by row, and only the columns that are asked for become numbers.
///
/// A row is a warm-up draw if the file says that those are saved (save_warmup = 1 or true), it comes before the lines on
/// adaptation, and it is among the first ⌈num_warmup / thin⌉; each of the last two is left out where the file lacks it.
///
/// Errors are InputErrors that name the file, the line, the value and the rule.
class StanCsvReader {
 public:
  /// Values in the order in which columns were asked for; valid during the call only.
  using RowVisitor = std::function<void(std::span<const double> values, Phase phase)>;

  /// Reads as far as the line of column names.
  explicit StanCsvReader(std::filesystem::path file);

  /// A pass over rows that are kept elsewhere.
  using Pass = std::function<StanCsvPass(std::span<const std::size_t> columns, const RowVisitor& visit)>;
  /// The same view of such rows, with their columns and settings.
  StanCsvReader(std::filesystem::path place, std::vector<std::string> columns,
                std::vector<std::pair<std::string, std::string>> settings, Pass pass)
      : path_(std::move(place)), columns_(std::move(columns)), settings_(std::move(settings)), pass_(std::move(pass)) {}

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// As they are in the file, e.g. a.1.2.
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }
  /// The place of a column, spelt a.1.2 or a[1,2].
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;

  /// The lines "# key = value" before the column names, in order, without "(Default)".
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& settings() const noexcept { return settings_; }
  /// The first of that name.
  [[nodiscard]] std::optional<std::string> setting(std::string_view key) const;

  /// Reads the whole file and visits each row. Rows must have as many values as there are columns; values in columns that
  /// are not asked for may be anything.
  [[nodiscard]] StanCsvPass for_each_row(std::span<const std::size_t> columns, const RowVisitor& visit) const;
  /// A pass that only counts.
  [[nodiscard]] StanCsvPass count_rows() const;

 private:
  [[noreturn]] void fail(std::string_view why) const;
  [[noreturn]] void fail(std::int64_t line, std::string_view why) const;
  void read_column_names(std::string_view line, std::int64_t line_number);
  void understand_settings();
  [[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view key) const;

  std::filesystem::path path_;
  std::vector<std::string> columns_;
  std::vector<std::pair<std::string, std::string>> settings_;
  Pass pass_;  // none where they are in the file
  bool saves_warmup_ = false;
  std::optional<std::int64_t> announced_warmup_rows_;
};

/// Throws InputError if a pass over the file found no draws after warm-up.
void require_draws(const StanCsvReader& file, const StanCsvPass& pass);

}  // namespace darboux
