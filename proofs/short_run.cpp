#include "short_run.hpp"

#include <algorithm>
#include <darboux/run/sample.hpp>
#include <darboux/structure/recipes.hpp>

#include "sample/sample_plan.hpp"

namespace darboux::proofs {

namespace {

constexpr Index chains = 4;

OwnedBatch exact_draws(const KnownLaw& law, std::uint64_t seed) {
  OwnedBatch starts(law.dim(), chains);
  std::vector<double> q(static_cast<std::size_t>(law.dim()));
  for (Index lane = 0; lane < chains; ++lane) {
    RandomStream random({.seed = seed, .purpose = Purpose::data, .chain = static_cast<std::uint64_t>(lane)});
    law.draw(random, q);
    for (Index j = 0; j < law.dim(); ++j) starts(j, lane) = q[static_cast<std::size_t>(j)];
  }
  return starts;
}

/// Draws of one thread, as they come.
class Recorder final : public DrawSink {
 public:
  explicit Recorder(const KnownLaw& law) : law_(law) {
    run.first.resize(chains);
    run.last.resize(chains);
    run.means.assign(law.quantities.size(), 0.0);
  }

  void draw(const Draw& draw) override {
    if (draw.phase == Phase::warmup) return;
    std::vector<double> q(static_cast<std::size_t>(law_.dim()));
    law_.model->unconstrain(draw.values, q);
    for (std::size_t k = 0; k < run.means.size(); ++k) run.means[k] += law_.quantities[k]({.q = q, .p = {}});
    count_ += 1.0;
    auto& first = run.first[static_cast<std::size_t>(draw.chain)];
    if (first.empty()) first = q;
    run.last[static_cast<std::size_t>(draw.chain)] = std::move(q);
  }
  ShortRun finished() {
    for (double& mean : run.means) mean /= std::max(1.0, count_);
    run.draws = count_ / chains;
    return std::move(run);
  }

 private:
  const KnownLaw& law_;
  ShortRun run;
  double count_ = 0.0;
};

/// Its state when so many draws were made.
class Stopper final : public CheckpointSink {
 public:
  bool wants_state() override { return true; }
  void take(Phase, int, std::string state) override { last = std::move(state); }
  std::string last;
};

void run_in_two_parts(const SamplePlan& plan, Recorder& recorder) {
  SamplerSettings settings = plan.settings;
  settings.draws /= 2;
  Stopper stopper;
  (void)Sampler(plan.model, settings).run(plan.starts, recorder, {.checkpoints = &stopper});
  settings.draws = plan.settings.draws;
  (void)Sampler(plan.model, settings).run(plan.starts, recorder, {.state = stopper.last});
}

}  // namespace

std::vector<Way> ways_to_run() {
  const SampleOptions brief{.chains = chains, .warmup = 200, .draws = 20, .threads = 1};
  std::vector<Way> ways{{.name = "defaults", .options = brief}};
  ways.push_back({.name = "--trajectory nuts", .laws = "skewed banana", .options = brief});
  ways.back().options.trajectory = TrajectoryKind::nuts;
  for (const auto& [label, kind] : {std::pair{"--integrator doubled", IntegratorKind::doubled},
                                    {"--integrator split-midpoint", IntegratorKind::split_midpoint}}) {
    ways.push_back({.name = label, .laws = "skewed banana", .options = brief});
    ways.back().options.integrator = kind;
    ways.back().options.structure =
        make_structure(Recipe::coupled, 2, {.size = SpectralStrength{0.8}, .seed = 3, .A = {}});
  }
  ways.push_back({.name = "--tuning", .options = brief, .uses_tuning = true});
  ways.back().options.warmup = 20;
  ways.push_back({.name = "resume", .laws = "skewed banana", .options = brief, .is_resumed = true});
  for (const bool uses_tuning : {false, true}) {
    ways.push_back({.name = uses_tuning ? "--target-ess 3000 --tuning" : "--target-ess 1000",
                    .laws = "skewed banana",
                    .options = brief,
                    .uses_tuning = uses_tuning});
    if (uses_tuning) ways.back().options.warmup = 20;
    ways.back().options.target_ess = uses_tuning ? 3000.0 : 1000.0;  // what was adapted so briefly takes more draws
    ways.back().options.max_draws = 20'000;
  }
  for (const auto& [label, trajectory] : {std::pair{"--max-seconds 0.005 --tuning", TrajectoryKind::jittered},
                                          {"--max-seconds 0.005 --tuning --trajectory nuts", TrajectoryKind::nuts}}) {
    ways.push_back({.name = label, .laws = "skewed banana", .options = brief, .uses_tuning = true});
    ways.back().options.warmup = 20;
    ways.back().options.draws = 1'000'000;
    ways.back().options.max_seconds = 0.005;
    ways.back().options.trajectory = trajectory;
  }
  return ways;
}

namespace {

ShortRun run_once(const KnownLaw& law, const Way& way, const std::optional<Tuning>& tuning, std::uint64_t seed) {
  SampleOptions options = way.options;
  options.seed = seed;
  options.starts = exact_draws(law, seed);
  options.tuning = tuning;
  Recorder recorder(law);
  if (way.is_resumed) {
    run_in_two_parts(plan_sampling(law.model, std::move(options)), recorder);
  } else {
    (void)sample(law.model, options, {.sink = &recorder});
  }
  return recorder.finished();
}

}  // namespace

ShortRun short_run(const KnownLaw& law, const Way& way, const std::optional<Tuning>& tuning, std::uint64_t seed) {
  ShortRun run = run_once(law, way, tuning, seed);
  if (run.draws > 0.0) return run;
  Way without_clock = way;
  without_clock.options.max_seconds.reset();
  without_clock.options.draws = 1;
  run = run_once(law, without_clock, tuning, seed);
  run.clock_was_first = true;
  return run;
}

Tuning earlier_tuning(const KnownLaw& law, const Way& way, std::uint64_t seed) {
  SampleOptions options{.warmup = 1000, .draws = 1, .seed = seed, .threads = 1};
  options.trajectory = way.options.trajectory;
  return sample(law.model, options).result().tuning;
}

}  // namespace darboux::proofs
