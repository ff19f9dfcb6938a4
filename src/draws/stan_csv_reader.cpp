#include "draws/stan_csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "draws/line_reader.hpp"
#include "draws/stan_csv_parsing.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

/// The cells of a line, one after another.
class Cells {
 public:
  explicit Cells(std::string_view line) noexcept : rest_(line) {}

  [[nodiscard]] bool done() const noexcept { return done_; }
  std::string_view next() noexcept {
    const auto comma = rest_.find(',');
    const std::string_view cell = rest_.substr(0, comma);
    done_ = comma == std::string_view::npos;
    if (!done_) rest_.remove_prefix(comma + 1);
    return cell;
  }

 private:
  std::string_view rest_;
  bool done_ = false;
};

std::string_view without_quotes(std::string_view cell) {
  cell = trimmed(cell);
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

void note_comment(std::string_view comment, StanCsvPass& pass, bool& adapted) {
  const std::string_view text = comment_text(comment);
  if (text.starts_with("Adaptation terminated")) adapted = true;
  if (constexpr std::string_view key = "Step size ="; text.starts_with(key))
    pass.step_size = number_in(text.substr(key.size()));
  if (const auto seconds = seconds_in(text, "(Warm-up)")) pass.warmup_seconds = seconds;
  if (const auto seconds = seconds_in(text, "(Sampling)")) pass.sampling_seconds = seconds;
}

}  // namespace

void StanCsvReader::fail(std::string_view why) const { throw InputError(fmt::format("{}: {}", path_.string(), why)); }
void StanCsvReader::fail(std::int64_t line, std::string_view why) const {
  throw InputError(fmt::format("{} line {}: {}", path_.string(), line, why));
}

StanCsvReader::StanCsvReader(std::filesystem::path file) : path_(std::move(file)) {
  LineReader lines(path_);
  while (const auto line = lines.next()) {
    if (line->starts_with('#')) {
      if (auto setting = setting_in(*line)) settings_.push_back(std::move(*setting));
    } else if (!trimmed(*line).empty()) {
      if (!lines.line_is_complete()) fail(lines.line_number(), "the file ends in its line of column names");
      read_column_names(*line, lines.line_number());
      understand_settings();
      return;
    }
  }
  fail(lines.line_number() == 0 ? "the file is empty; a line of column names is expected"
                                : "there is no line of column names, only comments");
}

void StanCsvReader::read_column_names(std::string_view line, std::int64_t line_number) {
  std::set<std::string_view> seen;
  bool any_name = false;
  for (Cells cells(line); !cells.done();) {
    const std::string_view column = without_quotes(cells.next());
    if (column.empty()) fail(line_number, fmt::format("column {} has no name", columns_.size() + 1));
    if (!seen.insert(column).second) fail(line_number, fmt::format("two columns are called {}", shown(column)));
    any_name = any_name || !number_in(column);
    columns_.emplace_back(column);
  }
  if (!any_name) fail(line_number, fmt::format("column names are expected here, not numbers like {}", columns_[0]));
}

std::optional<std::int64_t> StanCsvReader::whole_number(std::string_view key) const {
  const auto text = setting(key);
  if (!text) return std::nullopt;
  const auto number = whole_number_in(*text);
  if (!number || *number < 0) fail(fmt::format("{} = {}: a whole number is expected", key, shown(*text)));
  return number;
}

void StanCsvReader::understand_settings() {
  const std::string save = setting("save_warmup").value_or("0");
  saves_warmup_ = save == "1" || save == "true";
  if (!saves_warmup_ && save != "0" && save != "false")
    fail(fmt::format("save_warmup = {}: expected 0, 1, false or true", shown(save)));
  const std::int64_t thin = std::max<std::int64_t>(1, whole_number("thin").value_or(1));
  if (const auto iterations = whole_number("num_warmup"))
    announced_warmup_rows_ = *iterations / thin + (*iterations % thin == 0 ? 0 : 1);
}

std::optional<std::string> StanCsvReader::setting(std::string_view key) const {
  const auto found = std::find_if(settings_.begin(), settings_.end(), [&](const auto& s) { return s.first == key; });
  return found == settings_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> StanCsvReader::find_column(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == name || display_name(columns_[i]) == name) return i;
  return std::nullopt;
}

StanCsvPass StanCsvReader::for_each_row(std::span<const std::size_t> columns, const RowVisitor& visit) const {
  if (pass_) return pass_(columns, visit);
  constexpr std::size_t unwanted = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(columns_.size(), unwanted);
  std::size_t parsed_columns = 0;  // none is wanted from here on
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] >= columns_.size())
      fail(fmt::format("column {} is asked for, but there are {}", columns[i], columns_.size()));
    if (place[columns[i]] != unwanted) fail(fmt::format("column {} is asked for twice", columns_[columns[i]]));
    place[columns[i]] = i;
    parsed_columns = std::max(parsed_columns, columns[i] + 1);
  }
  std::vector<double> values(columns.size());

  const auto parse_row = [&](std::string_view line, std::int64_t line_number) {
    const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (count != columns_.size())
      fail(line_number, fmt::format("{}, but there are {} columns",
                                    counted(static_cast<std::int64_t>(count), "value", "values"), columns_.size()));
    Cells cells(line);
    for (std::size_t j = 0; j < parsed_columns; ++j) {
      const std::string_view cell = cells.next();
      if (place[j] == unwanted) continue;
      const auto number = number_in(cell);
      if (!number) fail(line_number, fmt::format("column {}: {} is not a number", columns_[j], shown(cell)));
      values[place[j]] = *number;
    }
  };

  StanCsvPass pass;
  bool header_seen = false, adapted = false;
  LineReader lines(path_);
  while (const auto line = lines.next()) {
    if (line->starts_with('#')) {
      if (header_seen) note_comment(*line, pass, adapted);
    } else if (trimmed(*line).empty() || !header_seen) {
      header_seen = header_seen || !trimmed(*line).empty();
    } else if (!lines.line_is_complete()) {
      pass.incomplete_line = lines.line_number();
    } else {
      parse_row(*line, lines.line_number());
      const bool early = !adapted && pass.warmup_rows < announced_warmup_rows_.value_or(pass.warmup_rows + 1);
      const Phase phase = saves_warmup_ && early ? Phase::warmup : Phase::sampling;
      ++(phase == Phase::warmup ? pass.warmup_rows : pass.sampling_rows);
      visit(values, phase);
    }
  }
  return pass;
}

StanCsvPass StanCsvReader::count_rows() const {
  return for_each_row({}, [](std::span<const double>, Phase) {});
}

void require_draws(const StanCsvReader& file, const StanCsvPass& pass) {
  if (pass.sampling_rows > 0) return;
  const std::string found = pass.warmup_rows == 0 ? "" : fmt::format(", only {} of warm-up", pass.warmup_rows);
  throw InputError(fmt::format("{}: there are no draws{}", file.path().string(), found));
}

}  // namespace darboux
