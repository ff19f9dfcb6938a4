/// Runs like those of `darboux sample`, with the draws kept in memory as the peers keep theirs, in CPU time of one thread:
///   in_memory OUT.draws OUT.json model=logistic data=FILE seed=1 …
/// Settings are those of `darboux sample`, and solver=fixed-point, which it does not offer. See worker.py for the two files.

#include <darboux/core/error.hpp>
#include <fstream>
#include <iostream>
#include <string>

#include "../stopwatch.hpp"
#include "run/run_config.hpp"

using namespace darboux;

int main(int argc, char** argv) try {
  RunConfig config;
  config.threads = 1;
  bool fixed_point = false;
  for (int i = 3; i < argc; ++i) {
    const std::string setting = argv[i];
    const std::size_t equals = setting.find('=');
    if (setting == "solver=fixed-point")
      fixed_point = true;
    else
      set_field(config, setting.substr(0, equals), setting.substr(equals + 1));
  }

  const double begin = bench::thread_seconds();
  RunPlan plan = make_plan(config);  // with a search for starting points
  if (fixed_point) plan.options.integrator_options.solver.method = SolverMethod::fixed_point;
  const auto chains = static_cast<std::size_t>(config.chains), draws = static_cast<std::size_t>(config.draws);
  const auto quantities = static_cast<std::size_t>(plan.model->dim());
  std::vector<double> values(quantities * chains * draws);
  std::int64_t accepted = 0;
  double frozen = begin;
  const SampleResult result =
      Sampler(plan.model, plan.options)
          .run(plan.starts,
               {.on_draw =
                    [&](const Draw& draw) {
                      if (draw.is_warmup) return;
                      const auto row = static_cast<std::size_t>(draw.iteration - plan.options.warmup);
                      for (std::size_t i = 0; i < quantities; ++i)
                        values[(i * chains + static_cast<std::size_t>(draw.chain)) * draws + row] = draw.values[i];
                      accepted += draw.transition->accepted ? 1 : 0;
                    },
                .on_frozen = [&](const Tuning&) { frozen = bench::thread_seconds(); }},
               plan.tuning);
  const double end = bench::thread_seconds();

  std::ofstream(argv[1], std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  std::ofstream(argv[2]) << "{\"chains\": " << chains << ", \"draws\": " << draws
                         << ", \"warmup_seconds\": " << frozen - begin << ", \"sampling_seconds\": " << end - frozen
                         << ", \"gradients\": " << result.sampling_gradients
                         << ", \"acceptance\": " << static_cast<double>(accepted) / static_cast<double>(chains * draws)
                         << "}\n";
} catch (const InputError& error) {
  std::cerr << "in_memory: " << error.what() << '\n';
  return 2;
}
