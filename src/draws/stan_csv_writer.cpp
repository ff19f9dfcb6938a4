#include "draws/stan_csv_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "darboux/core/error.hpp"
#include "draws/line_file.hpp"
#include "draws/stan_csv_text.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

/// A number in the header that may turn out to be smaller.
struct HeaderNumber {
  std::int64_t value;
  std::int64_t offset;  // in the file
};

HeaderNumber find_number(std::string_view text, std::string_view key, std::int64_t value) {
  return {.value = value, .offset = static_cast<std::int64_t>(text.find(key) + key.size())};
}

std::int64_t rows_of(std::int64_t iterations, std::int64_t thin) { return (iterations + thin - 1) / thin; }

constexpr FlushPolicy never{.interval = std::chrono::hours(24 * 365), .rows = 0};

}  // namespace

/// The files, and how far the run is.
class StanCsvWriter::State {
 public:
  State(const StanCsvFiles& files, const StanCsvHeader& header, const std::vector<std::string>& names,
        const FlushPolicy& policy, const std::optional<StanCsvMark>& mark)
      : metric_(header.metric), columns_(names.size()), thin_(header.thin), save_warmup_(header.save_warmup) {
    validate(header);
    const std::vector<std::string> columns = stan_column_names(names);
    const std::string text = header_text(header, files.draws.filename().string());
    num_samples_ = find_number(text, " num_samples = ", header.sampling_iterations);
    num_warmup_ = find_number(text, " num_warmup = ", header.warmup_iterations);
    const auto open = [&](const std::filesystem::path& file, const std::string& head, const FlushPolicy& how,
                          FileMark StanCsvMark::* place) {
      return mark ? std::make_unique<LineFile>(file, head, how, (*mark).*place)
                  : std::make_unique<LineFile>(file, head, how);
    };
    draws_ =
        open(files.draws,
             fmt::format("{}{}{}{}\n", text, standard_columns, columns.empty() ? "" : ",", fmt::join(columns, ",")),
             policy, &StanCsvMark::draws);
    if (!files.statistics.empty())
      statistics_ = open(files.statistics, fmt::format("{}{}\n", statistics_header_text(header), statistics_columns),
                         never, &StanCsvMark::statistics);
    if (mark) {
      phase_ = mark->phase;
      warmup_rows_ = mark->warmup_rows;
      sampling_rows_ = mark->sampling_rows;
    }
    flush();
  }

  void draw(std::span<const double> values, const Transition& transition) {
    require_room(values);
    std::string& line = draws_->pending();
    append_standard(line, transition);
    for (const double x : values) {
      line += ',';
      append_number(line, x);
    }
    line += '\n';
    if (statistics_) {
      append_statistics(statistics_->pending(), transition);
      statistics_->pending() += '\n';
    }
    ++(phase_ == Phase::warmup ? warmup_rows_ : sampling_rows_);
    if (draws_->end_line() && statistics_) statistics_->flush();
  }

  void end_warmup(const Adaptation& adaptation) {
    const std::size_t numbers = adaptation.inverse_metric.size();
    if (adaptation.metric != metric_ || (numbers == 0) != (metric_ == MetricShape::unit))
      misused(fmt::format("its header announced the metric {}, not {} with {} numbers", name(metric_),
                          name(adaptation.metric), numbers));
    if (phase_ == Phase::sampling) misused("warm-up has ended before");
    phase_ = Phase::sampling;
    draws_->pending() += adaptation_text(adaptation);
    if (statistics_) statistics_->pending() += "# Adaptation terminated\n";
    flush();
  }

  void flush() {
    draws_->flush();
    if (statistics_) statistics_->flush();
  }

  void finish(const ElapsedSeconds& elapsed) {
    draws_->pending() += elapsed_text(elapsed);
    correct(num_samples_, sampling_rows_);
    if (save_warmup_) correct(num_warmup_, warmup_rows_);
    draws_->close();
    if (statistics_) statistics_->close();
  }

  [[nodiscard]] StanCsvMark mark() const {
    return {.phase = phase_,
            .warmup_rows = warmup_rows_,
            .sampling_rows = sampling_rows_,
            .draws = draws_->mark(),
            .statistics = statistics_ ? statistics_->mark() : FileMark()};
  }
  [[nodiscard]] std::int64_t warmup_rows() const noexcept { return warmup_rows_; }
  [[nodiscard]] std::int64_t sampling_rows() const noexcept { return sampling_rows_; }

 private:
  [[noreturn]] void misused(std::string_view why) const {
    throw Error(fmt::format("cannot write {}: {}", draws_->path().string(), why));
  }

  void require_room(std::span<const double> values) const {
    if (values.size() != columns_)
      misused(fmt::format("a draw has {} values, but there are {} columns for them", values.size(), columns_));
    const bool warming_up = phase_ == Phase::warmup;
    if (warming_up && !save_warmup_) misused("its header announced that warm-up is not saved");
    if ((warming_up ? warmup_rows_ : sampling_rows_) >= rows_of((warming_up ? num_warmup_ : num_samples_).value, thin_))
      misused(fmt::format("all {} rows that its header announced are there", name(phase_)));
  }

  /// The number of iterations that explains the rows that are there. It is at most the announced one, so it fits.
  void correct(const HeaderNumber& announced, std::int64_t rows) {
    if (rows == rows_of(announced.value, thin_)) return;
    const std::size_t width = fmt::formatted_size("{}", announced.value);
    draws_->overwrite(announced.offset, fmt::format("{:<{}}", rows * thin_, width));
  }

  MetricShape metric_;
  std::size_t columns_;
  std::int64_t thin_;
  bool save_warmup_;
  HeaderNumber num_samples_{}, num_warmup_{};
  std::unique_ptr<LineFile> draws_, statistics_;  // the second may be none
  Phase phase_ = Phase::warmup;
  std::int64_t warmup_rows_ = 0, sampling_rows_ = 0;
};

StanCsvWriter::StanCsvWriter(const StanCsvFiles& files, const StanCsvHeader& header,
                             const std::vector<std::string>& names, const FlushPolicy& policy)
    : state_(std::make_unique<State>(files, header, names, policy, std::nullopt)) {}
StanCsvWriter::StanCsvWriter(const StanCsvFiles& files, const StanCsvHeader& header,
                             const std::vector<std::string>& names, const StanCsvMark& mark, const FlushPolicy& policy)
    : state_(std::make_unique<State>(files, header, names, policy, mark)) {}
StanCsvWriter::~StanCsvWriter() = default;

void StanCsvWriter::draw(std::span<const double> values, const Transition& transition) {
  state_->draw(values, transition);
}
void StanCsvWriter::end_warmup(const Adaptation& adaptation) { state_->end_warmup(adaptation); }
void StanCsvWriter::flush() { state_->flush(); }
void StanCsvWriter::finish(const ElapsedSeconds& elapsed) { state_->finish(elapsed); }
StanCsvMark StanCsvWriter::mark() const { return state_->mark(); }
std::int64_t StanCsvWriter::warmup_rows() const noexcept { return state_->warmup_rows(); }
std::int64_t StanCsvWriter::sampling_rows() const noexcept { return state_->sampling_rows(); }

}  // namespace darboux
