#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive.hpp"
#include "darboux/sample/draw.hpp"
#include "draws/flush_policy.hpp"
#include "draws/line_file.hpp"

namespace darboux {

/// The shape of the matrix that the momenta are scaled with, named as in Stan's files.
enum class MetricShape { unit, diagonal, dense };
template <>
inline constexpr auto names_of<MetricShape> = std::to_array<Named<MetricShape>>(
    {{MetricShape::unit, "unit_e"}, {MetricShape::diagonal, "diag_e"}, {MetricShape::dense, "dense_e"}});

// Each {} lets designated initialisers leave the member out without a warning.
// NOLINTBEGIN(readability-redundant-member-init)

/// What the comment lines at the top of a Stan CSV file say. Readers use these numbers to count rows: one of `thin`
/// iterations becomes a row, the first of each, so n iterations give ⌈n / thin⌉ rows.
struct StanCsvHeader {
  std::string model = "model";
  std::uint64_t seed = 0;
  int chain = 1;  ///< counted from 1
  std::int64_t warmup_iterations = 1000;
  std::int64_t sampling_iterations = 1000;
  std::int64_t thin = 1;
  bool save_warmup = false;
  bool adapts = true;
  double target_acceptance = 0.8;
  int max_tree_depth = 10;  ///< a draw that reaches it counts as cut short; draws with tree depth 0 never do
  MetricShape metric = MetricShape::unit;
  double first_step_size = 1.0;
  std::string data_file{};
  std::string started{};  ///< "2030-01-31 12:00:00 UTC"; the present time if empty
  /// Anything else worth knowing, as lines "# darboux_KEY = VALUE". Characters of a key other than letters, digits and _
  /// become _, control characters of a value become spaces. A key may not end in "metric": CmdStanPy looks for that.
  std::vector<std::pair<std::string, std::string>> notes{};
};

/// What warm-up settled on, as Stan's files say it.
struct Adaptation {
  double step_size = 0.0;
  MetricShape metric = MetricShape::unit;
  std::vector<double> inverse_metric{};  ///< n numbers if diagonal, n² by rows if dense, none if unit
};

struct ElapsedSeconds {
  double warmup = 0.0;
  double sampling = 0.0;
};

/// Where a chain's rows go.
struct StanCsvFiles {
  std::filesystem::path draws{};
  /// Also what readers of Stan CSV do not expect, row by row: energy_error__, solver_iterations__, gradients__,
  /// direction__, accepted__, status__ (a number, see its first lines). None if empty. In a folder of its own, because
  /// some readers take every .csv of a folder for a chain.
  std::filesystem::path statistics{};
};

// NOLINTEND(readability-redundant-member-init)

/// How far a chain's files had got.
struct StanCsvMark {
  Phase phase = Phase::warmup;
  std::int64_t warmup_rows = 0, sampling_rows = 0;
  FileMark draws, statistics;

  template <class Archive>
  void archive(Archive& fields) {
    fields(phase, warmup_rows, sampling_rows, draws, statistics);
    constexpr std::int64_t most = 1'000'000'000;
    const auto is_count = [](std::int64_t rows) { return rows >= 0 && rows <= most; };
    require_sense(is_count(warmup_rows) && is_count(sampling_rows), "it is of less than no rows, or of too many");
  }
  friend bool operator==(const StanCsvMark&, const StanCsvMark&) = default;
};

/// Streams one chain to a file that rstan, CmdStanPy, cmdstanr, ArviZ and stansummary read.
///
/// Numbers have as many digits as it takes to read back the same double. Rows reach the system whole: a killed process
/// leaves a readable prefix, with at most part of a last line, which StanCsvReader drops. Where finish() finds fewer
/// rows than were announced, because the run was interrupted, it corrects num_samples (and num_warmup, if those were saved)
/// in place, as readers insist on them.
///
/// Throws Error, with the file and the reason, when writing fails; what was written before stays readable.
class StanCsvWriter {
 public:
  /// Creates the files and writes the header. `names` are the model's; see column_names.hpp for their spelling. Throws
  /// InputError, before anything is created, for names or numbers that no reader could live with.
  StanCsvWriter(const StanCsvFiles& files, const StanCsvHeader& header, const std::vector<std::string>& names,
                const FlushPolicy& policy = {});
  /// Goes on with files that were written before, where the mark says; what is after it goes. The header may announce more
  /// iterations than the earlier one. Throws Error where a file is not what it was at the mark.
  StanCsvWriter(const StanCsvFiles& files, const StanCsvHeader& header, const std::vector<std::string>& names,
                const StanCsvMark& mark, const FlushPolicy& policy = {});
  ~StanCsvWriter();

  /// The next draw that is kept; all are warm-up draws until that has ended.
  void draw(std::span<const double> values, const Transition& transition);
  void end_warmup(const Adaptation& adaptation);
  /// Makes what was given so far visible to other processes.
  void flush();
  /// Also after an interrupt, which may come at any point.
  void finish(const ElapsedSeconds& elapsed);
  /// Where it is now.
  [[nodiscard]] StanCsvMark mark() const;

  [[nodiscard]] std::int64_t warmup_rows() const noexcept;
  [[nodiscard]] std::int64_t sampling_rows() const noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace darboux
