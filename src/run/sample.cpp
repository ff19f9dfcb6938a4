#include "darboux/run/sample.hpp"

#include <optional>

#include "darboux/diagnose/ess.hpp"
#include "draws/kept_draws.hpp"
#include "run/draws_content.hpp"
#include "run/ess_target.hpp"

namespace darboux {

namespace {

double smallest_bulk_ess(const MemorySink& memory) {
  SmallestEss smallest;
  smallest.add(ess_bulk(ChainDraws(memory.log_densities())));
  for (std::size_t i = 0; i < memory.columns(); ++i) smallest.add(ess_bulk(ChainDraws(memory.column(i))));
  return smallest.value();
}

}  // namespace

Draws sample(std::shared_ptr<const Model> model, const SampleOptions& options, const SampleWatch& watch) {
  return sample_as_planned(plan_sampling(std::move(model), options), watch);
}

Draws sample_as_planned(SamplePlan plan, const SampleWatch& watch) {
  return sample_into(std::make_shared<Draws::Content>(std::move(plan)), watch);
}

Draws sample_into(std::shared_ptr<Draws::Content> content, const SampleWatch& watch) {
  const SampleOptions& asked = content->plan.asked;
  KeptDraws kept(content->memory, asked.thin, asked.save_warmup);
  SinkList sinks(watch.sink == nullptr ? std::vector<DrawSink*>{&kept} : std::vector<DrawSink*>{&kept, watch.sink});
  std::optional<EssTarget> target;
  RunControl control{.stop = watch.stop, .tuning = content->plan.tuning};
  if (asked.target_ess) {
    target.emplace(asked, [&] { return smallest_bulk_ess(content->memory); });
    control.next_look = [&](int drawn) { return target->next_look(drawn); };
  }
  content->result = Sampler(content->plan.model, content->plan.settings).run(content->plan.starts, sinks, control);
  return Draws(std::move(content));
}

Draws finished_so_far(const Draws::Content& running, SampleResult so_far) {
  const auto content = std::make_shared<Draws::Content>(running.plan);
  content->memory.take_finished(running.memory);
  so_far.draws = static_cast<int>(content->memory.transitions(0).size());
  content->result = std::move(so_far);
  return Draws(content);
}

}  // namespace darboux
