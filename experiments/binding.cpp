#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/structure/recipes.hpp>
#include <darboux/version.hpp>
#include <nlohmann/json.hpp>
#include <numbers>

#include "experiment.hpp"
#include "figures.hpp"
#include "fixed_run.hpp"
#include "model/mixture.hpp"
#include "model/start.hpp"

/// The paper's study of the binding strength: do implicit midpoint and explicit integration draw the same samples when they
/// are given the same random numbers?
namespace darboux::experiments {

namespace {

constexpr std::array step_sizes{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
constexpr std::array strengths{1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3};
constexpr double agreement = 0.01;  // mean distance of draws, in standard deviations of a component

struct Variant {
  std::string_view name, label;
  CopySequence sequence;
  BasisMethod basis;
};
constexpr std::array variants{
    Variant{"paper-gram-schmidt", "paper's order, Gram-Schmidt", CopySequence::paper, BasisMethod::gram_schmidt},
    Variant{"paper-schur", "paper's order, Schur", CopySequence::paper, BasisMethod::schur},
    Variant{"two-gradient-gram-schmidt", "two gradients, Gram-Schmidt", CopySequence::two_gradient,
            BasisMethod::gram_schmidt},
    Variant{"two-gradient-schur", "two gradients, Schur", CopySequence::two_gradient, BasisMethod::schur}};

struct Setting {
  double step_size = 0.01, omega = 1.0;
  int steps = 1000, draws = 1000, runs = 10;
  std::uint64_t seed = 1;
};

double distance(const FixedRun& a, const FixedRun& b, Index chain, std::size_t draw) {
  return std::hypot(a.chain(0, chain)[draw] - b.chain(0, chain)[draw],
                    a.chain(1, chain)[draw] - b.chain(1, chain)[draw]);
}

/// The copies swap where they turn by π in a step: no such integrator can be made.
bool is_possible(const Setting& setting) { return 2.0 * setting.step_size * setting.omega < std::numbers::pi; }

/// One row per variant and run.
Tables run_cell(const Setting& setting, const std::atomic<bool>& stop) {
  const auto model = std::make_shared<const Mixture>();
  const auto structure = PoissonStructure::from_poisson_matrix(random_skew(4, Divisor{2.0}, setting.seed));
  SamplerSettings options = fixed_settings({.chains = setting.runs,
                                            .draws = setting.draws,
                                            .seed = setting.seed,
                                            .step_size = setting.step_size,
                                            .steps = setting.steps},
                                           structure);
  options.solver.method = SolverMethod::fixed_point;
  options.kernel.reverse_check_rate = 0.0;
  const OwnedBatch starts =
      draw_starts(*model, {.seed = setting.seed, .chains = setting.runs, .method = StartMethod::uniform});

  options.integrator = IntegratorKind::midpoint;
  const FixedRun implicit = run_fixed(model, options, starts, stop);
  options.integrator = IntegratorKind::explicit_copies;
  Tables tables;
  for (const Variant& variant : variants) {
    options.copies = {.sequence = variant.sequence,
                      .binding = BindingStrength{setting.omega},
                      .basis = experiment_basis(structure, variant.basis, setting.seed)};
    const FixedRun run = run_fixed(model, options, starts, stop);
    for (Index c = 0; c < run.chains; ++c) {
      double sum = 0.0, apart = 0.0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(run.draws); ++i) {
        const double d = distance(run, implicit, c, i);
        sum += d;
        apart += d > agreement ? 1.0 : 0.0;
      }
      const auto at = static_cast<std::size_t>(c);
      append_row(tables["runs"], {{"variant", variant.name},
                                  {"step_size", setting.step_size},
                                  {"omega", setting.omega},
                                  {"run", c + 1},
                                  {"mean_distance", sum / run.draws},
                                  {"share_apart", apart / run.draws},
                                  {"acceptance", run.acceptance[at]},
                                  {"midpoint_acceptance", implicit.acceptance[at]}});
    }
  }
  return tables;
}

double typical(const Table& runs, std::string_view variant, double step_size, double omega) {
  return median(
      numbers_where(runs, "mean_distance", {{"variant", variant}, {"step_size", step_size}, {"omega", omega}}));
}

struct Agreement {
  int cells = 0, agreeing = 0;
  double largest_step = 0.0;  ///< up to which all agree, at ω = 1
  int bindings = 0;           ///< how many of the strengths agree at ε = 0.001
};

Agreement agreement_of(const Table& runs, std::string_view variant) {
  Agreement found;
  double next_step = step_sizes.front();
  for (const double e : step_sizes)
    for (const double w : strengths) {
      const double apart = typical(runs, variant, e, w);
      if (std::isnan(apart)) continue;  // not possible
      ++found.cells;
      if (apart >= agreement) continue;
      ++found.agreeing;
      if (w == 1.0 && e == next_step) {
        found.largest_step = e;
        next_step = e == step_sizes.back() ? 0.0 : *(std::find(step_sizes.begin(), step_sizes.end(), e) + 1);
      }
      if (e == 1e-3) ++found.bindings;
    }
  return found;
}

Figure heat_map(const Table& runs, const Variant& variant) {
  Table data;
  for (const double e : step_sizes)
    for (const double w : strengths) {
      const double d = typical(runs, variant.name, e, w);
      append_row(data, {{"step_size", fmt::format("{:g}", e)},
                        {"omega", fmt::format("{:g}", w)},
                        {"distance", d},
                        {"logarithm", std::isnan(d) ? d : std::log10(std::max(d, 1e-8))}});
    }
  using Json = nlohmann::ordered_json;
  const Json spec{
      {"mark", {{"type", "rect"}, {"tooltip", true}}},
      {"encoding",
       {{"x",
         {{"field", "omega"},
          {"type", "ordinal"},
          {"sort", nullptr},
          {"title", "binding strength ω (1/time)"},
          {"axis", {{"labelAngle", 0}}}}},
        {"y", {{"field", "step_size"}, {"type", "ordinal"}, {"sort", "descending"}, {"title", "step size ε (time)"}}},
        {"color",
         {{"field", "logarithm"},
          {"type", "quantitative"},
          {"title", "log₁₀ of the mean distance"},
          {"scale", {{"scheme", "viridis"}, {"domain", {-8, 1}}}}}}}}};
  const Agreement found = agreement_of(runs, variant.name);
  return {.title = fmt::format("Draws agree to {} in {} of {} settings: {}", agreement, found.agreeing, found.cells,
                               variant.label),
          .caption = "Median over runs of the mean distance between draws of implicit midpoint and of explicit steps.",
          .spec = spec.dump(),
          .height = 260,
          .data = std::move(data)};
}

Findings reduce(const Tables& tables) {
  const Table& runs = tables.at("runs");
  const Agreement paper = agreement_of(runs, "paper-gram-schmidt");
  const double decades_of_step = paper.largest_step > 0 ? std::log10(paper.largest_step / step_sizes.front()) : 0.0;
  Findings found;
  found.claims = {{"appendix on the binding strength",
                   "implicit and explicit samples agree over orders of magnitude of step size and binding",
                   verdict_of(decades_of_step >= 1.0 && paper.bindings >= 3),
                   fmt::format("Mean distance of draws below {}: at ω = 1 for all ε from {:g} to {:g}, {:.1f} decades; "
                               "at ε = 0.001 for {} of {} "
                               "strengths, which are ten times apart; in {} of {} settings",
                               agreement, step_sizes.front(), paper.largest_step, decades_of_step, paper.bindings,
                               strengths.size(), paper.agreeing, paper.cells)}};
  ReportTable table{.columns = {{.title = "variant", .is_number = false},
                                {.title = "settings that agree"},
                                {.title = "largest ε at ω = 1"},
                                {.title = "distance at ε = 0.01, ω = 1"}}};
  ReportSection section{
      .id = "binding",
      .name = "Binding",
      .title =
          fmt::format("Explicit and implicit steps draw the same samples in {} of {} settings; at ω = 1 up to ε = {:g}",
                      paper.agreeing, paper.cells, paper.largest_step),
      .text = {
          "A mixture of two Gaussians in the plane, a random 4 × 4 structure (k = 2), trajectories of 1000 steps, the "
          "same momenta, directions and uniforms for both. Draws are compared one by one: a single proposal that one "
          "integrator "
          "accepts and the other rejects sets the two samples apart from there on. Implicit steps are solved to 1e-10, "
          "where "
          "the paper has 1e-6, so that small distances can be seen. Copies that turn by θ = 2εω ≥ π in a step would "
          "swap: no such "
          "settings are tried."}};
  for (const Variant& variant : variants) {
    const Agreement of = agreement_of(runs, variant.name);
    table.rows.push_back({std::string(variant.label),
                          TableCell(of.agreeing, fmt::format("{} of {}", of.agreeing, of.cells)),
                          TableCell(of.largest_step, fmt::format("{:g}", of.largest_step)),
                          cell_of(typical(runs, variant.name, 0.01, 1.0))});
    section.figures.push_back(heat_map(runs, variant));
  }
  section.contrasts = contrasts_of(found.claims);
  section.table = std::move(table);
  found.sections.push_back(std::move(section));
  return found;
}

}  // namespace

Experiment binding_experiment(const Scale& scale) {
  Experiment experiment{.name = "binding", .title = "How strongly the copies are bound", .cells = {}, .reduce = reduce};
  for (const double step_size : step_sizes)
    for (const double omega : strengths) {
      const Setting setting{.step_size = step_size,
                            .omega = omega,
                            .draws = scale.quick ? 20 : 1000,
                            .runs = scale.runs,
                            .seed = scale.seed};
      if (!is_possible(setting)) continue;
      experiment.cells.push_back({.key = fmt::format("binding/step-{:g}-omega-{:g}", step_size, omega),
                                  .settings = {{"version", version()},
                                               {"step_size", step_size},
                                               {"omega", omega},
                                               {"steps", setting.steps},
                                               {"draws", setting.draws},
                                               {"runs", setting.runs},
                                               {"seed", setting.seed}},
                                  .compute = [=](const std::atomic<bool>& stop) { return run_cell(setting, stop); }});
    }
  return experiment;
}

}  // namespace darboux::experiments
