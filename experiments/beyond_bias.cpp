#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/version.hpp>
#include <nlohmann/json.hpp>
#include <numbers>

#include "beyond.hpp"
#include "figures.hpp"
#include "fixed_run.hpp"
#include "model/skewed.hpp"

namespace darboux::experiments {

namespace {

struct Method {
  std::string_view name;
  IntegratorKind integrator;
  CopySequence sequence = CopySequence::two_gradient;
  BasisMethod basis = BasisMethod::schur;
};
constexpr std::array methods{
    Method{"explicit, paper's order, Gram-Schmidt", IntegratorKind::explicit_copies, CopySequence::paper,
           BasisMethod::gram_schmidt},
    Method{"explicit, paper's order, Schur", IntegratorKind::explicit_copies, CopySequence::paper},
    Method{"explicit, two gradients, Schur", IntegratorKind::explicit_copies},
    Method{"doubled", IntegratorKind::doubled},
    Method{"midpoint", IntegratorKind::midpoint},
    Method{"split-midpoint", IntegratorKind::split_midpoint}};

constexpr std::array step_counts{4, 8, 20, 40};
constexpr double duration = 2.0;
constexpr double coarse = duration / step_counts.front();
constexpr double true_mean = -std::numbers::egamma;
constexpr double true_variance = std::numbers::pi * std::numbers::pi / 6.0;

struct Setting {
  int steps = 4, draws = 4000;
  Index chains = 256;
  std::uint64_t seed = 1;
};

/// Independent draws from the target itself, so that whatever chains do to it shows: logarithms of exponential variables.
OwnedBatch exact_starts(Index chains, std::uint64_t seed) {
  OwnedBatch starts(2, chains);
  for (Index c = 0; c < chains; ++c) {
    RandomStream random({.seed = seed, .purpose = Purpose::data, .chain = static_cast<std::uint64_t>(c)});
    for (Index j = 0; j < 2; ++j) starts(j, c) = std::log(-std::log(random.uniform()));
  }
  return starts;
}

/// An average over chains and how far it is from the truth.
struct Estimate {
  double error = 0.0, standard_error = 0.0;
  [[nodiscard]] double z() const noexcept { return error / standard_error; }
};

/// Of f(q_j) over all draws; chains are independent of each other.
template <class Function>
Estimate estimate(const FixedRun& run, std::size_t j, const Function& f, double truth) {
  const auto chains = static_cast<double>(run.chains);
  double sum = 0.0, squares = 0.0;
  for (Index c = 0; c < run.chains; ++c) {
    double of_chain = 0.0;
    for (const double q : run.chain(j, c)) of_chain += f(q) / run.draws;
    sum += of_chain;
    squares += of_chain * of_chain;
  }
  const double average = sum / chains;
  const double variance = std::max(0.0, squares / chains - average * average) / (chains - 1.0);
  return {average - truth, std::sqrt(variance)};
}

Tables run_cell(const Method& method, const Setting& setting, const std::atomic<bool>& stop) {
  const auto model = std::make_shared<const Skewed>(2);
  const auto structure = PoissonStructure::from_blocks(Matrix{{0, 1}, {-1, 0}}, Matrix::identity(2), Matrix(2, 2));
  SamplerSettings options = fixed_settings({.chains = setting.chains,
                                            .draws = setting.draws,
                                            .seed = setting.seed,
                                            .step_size = duration / setting.steps,
                                            .steps = setting.steps},
                                           structure);
  options.integrator = method.integrator;
  CopyOptions& copies = options.copies;
  copies.sequence = method.sequence;
  copies.basis = experiment_basis(structure, method.basis, setting.seed);
  const FixedRun run = run_fixed(model, options, exact_starts(setting.chains, setting.seed), stop);

  const auto per_draw = [&](const std::vector<double>& by_chain) { return mean(by_chain) / run.draws; };
  Tables tables;
  for (std::size_t j = 0; j < 2; ++j) {
    const Estimate of_mean = estimate(run, j, [](double q) { return q; }, true_mean);
    const Estimate of_variance =
        estimate(run, j, [](double q) { return (q - true_mean) * (q - true_mean); }, true_variance);
    append_row(tables["bias"], {{"method", method.name},
                                {"step_size", options.first.step_size},
                                {"coordinate", j + 1},
                                {"gradients_per_draw", per_draw(run.gradients)},
                                {"acceptance", mean(run.acceptance)},
                                {"mean_error", of_mean.error},
                                {"mean_z", of_mean.z()},
                                {"variance_error", of_variance.error},
                                {"variance_z", of_variance.z()}});
  }
  return tables;
}

/// Of both coordinates, of mean and variance.
double largest_z(const Table& bias, std::string_view method, double step_size) {
  double most = 0.0;
  for (const char* column : {"mean_z", "variance_z"})
    for (const double z : numbers_where(bias, column, {{"method", method}, {"step_size", step_size}}))
      most = std::max(most, std::abs(z));
  return most;
}

/// Of all step sizes.
double worst_z(const Table& bias, std::string_view method) {
  double most = 0.0;
  for (const int steps : step_counts) most = std::max(most, largest_z(bias, method, duration / steps));
  return most;
}

double largest_error(const Table& bias, std::string_view method, double step_size) {
  const std::initializer_list<Entry> here{{"method", method}, {"step_size", step_size}};
  double most = 0.0;
  for (const double e : numbers_where(bias, "mean_error", here))
    most = std::max(most, std::abs(e) / std::sqrt(true_variance));
  for (const double e : numbers_where(bias, "variance_error", here)) most = std::max(most, std::abs(e) / true_variance);
  return most;
}

Figure error_figure(const Table& bias) {
  Table data;
  for (const Method& method : methods)
    for (const int steps : step_counts) {
      const double e = duration / steps;
      append_row(data,
                 {{"method", method.name},
                  {"gradients",
                   numbers_where(bias, "gradients_per_draw", {{"method", method.name}, {"step_size", e}}).front()},
                  {"error", largest_error(bias, method.name, e)},
                  {"z", largest_z(bias, method.name, e)}});
    }
  using Json = nlohmann::ordered_json;
  const Json spec{{"mark", {{"type", "line"}, {"point", true}, {"tooltip", true}}},
                  {"encoding",
                   {{"x",
                     {{"field", "gradients"},
                      {"type", "quantitative"},
                      {"title", "gradients per draw (number)"},
                      {"scale", {{"type", "log"}}}}},
                    {"y",
                     {{"field", "error"},
                      {"type", "quantitative"},
                      {"title", "largest relative error (1)"},
                      {"scale", {{"type", "log"}}}}},
                    {"color", {{"field", "method"}, {"type", "nominal"}, {"sort", nullptr}, {"title", nullptr}}}}}};
  return {
      .title =
          fmt::format("Trajectories of 4 steps: explicit ones (paper's) {:.2g} off, doubled {:.2g}, midpoint {:.2g}",
                      largest_error(bias, methods[0].name, coarse), largest_error(bias, "doubled", coarse),
                      largest_error(bias, "midpoint", coarse)),
      .caption =
          "Largest of the errors of mean (in standard deviations) and variance (relative), of two coordinates. Exact "
          "methods show Monte Carlo error only.",
      .spec = spec.dump(),
      .height = 300,
      .data = std::move(data)};
}

Findings reduce(const Tables& tables) {
  const Table& bias = tables.at("bias");
  constexpr double clear = 5.0;  // standard errors
  double exact_z = 0.0, approximate_z = 0.0;
  ReportTable table{
      .columns = {{.title = "method", .is_number = false},
                  {.title = "step size"},
                  {.title = "gradients per draw"},
                  {.title = "acceptance"},
                  {.title = "largest error", .help = "of mean, in standard deviations, and variance, relative"},
                  {.title = "largest |z|", .help = "the same in standard errors", .first = SortFirst::largest}}};
  for (const Method& method : methods)
    for (const int steps : step_counts) {
      const double e = duration / steps;
      const double z = largest_z(bias, method.name, e);
      double& most = method.integrator == IntegratorKind::explicit_copies ? approximate_z : exact_z;
      most = std::max(most, z);
      const std::initializer_list<Entry> here{{"method", method.name}, {"step_size", e}};
      table.rows.push_back(
          {std::string(method.name), cell_of(e), cell_of(numbers_where(bias, "gradients_per_draw", here).front()),
           cell_of(numbers_where(bias, "acceptance", here).front()), cell_of(largest_error(bias, method.name, e)),
           TableCell(z, fmt::format("{:.1f}", z), z > clear)});
    }
  Findings found;
  found.claims = {
      {"conclusion", "draws of the explicit integrator are only approximate",
       verdict_of(worst_z(bias, methods[0].name) > clear),
       fmt::format("On a skewed target, ω = 1, trajectories of duration 2, paper's order and basis: up to {:.0f} "
                   "standard errors off, "
                   "with 4 steps {:.0f}; of all explicit variants {:.0f}",
                   worst_z(bias, methods[0].name), largest_z(bias, methods[0].name, coarse), approximate_z)},
      {"conclusion", "draws of the implicit integrator are exact", verdict_of(worst_z(bias, "midpoint") < clear),
       fmt::format("Implicit midpoint with reverse check, 4 to 40 steps: at most {:.1f} standard errors off; of all "
                   "exact methods {:.1f}",
                   worst_z(bias, "midpoint"), exact_z)}};
  found.sections = {
      {.id = "bias",
       .name = "Bias and cost",
       .title =
           fmt::format("Explicit steps are up to {:.0f} standard errors off; doubled and implicit ones at most {:.1f}",
                       approximate_z, exact_z),
       .text =
           {"Target: two coordinates with density exp(q − e^q), whose moments are known. E = [[0, 1], [−1, 0]], A = I, "
            "trajectories of duration 2, chains that start with exact draws. With doubled copies the Metropolis step "
            "is done "
            "in the doubled space, which makes any step size exact. Implicit steps are solved to 1e-10 and back, as by "
            "default: what they "
            "cost here is what they cost where nothing is known of the target."},
       .contrasts = contrasts_of(found.claims),
       .table = std::move(table),
       .figures = {error_figure(bias)}}};
  return found;
}

}  // namespace

Experiment bias_part(const Scale& scale) {
  Experiment part{.name = "bias", .title = "Bias against cost", .cells = {}, .reduce = reduce};
  for (std::size_t m = 0; m < methods.size(); ++m)
    for (const int steps : step_counts) {
      const Setting setting{.steps = steps, .draws = scale.quick ? 200 : 4000, .seed = scale.seed};
      part.cells.push_back({.key = fmt::format("beyond/bias-{}-{}", m + 1, steps),
                            .settings = {{"version", version()},
                                         {"method", methods.at(m).name},
                                         {"steps", steps},
                                         {"chains", setting.chains},
                                         {"draws", setting.draws},
                                         {"seed", setting.seed}},
                            .cost = 0.05 * setting.draws / 4000.0 * steps,
                            .compute = [=, method = methods.at(m)](const std::atomic<bool>& stop) {
                              return run_cell(method, setting, stop);
                            }});
    }
  return part;
}

}  // namespace darboux::experiments
