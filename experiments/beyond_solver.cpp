#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <darboux/structure/recipes.hpp>
#include <darboux/version.hpp>
#include <nlohmann/json.hpp>

#include "beyond.hpp"
#include "data_set.hpp"
#include "figures.hpp"
#include "fixed_run.hpp"
#include "model/gaussian.hpp"
#include "model/start.hpp"

namespace darboux::experiments {

namespace {

constexpr std::array<std::string_view, 2> set_names{"german", "splice"};
constexpr std::array strengths{0.5, 1.0, 2.0, 4.0};
constexpr std::array integrators{IntegratorKind::midpoint, IntegratorKind::split_midpoint};
constexpr std::array solvers{SolverMethod::fixed_point, SolverMethod::metric_newton};
constexpr double step_size = 0.3;
constexpr int steps = 5;

Tables run_cell(const DataSet& set, IntegratorKind integrator, const Scale& scale, const std::atomic<bool>& stop) {
  const LogisticTask task = load_task(set, scale.data);
  const auto whitened = std::make_shared<const Whitened>(Whitened::from_precision(task.model, task.mode, task.fisher));
  SamplerSettings options = fixed_settings(
      {.chains = 16, .draws = scale.quick ? 10 : 100, .seed = scale.seed, .step_size = step_size, .steps = steps},
      PoissonStructure::canonical(whitened->dim()));
  options.integrator = integrator;
  options.kernel.reverse_check_rate = 0.0;
  options.solver.tolerance = 1e-8;
  const OwnedBatch starts =
      draw_starts(Gaussian::standard(whitened->dim()), {.seed = scale.seed, .chains = options.chains});
  Tables tables;
  for (const double strength : strengths)
    for (const SolverMethod solver : solvers) {
      options.structure = make_structure(Recipe::magnetic_momentum, whitened->dim(),
                                         {.size = SpectralStrength{strength}, .seed = scale.seed, .A = {}});
      options.solver.method = solver;
      const FixedRun run = run_fixed(whitened, options, starts, stop);
      const auto transitions = static_cast<double>(run.chains) * run.draws;
      append_row(tables["solvers"], {{"set", set.name},
                                     {"integrator", name(integrator)},
                                     {"solver", name(solver)},
                                     {"strength", strength},
                                     {"iterations_per_step", run.solver_iterations / (transitions * steps)},
                                     {"failed", mean(run.failures) / run.draws},
                                     {"acceptance", mean(run.acceptance)}});
    }
  return tables;
}

Figure iteration_figure(const Table& solvers_table) {
  Table data;
  for (std::size_t i = 0; i < row_count(solvers_table); ++i)
    append_row(data, {{"solver", fmt::format("{}, {}, {}", texts(solvers_table, "solver")[i],
                                             texts(solvers_table, "integrator")[i], texts(solvers_table, "set")[i])},
                      {"kind", texts(solvers_table, "solver")[i]},
                      {"strength", numbers(solvers_table, "strength")[i]},
                      {"iterations", numbers(solvers_table, "iterations_per_step")[i]}});
  const auto typical = [&](SolverMethod solver) {
    return median(numbers_where(solvers_table, "iterations_per_step",
                                {{"solver", name(solver)}, {"strength", strengths.back()}}));
  };
  using Json = nlohmann::ordered_json;
  const Json spec{{"mark", {{"type", "line"}, {"point", true}, {"tooltip", true}}},
                  {"encoding",
                   {{"x",
                     {{"field", "strength"},
                      {"type", "quantitative"},
                      {"title", "‖E‖ in whitened coordinates (1)"},
                      {"scale", {{"type", "log"}, {"base", 2}}}}},
                    {"y",
                     {{"field", "iterations"},
                      {"type", "quantitative"},
                      {"title", "gradients per step (number)"},
                      {"scale", {{"type", "log"}}}}},
                    {"detail", {{"field", "solver"}, {"type", "nominal"}}},
                    {"color", {{"field", "kind"}, {"type", "nominal"}, {"title", nullptr}}}}}};
  return {
      .title = fmt::format("At ‖E‖ = {} metric Newton takes {:.1f} gradients a step, the fixed point {:.1f} (medians)",
                           strengths.back(), typical(SolverMethod::metric_newton), typical(SolverMethod::fixed_point)),
      .caption = "ε = 0.3, tolerance 1e-8, two data sets and two integrators. Failed solves count with what they took.",
      .spec = spec.dump(),
      .height = 280,
      .data = std::move(data)};
}

Findings reduce(const Tables& tables) {
  if (!tables.contains("solvers")) return {};  // these sets are not in the folder
  const Table& table = tables.at("solvers");
  const auto range = [&](std::string_view solver) {
    const auto all = numbers_where(table, "iterations_per_step", {{"solver", solver}});
    return std::pair(*std::min_element(all.begin(), all.end()), *std::max_element(all.begin(), all.end()));
  };
  const auto fixed = range(name(SolverMethod::fixed_point));
  const auto newton = range(name(SolverMethod::metric_newton));
  ReportTable shown_table{.columns = {{.title = "set", .is_number = false},
                                      {.title = "integrator", .is_number = false},
                                      {.title = "solver", .is_number = false},
                                      {.title = "‖E‖"},
                                      {.title = "gradients per step"},
                                      {.title = "share of trajectories failed"}}};
  for (std::size_t i = 0; i < row_count(table); ++i)
    shown_table.rows.push_back({texts(table, "set")[i], texts(table, "integrator")[i], texts(table, "solver")[i],
                                cell_of(numbers(table, "strength")[i]),
                                cell_of(numbers(table, "iterations_per_step")[i]),
                                cell_of(numbers(table, "failed")[i])});
  return {.sections =
              {{.id = "solvers",
                .name = "Solvers",
                .title = fmt::format(
                    "Metric Newton takes {:.1f} to {:.1f} gradients a step, the paper's fixed point {:.1f} to {:.1f}",
                    newton.first, newton.second, fixed.first, fixed.second),
                .text = {"Implicit steps on whitened logistic posteriors with a random E of norm 0.5 to 4: by the "
                         "paper's fixed point, and by "
                         "Newton's method with the metric for a Hessian, factored once."},
                .table = std::move(shown_table),
                .figures = {iteration_figure(table)}}},
          .claims = {}};
}

}  // namespace

Experiment solver_part(const Scale& scale) {
  Experiment part{.name = "solvers", .title = "Solvers", .cells = {}, .reduce = reduce};
  for (const DataSet& set : list_data_sets(scale.data)) {
    if (std::find(set_names.begin(), set_names.end(), set.name) == set_names.end()) continue;
    for (const IntegratorKind integrator : integrators)
      part.cells.push_back(
          {.key = fmt::format("beyond/solver-{}-{}", set.name, name(integrator)),
           .settings = {{"version", version()},
                        {"set", set.name},
                        {"data", set.checksum},
                        {"integrator", name(integrator)},
                        {"draws", scale.quick ? 10 : 100},
                        {"seed", scale.seed}},
           .cost = 1.0,
           .compute = [=](const std::atomic<bool>& stop) { return run_cell(set, integrator, scale, stop); }});
  }
  return part;
}

}  // namespace darboux::experiments
