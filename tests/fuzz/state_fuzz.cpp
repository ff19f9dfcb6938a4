// What the sampler knows, as a checkpoint has it: a state that was left, with some of its bytes changed.

#include <array>
#include <atomic>
#include <chrono>

#include "darboux/model/registry.hpp"
#include "sample/sampler.hpp"
#include "target.hpp"

namespace darboux::fuzz {
namespace {

class Nowhere final : public DrawSink {
 public:
  void draw(const Draw&) override {}
};

class Keeper final : public CheckpointSink {
 public:
  bool wants_state() override { return true; }
  void take(Phase, int, std::string state) override { states.push_back(std::move(state)); }
  std::vector<std::string> states;
};

SamplerSettings settings_with(Metric metric) {
  SamplerSettings settings;
  settings.chains = 3;
  settings.warmup = 60;
  settings.draws = 4;
  settings.seed = 1;
  settings.metric = metric;
  settings.chooses_steps = true;
  settings.max_seconds = 2.0;
  return settings;
}

struct Started {
  explicit Started(Metric metric) : settings(settings_with(metric)), starts(model->dim(), settings.chains) {
    for (Index l = 0; l < starts.lanes(); ++l)
      for (Index j = 0; j < starts.rows(); ++j) starts(j, l) = 0.1 * static_cast<double>(l + j);
    Nowhere sink;
    (void)Sampler(model, settings).run(starts, sink, {.checkpoints = &keeper});
  }
  std::shared_ptr<const Model> model = make_model("banana", {});
  SamplerSettings settings;
  OwnedBatch starts;
  Keeper keeper;
};

/// The first two bytes choose the run and the state, three more each a place and what happens there.
const Target state("state", [](std::string_view input) {
  static const std::array<Started, 3> all{Started(Metric::dense), Started(Metric::diagonal), Started(Metric::low_rank)};
  const Started& one = all.at(take_byte(input) % all.size());
  std::string bytes = one.keeper.states[take_byte(input) % one.keeper.states.size()];
  while (input.size() >= 3) {
    const std::size_t high = take_byte(input), place = 256 * high + take_byte(input);
    bytes[place % bytes.size()] ^= static_cast<char>(take_byte(input));
  }
  if (!input.empty()) bytes.resize(bytes.size() - take_byte(input) % bytes.size());
  attempt([&] {
    Nowhere sink;
    (void)Sampler(one.model, one.settings).run(one.starts, sink, {.state = bytes});
  });
});

}  // namespace
}  // namespace darboux::fuzz
