/// Runs like those of `darboux sample`, with the draws kept in memory as the peers keep theirs, in CPU time of one thread:
///   in_memory OUT.draws OUT.json model=logistic data=FILE seed=1 …
/// Settings are those of `darboux sample`, and solver=fixed-point, which it does not offer. See worker.py for the two files.

#include <darboux/core/error.hpp>
#include <fstream>
#include <iostream>
#include <string>

#include "../sampling_clock.hpp"
#include "draws/kept_draws.hpp"
#include "draws/memory_sink.hpp"
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
  SamplePlan plan = make_plan(config).sample;  // with a search for starting points
  if (fixed_point) plan.settings.solver.method = SolverMethod::fixed_point;
  const auto chains = static_cast<std::size_t>(config.chains), draws = static_cast<std::size_t>(config.draws);
  const auto quantities = static_cast<std::size_t>(plan.model->dim());
  MemorySink memory(config.chains, plan.model->names().size());
  KeptDraws kept(memory, 1, false);
  bench::SamplingClock clock;
  SinkList sinks({&kept, &clock});
  const SampleResult result = Sampler(plan.model, plan.settings).run(plan.starts, sinks, {.tuning = plan.tuning});
  const double end = bench::thread_seconds();

  std::int64_t accepted = 0;
  for (Index c = 0; c < memory.chains(); ++c)
    for (const Transition& t : memory.transitions(c)) accepted += t.accepted ? 1 : 0;
  std::ofstream file(argv[1], std::ios::binary);  // quantity by quantity, chain by chain
  for (std::size_t i = 0; i < quantities; ++i)
    for (const std::span<const double> chain : memory.column(i))
      file.write(reinterpret_cast<const char*>(chain.data()), static_cast<std::streamsize>(chain.size_bytes()));
  file.close();
  std::ofstream(argv[2]) << "{\"chains\": " << chains << ", \"draws\": " << draws
                         << ", \"warmup_seconds\": " << clock.begin() - begin
                         << ", \"sampling_seconds\": " << end - clock.begin()
                         << ", \"gradients\": " << result.sampling_gradients
                         << ", \"acceptance\": " << static_cast<double>(accepted) / static_cast<double>(chains * draws)
                         << "}\n";
} catch (const InputError& error) {
  std::cerr << "in_memory: " << error.what() << '\n';
  return 2;
}
