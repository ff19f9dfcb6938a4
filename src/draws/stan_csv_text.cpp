#include "draws/stan_csv_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/shown.hpp"
#include "core/utc_time.hpp"
#include "darboux/core/error.hpp"
#include "darboux/version.hpp"

namespace darboux {

namespace {

std::string clean_key(std::string_view key) {
  std::string out;
  for (const char c : key) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? c : '_';
  }
  return out;
}

std::string clean_value(std::string_view value) {
  std::string out(value);
  for (char& c : out)
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) c = ' ';
  return out;
}

/// One line of numbers of the adaptation block.
std::string metric_line(std::span<const double> numbers) {
  std::string line = "#";
  for (const double x : numbers) {
    line += line.size() == 1 ? " " : ", ";
    append_number(line, x);
  }
  return line + "\n";
}

}  // namespace

void validate(const StanCsvHeader& header) {
  const auto demand = [](std::string_view field, std::int64_t value, std::int64_t least) {
    if (value < least) throw InputError(fmt::format("{} = {}: must be at least {}", field, value, least));
  };
  demand("chain", header.chain, 1);
  demand("warmup_iterations", header.warmup_iterations, 0);
  demand("sampling_iterations", header.sampling_iterations, 0);
  demand("thin", header.thin, 1);
  demand("max_tree_depth", header.max_tree_depth, 1);
  for (const auto& [key, value] : header.notes)
    if (key.empty() || key.ends_with("metric"))
      throw InputError(fmt::format("note {}: a key must not be empty nor end in \"metric\"", shown(key)));
}

std::string header_text(const StanCsvHeader& header, const std::string& file_name) {
  // The argument tree of CmdStan 2.36, with 0 and 1 for booleans, which all readers understand (true and false only some).
  std::string text = fmt::format(
      "# stan_version_major = 2\n"
      "# stan_version_minor = 36\n"
      "# stan_version_patch = 0\n"
      "# model = {}\n"
      "# start_datetime = {}\n"
      "# method = sample\n"
      "#   sample\n"
      "#     num_samples = {}\n"
      "#     num_warmup = {}\n"
      "#     save_warmup = {:d}\n"
      "#     thin = {}\n"
      "#     adapt\n"
      "#       engaged = {:d}\n"
      "#       delta = {}\n"
      "#     algorithm = hmc\n"
      "#       hmc\n"
      "#         engine = nuts\n"
      "#           nuts\n"
      "#             max_depth = {}\n"
      "#         metric = {}\n"
      "#         stepsize = {}\n"
      "#     num_chains = 1\n"
      "# id = {}\n"
      "# data\n"
      "#   file = {}\n"
      "# random\n"
      "#   seed = {}\n"
      "# output\n"
      "#   file = {}\n"
      "# darboux_version = {}\n",
      clean_value(header.model), header.started.empty() ? utc_now() : clean_value(header.started),
      header.sampling_iterations, header.warmup_iterations, header.save_warmup, header.thin, header.adapts,
      header.target_acceptance, header.max_tree_depth, name(header.metric), header.first_step_size, header.chain,
      clean_value(header.data_file), header.seed, clean_value(file_name), version());
  for (const auto& [key, value] : header.notes)
    text += fmt::format("# darboux_{} = {}\n", clean_key(key), clean_value(value));
  return text;
}

std::string statistics_header_text(const StanCsvHeader& header) {
  std::string text = fmt::format(
      "# Row by row what belongs to the draws of chain {} of {}\n"
      "# num_warmup = {}\n"
      "# save_warmup = {:d}\n"
      "# thin = {}\n"
      "# status__:",
      header.chain, clean_value(header.model), header.warmup_iterations, header.save_warmup, header.thin);
  for (const Status status :
       {Status::ok, Status::diverged, Status::not_converged, Status::not_reversible, Status::model_error})
    text += fmt::format("{} {} {}", status == Status::ok ? "" : ",", static_cast<int>(status), name(status));
  return text + "\n";
}

std::string adaptation_text(const Adaptation& adaptation) {
  std::string text = "# Adaptation terminated\n# Step size = ";
  append_number(text, adaptation.step_size);
  text += "\n";
  const std::span<const double> numbers = adaptation.inverse_metric;
  switch (adaptation.metric) {
    case MetricShape::unit: return text + "# No free parameters for unit metric\n";
    case MetricShape::diagonal: return text + "# Diagonal elements of inverse mass matrix:\n" + metric_line(numbers);
    case MetricShape::dense: break;
  }
  text += "# Elements of inverse mass matrix:\n";
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(numbers.size()))));
  for (std::size_t row = 0; row < n; ++row) text += metric_line(numbers.subspan(row * n, n));
  return text;
}

std::string elapsed_text(const ElapsedSeconds& elapsed) {
  // Stan's own reader takes the numbers from a fixed place in the line.
  return fmt::format(
      "# \n"
      "#  Elapsed Time: {:.3f} seconds (Warm-up)\n"
      "#                {:.3f} seconds (Sampling)\n"
      "#                {:.3f} seconds (Total)\n"
      "# \n",
      elapsed.warmup, elapsed.sampling, elapsed.warmup + elapsed.sampling);
}

void append_number(std::string& line, double x) {
  if (std::isnan(x)) {  // to_chars would tell -nan from nan
    line += "nan";
    return;
  }
  std::array<char, 32> text{};
  line.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr);
}

void append_number(std::string& line, std::int64_t n) {
  std::array<char, 24> text{};
  line.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), n).ptr);
}

void append_standard(std::string& line, const Transition& made) {
  append_number(line, made.log_density);
  line += ',';
  append_number(line, made.acceptance_probability);
  line += ',';
  append_number(line, made.step_size);
  line += ',';
  append_number(line, std::int64_t{made.tree_depth});
  line += ',';
  append_number(line, std::int64_t{made.steps});
  line += made.status == Status::diverged ? ",1," : ",0,";
  append_number(line, made.energy);
}

void append_statistics(std::string& line, const Transition& made) {
  append_number(line, made.energy_error);
  line += ',';
  append_number(line, made.solver_iterations);
  line += ',';
  append_number(line, made.gradients);
  line += ',';
  append_number(line, std::int64_t{made.direction < 0.0 ? -1 : 1});
  line += made.accepted ? ",1," : ",0,";
  append_number(line, static_cast<std::int64_t>(made.status));
}

}  // namespace darboux
