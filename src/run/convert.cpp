#include "run/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "core/field_table.hpp"
#include "darboux/core/error.hpp"
#include "draws/column_passes.hpp"
#include "draws/stan_csv_parsing.hpp"
#include "draws/stan_csv_sink.hpp"
#include "draws/zarr_sink.hpp"
#include "io/file.hpp"
#include "io/scratch_folder.hpp"
#include "run/observation_groups.hpp"

namespace darboux {

namespace fs = std::filesystem;

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

/// Makes something beside the place where it will be.
template <class Make>
void make_whole(const fs::path& target, const Make& make) {
  fs::path place = fs::absolute(target).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();  // "folder/"
  const ScratchFolder scratch(place.parent_path());
  const fs::path made = scratch.path() / place.filename();
  make(made);
  std::error_code failure;
  fs::rename(made, place, failure);
  if (failure) throw Error(fmt::format("cannot write {}: {}", target.string(), failure.message()));
}

/// Rows that belong to the draws of each chain, in files of their own.
void copy_rows(const std::vector<StanCsvReader>& files, ZarrRows& to) {
  for (std::size_t c = 0; c < files.size(); ++c) {
    const auto chain = static_cast<Index>(c);
    (void)files[c].for_each_row(all_columns(files[c]), [&](std::span<const double> row, Phase) { to.add(chain, row); });
    to.flush(chain);
  }
}

std::vector<StanCsvReader> opened(const std::vector<fs::path>& paths) {
  std::vector<StanCsvReader> files(paths.begin(), paths.end());
  if (!files.empty()) require_same_columns(files);
  return files;
}

/// What a run says of observations, which it says of all of its draws or of some.
void add_observations(const RunContent& content, ZarrSink& sink, Index chains) {
  const std::vector<StanCsvReader> terms = opened(content.log_likelihood),
                                   predictions = opened(content.posterior_predictive);
  if (terms.empty() && predictions.empty()) return;
  const auto observations = std::ssize((terms.empty() ? predictions : terms).front().columns());
  ObservationGroups groups(sink.store(), observation_array(content.data, observations),
                           {.log_likelihood = !terms.empty(), .predictions = !predictions.empty()}, chains);
  if (!predictions.empty() && std::ssize(predictions.front().columns()) != observations)
    throw InputError(fmt::format("{} has {} columns, and {} has {}: must be as many, one for each observation",
                                 predictions.front().path().string(), predictions.front().columns().size(),
                                 terms.front().path().string(), observations));
  const auto require = [&](bool is_good, const StanCsvReader& file, std::int64_t found, std::int64_t draws) {
    if (!is_good)
      throw InputError(
          fmt::format("{} has {} rows, and its chain {} draws: it is not of these draws; darboux resume with "
                      "--log-likelihood or --posterior-predictive writes it anew",
                      file.path().string(), found, draws));
  };
  if (ZarrRows* const rows = groups.log_likelihood()) copy_rows(terms, *rows);
  if (ZarrRows* const rows = groups.predictive()) copy_rows(predictions, *rows);
  for (Index c = 0; c < chains; ++c) {
    const std::int64_t draws = sink.rows(c, Phase::sampling);
    if (const ZarrRows* const rows = groups.log_likelihood())
      require(rows->rows(c) == draws, terms[at(c)], rows->rows(c), draws);
    if (const ZarrRows* const rows = groups.predictive())
      require(rows->rows(c) <= draws, predictions[at(c)], rows->rows(c), draws);
  }
  groups.publish(sink.rows(0, Phase::sampling));
}

void write_store(const RunInput& run, const fs::path& store, const RunContent& content) {
  const auto chains = std::ssize(run.draws);
  ZarrSink sink(store,
                {.header = header_of(run.draws.front()),
                 .names = content.names.empty() ? quantities(run.draws.front()) : content.names,
                 .axis = content.axis,
                 .data = content.data},
                chains);
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
  add_observations(content, sink, chains);
}

void write_csv(const RunInput& run, const std::optional<Tuning>& tuning, const fs::path& folder) {
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

}  // namespace

std::vector<std::string> quantities(const StanCsvReader& file) {
  std::vector<std::string> names;
  for (const std::string& column : file.columns())
    if (!column.ends_with("__")) names.push_back(column);
  return names;
}

void convert_to_zarr(const RunInput& run, const fs::path& store, const RunContent& content) {
  require_same_columns(run.draws);
  make_whole(store, [&](const fs::path& made) { write_store(run, made, content); });
}

void copy_zarr(const fs::path& from, const fs::path& store) {
  make_whole(store, [&](const fs::path& made) {
    const std::string metadata = read_text(from / zarr_metadata);
    fs::copy(from, made, fs::copy_options::recursive);
    write_text(made / zarr_metadata, metadata);
  });
}

void convert_to_csv(const RunInput& run, const std::optional<Tuning>& tuning, const fs::path& folder) {
  require_same_columns(run.draws);
  make_whole(folder, [&](const fs::path& made) { write_csv(run, tuning, made); });
}

}  // namespace darboux
