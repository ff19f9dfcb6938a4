#include "run/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/field_table.hpp"
#include "darboux/core/error.hpp"
#include "draws/column_passes.hpp"
#include "draws/stan_csv_parsing.hpp"
#include "draws/stan_csv_sink.hpp"
#include "draws/zarr_sink.hpp"

namespace darboux {

namespace {

constexpr std::int64_t most_iterations = 1'000'000'000;  // as of settings

/// What a file's settings say, as far as a header has a place for it.
StanCsvHeader header_of(const StanCsvReader& file) {
  StanCsvHeader header;
  const auto text = [&](std::string_view key) { return file.setting(key).value_or(""); };
  const auto whole = [&](std::string_view key, auto& to) {
    using Integer = std::remove_reference_t<decltype(to)>;
    if (const auto number = whole_number_in(text(key)); number && *number >= 0 && std::in_range<Integer>(*number))
      to = static_cast<Integer>(*number);
  };
  const auto real = [&](std::string_view key, double& to) { to = number_in(text(key)).value_or(to); };
  const auto truth = [&](std::string_view key, bool& to) {
    if (const std::string value = text(key); !value.empty()) to = value == "1" || value == "true";
  };
  if (const std::string model = text("model"); !model.empty()) header.model = model;
  header.started = text("start_datetime");
  whole("num_samples", header.sampling_iterations);
  whole("num_warmup", header.warmup_iterations);
  truth("save_warmup", header.save_warmup);
  whole("thin", header.thin);
  header.thin = std::clamp<std::int64_t>(header.thin, 1, most_iterations);
  header.sampling_iterations = std::min<std::int64_t>(header.sampling_iterations, most_iterations);
  header.warmup_iterations = std::min<std::int64_t>(header.warmup_iterations, most_iterations);
  truth("engaged", header.adapts);
  real("delta", header.target_acceptance);
  whole("max_depth", header.max_tree_depth);
  if (const auto metric = find_name<MetricShape>(text("metric"))) header.metric = *metric;
  real("stepsize", header.first_step_size);
  whole("seed", header.seed);
  header.data_file = text("file");  // the first of two: of data
  constexpr std::string_view ours = "darboux_";
  for (const auto& [key, value] : file.settings())
    if (key.starts_with(ours) && key != "darboux_version") header.notes.emplace_back(key.substr(ours.size()), value);
  return header;
}

/// A number that must be whole, and within the range of its type.
template <class Integer>
Integer whole(std::string_view column, double x) {
  constexpr int bits = std::min(std::numeric_limits<Integer>::digits, std::numeric_limits<double>::digits);
  constexpr auto most = static_cast<double>((std::int64_t{1} << bits) - 1);
  if (!(std::abs(x) <= most)) throw InputError(fmt::format("column {} has {}: must be within ±{}", column, x, most));
  return static_cast<Integer>(x);
}

Status status_in(std::string_view column, double x) {
  for (const Status status : all_values<Status>())
    if (static_cast<double>(status) == x) return status;
  throw InputError(fmt::format("column {} has {}: must be the number of a status, from 0 to {}", column, x,
                               all_values<Status>().size() - 1));
}

/// What a row says about its transition; what it does not is left as it is.
void set(Transition& t, std::string_view column, double x) {
  if (column == "lp__") t.log_density = x;
  if (column == "accept_stat__") t.acceptance_probability = x;
  if (column == "stepsize__") t.step_size = x;
  if (column == "treedepth__") t.tree_depth = whole<int>(column, x);
  if (column == "n_leapfrog__") t.steps = whole<int>(column, x);
  if (column == "divergent__" && x != 0.0) t.status = Status::diverged;
  if (column == "energy__") t.energy = x;
  if (column == "energy_error__") t.energy_error = x;
  if (column == "solver_iterations__") t.solver_iterations = whole<std::int64_t>(column, x);
  if (column == "gradients__") t.gradients = whole<std::int64_t>(column, x);
  if (column == "direction__") t.direction = x;
  if (column == "accepted__") t.accepted = x != 0.0;
  if (column == "status__") t.status = status_in(column, x);
}

std::vector<std::size_t> all_columns(const StanCsvReader& file) {
  std::vector<std::size_t> columns(file.columns().size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return columns;
}

/// What else is known about the draws of a chain; empty where nothing is.
std::vector<Transition> read_statistics(const std::optional<StanCsvReader>& file) {
  std::vector<Transition> out;
  if (file)
    (void)file->for_each_row(all_columns(*file), [&](std::span<const double> row, Phase) {
      Transition& t = out.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) set(t, file->columns()[i], row[i]);
    });
  return out;
}

/// Hands the draws of a chain to a sink, as a run would.
template <class Visit>
StanCsvPass for_each_draw(const RunInput& run, std::size_t chain, const Visit& visit) {
  const StanCsvReader& file = run.draws[chain];
  const std::vector<Transition> statistics =
      read_statistics(chain < run.statistics.size() ? run.statistics[chain] : std::nullopt);
  std::size_t rows = 0;
  std::vector<double> values;
  return file.for_each_row(all_columns(file), [&](std::span<const double> row, Phase phase) {
    Transition t{.energy_error = std::numeric_limits<double>::quiet_NaN(), .direction = 1.0};
    if (rows < statistics.size()) t = statistics[rows];
    values.clear();
    for (std::size_t i = 0; i < row.size(); ++i)
      if (file.columns()[i].ends_with("__"))
        set(t, file.columns()[i], row[i]);
      else
        values.push_back(row[i]);
    ++rows;
    visit(values, t, phase);
  });
}

std::vector<std::string> quantities(const StanCsvReader& file) {
  std::vector<std::string> names;
  for (const std::string& column : file.columns())
    if (!column.ends_with("__")) names.push_back(column);
  return names;
}

}  // namespace

void convert_to_zarr(const RunInput& run, const std::filesystem::path& store) {
  require_same_columns(run.draws);
  const StanCsvHeader header = header_of(run.draws.front());
  const auto chains = std::ssize(run.draws);
  ZarrSink sink(store, {.header = header, .names = quantities(run.draws.front())}, chains);
  SampleResult result;
  for (std::size_t c = 0; c < run.draws.size(); ++c) {
    const StanCsvPass pass =
        for_each_draw(run, c, [&](std::span<const double> values, const Transition& t, Phase phase) {
          sink.draw({.values = values, .transition = t, .chain = static_cast<Index>(c), .phase = phase});
        });
    result.warmup_seconds = std::max(result.warmup_seconds, pass.warmup_seconds.value_or(0.0));
    result.sampling_seconds = std::max(result.sampling_seconds, pass.sampling_seconds.value_or(0.0));
    result.tuning.step_size = pass.step_size.value_or(0.0);
  }
  sink.finish(result);
}

void convert_to_csv(const RunInput& run, const std::optional<Tuning>& tuning, const std::filesystem::path& folder) {
  require_same_columns(run.draws);
  RunDirectory directory(folder);
  for (std::size_t c = 0; c < run.draws.size(); ++c) {
    StanCsvHeader header = header_of(run.draws[c]);
    header.chain = static_cast<int>(c + 1);
    if (!tuning) header.metric = MetricShape::unit;
    StanCsvWriter writer(directory.chain_files(header.chain), header, quantities(run.draws[c]));
    bool is_warm = false;
    const auto end_warmup = [&](double step_size) {
      if (std::exchange(is_warm, true)) return;
      writer.end_warmup(tuning ? adaptation_of(*tuning, header.metric) : Adaptation{.step_size = step_size});
    };
    const StanCsvPass pass =
        for_each_draw(run, c, [&](std::span<const double> values, const Transition& t, Phase phase) {
          if (phase == Phase::sampling) end_warmup(t.step_size);
          writer.draw(values, t);
        });
    end_warmup(pass.step_size.value_or(header.first_step_size));
    writer.finish({.warmup = pass.warmup_seconds.value_or(0.0), .sampling = pass.sampling_seconds.value_or(0.0)});
  }
}

}  // namespace darboux
