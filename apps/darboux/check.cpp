#include <fmt/format.h>

#include <darboux/core/error.hpp>

#include "command.hpp"
#include "compilation.hpp"
#include "report/printable_text.hpp"
#include "run/model_check.hpp"
#include "run/run_config.hpp"
#include "settings.hpp"
#include "telling.hpp"

namespace darboux::cli {

namespace {

constexpr int failed = 1;

void print_gradient(const GradientCheck& g, Index points, const std::vector<std::string>& names) {
  fmt::print("Gradient against differences of the log density: {} components at {} points\n", g.components,
             points - g.refused);
  if (g.refused > 0) fmt::print("  {} points were refused by the model\n", g.refused);
  const auto show = [&](const GradientComponent& c) {
    const auto j = static_cast<std::size_t>(c.coordinate);
    fmt::print("  {} (coordinate {}) at point {}: gradient {:.10g}, differences {:.10g} ± {:.1g}\n",
               j < names.size() ? names[j] : "", c.coordinate + 1, c.point + 1, c.gradient, c.differences,
               c.uncertainty);
  };
  if (g.passed()) {
    fmt::print("  ok; the largest deviation is {:.2g} of what the differences leave uncertain\n", g.worst.excess);
    return;
  }
  constexpr std::size_t most = 5;
  fmt::print("  WRONG in {} of them; the worst:\n", g.wrong.size());
  for (std::size_t i = 0; i < std::min(most, g.wrong.size()); ++i) show(g.wrong[i]);
  fmt::print("Mend the gradient first: nothing that is built on it would mean anything.\n");
}

void print_motion(const ModelCheck& check, Index chains) {
  fmt::print("\n{}: {} chains forward and back, from posterior points, in whitened coordinates\n",
             check.integrator.name, chains);
  fmt::print("  step size   steps   gradients/step   rms energy error   return error   failed\n");
  for (const ModelCheck::Motion& m : check.motions)
    fmt::print("  {:>9.4g}   {:>5}   {:>14.2f}   {:>16.3g}   {:>12.0e}   {:>6}\n", m.step_size, m.steps,
               m.seen.gradients, m.seen.energy_error, m.seen.return_error, m.seen.failed);
  if (const auto order = check.observed_order())
    fmt::print("  Halving the step divides the energy error by {:.3g}: order {:.1f}{}\n", std::exp2(*order), *order,
               check.integrator.doubled_space ? " (at a fixed angle of the binding)"
                                              : fmt::format(" (in theory {})", check.integrator.order));
  if (check.integrator.exactness == Exactness::approximate)
    fmt::print("  APPROXIMATE: this integrator does not return to its start; its draws have a bias\n");
  else if (check.return_error() <= ModelCheck::return_threshold)
    fmt::print("  ok; reversible to {:.0e}\n", check.return_error());
  else
    fmt::print(
        "  NOT REVERSIBLE to {:.0e}: a model whose answers are not a function of the point, or that is too rough "
        "for this step size?\n",
        ModelCheck::return_threshold);
}

int check_and_print(const Settings& settings, const std::string& model) {
  RunConfig config = settings.gather();
  if (!model.empty()) config.model = model;
  if (config.model.empty()) throw InputError("which model? Name one: darboux check MODEL. darboux models lists them");
  config.chains = 16;
  const SamplePlan plan = make_plan(config, compilation_told()).sample;
  const ModelCheck check = check_model(plan);
  print_facts(*plan.model);
  print_gradient(check.gradient, plan.starts.q.lanes(), plan.model->names());
  if (!check.motions.empty()) print_motion(check, plan.starts.q.lanes());
  for (const std::string& remark : plan.model->remarks()) fmt::print("{}\n", printable(remark));
  return check.passed() ? 0 : failed;
}

}  // namespace

Subcommand add_check(CLI::App& root) {
  CLI::App* parser =
      root.add_subcommand("check", "test a model's gradient, and an integrator's reversibility and energy");
  const auto model = std::make_shared<std::string>();
  parser->add_option("MODEL", *model,
                     "a built-in model (darboux models lists them), or a Stan program: NAME.stan, or NAME.so");
  const auto settings = add_settings(*parser, {groups::model, groups::phase_space, groups::integrator, "seed", "init"});
  parser->footer(
      "Exit status: 0 if all is well, 1 if something is not, 2 for bad input.\n"
      "\n"
      "Examples:\n"
      "  darboux check logistic --data my.csv\n"
      "  darboux check fitzhugh-nagumo --structure coupled --integrator doubled");
  return {parser, [settings, model] { return check_and_print(*settings, *model); }};
}

}  // namespace darboux::cli
