#include "report/chain_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/field_table.hpp"
#include "darboux/core/error.hpp"
#include "diagnose/ebfmi.hpp"

namespace darboux {

namespace {

std::optional<std::int64_t> whole_number(const StanCsvReader& file, std::string_view key) {
  const auto text = file.setting(key);
  if (!text) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Some columns of a file, of which any may be missing, and those that are also wanted.
class Columns {
 public:
  Columns(const StanCsvReader& file, const AlsoRead& also, std::initializer_list<std::string_view> names)
      : also_(also), wanted_(also.columns.begin(), also.columns.end()) {
    for (const std::string_view name : names) {
      const auto column = file.find_column(name);
      if (!column) {
        places_.emplace_back();
        continue;
      }
      const auto place = std::find(wanted_.begin(), wanted_.end(), *column);
      places_.emplace_back(static_cast<std::size_t>(place - wanted_.begin()));
      if (place == wanted_.end()) wanted_.push_back(*column);
    }
  }
  void hand_on(std::span<const double> row) const {
    if (also_.row) also_.row(row.first(also_.columns.size()));
  }
  [[nodiscard]] const std::vector<std::size_t>& wanted() const noexcept { return wanted_; }
  [[nodiscard]] bool has(std::size_t i) const { return places_[i].has_value(); }
  /// NaN where the file lacks the column.
  [[nodiscard]] double value(std::span<const double> row, std::size_t i) const {
    return places_[i] ? row[*places_[i]] : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  const AlsoRead& also_;
  std::vector<std::size_t> wanted_;  // those that are also wanted come first
  std::vector<std::optional<std::size_t>> places_;
};

void count_failure(Status status, FailedProposals& failures) {
  failures.not_converged += status == Status::not_converged;
  failures.not_reversible += status == Status::not_reversible;
  failures.model_error += status == Status::model_error;
}

/// E-BFMI compares energies with what a new momentum changes of them. Of microcanonical motion, where the momentum has none, the
/// energy of a draw is −log density and nothing more: there is no E-BFMI.
class Energies {
 public:
  void add(double energy, double log_density) {
    energies_.push_back(energy);
    is_kinetic_ = is_kinetic_ || energy != -log_density;
  }
  [[nodiscard]] std::optional<double> ebfmi() const {
    return is_kinetic_ ? std::optional(darboux::ebfmi(energies_)) : std::nullopt;
  }

 private:
  std::vector<double> energies_;
  bool is_kinetic_ = false;
};

/// A number of gradients as a file has it; none where it is none.
std::optional<std::int64_t> gradients_in(double sum) {
  constexpr double most = 1e12;  // for a chain: a year, at a hundred thousandth of a second each
  return sum >= 0.0 && sum <= most ? std::optional<std::int64_t>(std::llround(sum)) : std::nullopt;
}

/// FNV-1a over the bits of numbers.
constexpr std::uint64_t first_hash = 0xCBF29CE484222325U;
std::uint64_t mixed(std::uint64_t hash, double x) { return (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001B3U; }

void read_draws(const StanCsvReader& file, const AlsoRead& also, ChainFacts& facts) {
  enum { lp, acceptance, depth, steps, divergent, energy, step_size };
  const Columns columns(
      file, also, {"lp__", "accept_stat__", "treedepth__", "n_leapfrog__", "divergent__", "energy__", "stepsize__"});
  const auto max_depth = whole_number(file, "max_depth");
  Energies energies;
  double sum_of_acceptance = 0.0, sum_of_steps = 0.0;
  facts.fingerprint = first_hash;
  const StanCsvPass pass = file.for_each_row(columns.wanted(), [&](std::span<const double> row, Phase phase) {
    if (phase == Phase::warmup) return;
    columns.hand_on(row);
    ++facts.draws;
    if (columns.has(divergent) && columns.value(row, divergent) != 0.0) facts.divergent_draws.push_back(facts.draws);
    const double tree = columns.value(row, depth);
    if (max_depth && tree > 0.0 && tree >= static_cast<double>(*max_depth)) ++facts.draws_at_max_depth;
    sum_of_acceptance += columns.value(row, acceptance);
    sum_of_steps += columns.value(row, steps);
    if (columns.has(step_size)) facts.step_size = columns.value(row, step_size);
    if (columns.has(energy)) energies.add(columns.value(row, energy), columns.value(row, lp));
    facts.fingerprint = mixed(facts.fingerprint, columns.value(row, lp));
  });
  facts.incomplete_line = pass.incomplete_line;
  facts.sampling_seconds = pass.sampling_seconds;
  if (facts.draws == 0) return;
  if (columns.has(acceptance)) facts.mean_acceptance = sum_of_acceptance / static_cast<double>(facts.draws);
  if (columns.has(energy)) facts.ebfmi = energies.ebfmi();
  // Stan's trajectories cost one gradient a step; rows that were thinned out say nothing of theirs.
  const bool ours = file.setting("darboux_version").has_value();
  if (!ours && whole_number(file, "thin").value_or(1) == 1) facts.gradients = gradients_in(sum_of_steps);
}

void read_statistics(const StanCsvReader& file, const AlsoRead& also, ChainFacts& facts) {
  enum { status, gradients };
  const Columns columns(file, also, {"status__", "gradients__"});
  if (!columns.has(status))
    throw InputError(fmt::format("{}: a file of statistics has a column status__", file.path().string()));
  FailedProposals failures;
  double sum_of_gradients = 0.0;
  (void)file.for_each_row(columns.wanted(), [&](std::span<const double> row, Phase phase) {
    if (phase == Phase::warmup) return;
    columns.hand_on(row);
    for (const Status s : {Status::not_converged, Status::not_reversible, Status::model_error})
      if (columns.value(row, status) == static_cast<double>(s)) count_failure(s, failures);
    sum_of_gradients += columns.value(row, gradients);
  });
  facts.failures = failures;
  if (whole_number(file, "thin").value_or(1) == 1) facts.gradients = gradients_in(sum_of_gradients);
}

}  // namespace

ChainFacts chain_facts(std::span<const Transition> transitions, int max_depth) {
  ChainFacts facts;
  FailedProposals failures;
  Energies energies;
  double sum_of_acceptance = 0.0;
  std::int64_t gradients = 0;
  facts.fingerprint = first_hash;
  for (const Transition& t : transitions) {
    ++facts.draws;
    if (t.status == Status::diverged) facts.divergent_draws.push_back(facts.draws);
    if (t.tree_depth > 0 && t.tree_depth >= max_depth) ++facts.draws_at_max_depth;
    count_failure(t.status, failures);
    sum_of_acceptance += t.acceptance_probability;
    gradients += t.gradients;
    energies.add(t.energy, t.log_density);
    facts.fingerprint = mixed(facts.fingerprint, t.log_density);
  }
  facts.failures = failures;
  if (transitions.empty()) return facts;
  facts.gradients = gradients;
  facts.step_size = transitions.back().step_size;
  facts.mean_acceptance = sum_of_acceptance / static_cast<double>(facts.draws);
  facts.ebfmi = energies.ebfmi();
  return facts;
}

ChainFacts chain_facts(const StanCsvReader& draws, const std::optional<StanCsvReader>& statistics,
                       const AlsoRead& of_draws, const AlsoRead& of_statistics) {
  ChainFacts facts;
  facts.file = draws.path();
  facts.model = draws.setting("model").value_or("");
  facts.method = draws.setting("method").value_or("");
  if (const auto seed = draws.setting("seed"), chain = draws.setting("id"); seed && chain)
    facts.random_numbers = fmt::format("seed {}, chain {}", *seed, *chain);
  if (const auto tuning = draws.setting("darboux_tuning")) facts.random_numbers += ", tuning " + *tuning;
  facts.integrator = draws.setting("darboux_integrator").value_or("");
  if (const auto rate = draws.setting("darboux_reverse_check"))
    facts.reverse_check = parse_real("darboux_reverse_check", *rate, {.least = 0.0, .most = 1.0});
  const std::int64_t thin = std::max<std::int64_t>(1, whole_number(draws, "thin").value_or(1));
  if (const auto iterations = whole_number(draws, "num_samples"))
    facts.announced_draws = *iterations / thin + (*iterations % thin == 0 ? 0 : 1);
  read_draws(draws, of_draws, facts);
  if (statistics) read_statistics(*statistics, of_statistics, facts);
  return facts;
}

}  // namespace darboux
