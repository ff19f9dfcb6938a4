/// Effective draws per gradient of the ways to choose trajectories, over many targets and seeds: ./dev bench --tuning.
/// Of each run the smallest effective size counts, over all quantities, of their bulk and of their squares. Numbers are geometric
/// means over seeds with 95 % intervals; ratios to the first method are taken seed by seed.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <darboux/model/registry.hpp>
#include <experiments/targets.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/parallel.hpp"
#include "model/banana.hpp"
#include "model/fitzhugh_nagumo.hpp"
#include "model/funnel.hpp"
#include "model/mixture.hpp"
#include "model/skewed.hpp"
#include "model/start.hpp"
#include "model/student_t.hpp"
#include "run/efficiency.hpp"
#include "sample/sample_plan.hpp"

using namespace darboux;

namespace {

struct Target {
  std::string name;
  std::shared_ptr<const Model> model;
};

std::vector<Target> all_targets(const std::string& data) {
  std::vector<Target> targets;
  for (const Index dim : {10, 100, 1000})
    for (const double condition : {1.0, 100.0, 1e4}) {
      char name[64];
      std::snprintf(name, sizeof name, "gaussian %td, condition %g", dim, condition);
      targets.push_back({name, correlated_gaussian(dim, condition)});
    }
  targets.push_back({"random walk 300", random_walk(300)});
  targets.push_back({"banana", std::make_shared<Banana>(2)});
  targets.push_back({"mixture", std::make_shared<Mixture>()});
  targets.push_back({"funnel 10", std::make_shared<Funnel>(10, Funnel::Form::non_centred)});
  targets.push_back({"funnel 10, centred", std::make_shared<Funnel>(10)});
  for (const Index dim : {10, 30})
    targets.push_back({"student-t " + std::to_string(dim), std::make_shared<StudentT>(dim, 5.0)});
  for (const Index groups : {50, 200})
    targets.push_back({"regression with groups " + std::to_string(groups), grouped_regression(groups)});
  targets.push_back({"stochastic volatility 200", stochastic_volatility(200)});
  targets.push_back({"skewed 10", std::make_shared<Skewed>(10)});
  targets.push_back({"eight schools", eight_schools()});                              // mu, log tau and eta
  targets.push_back({"eight schools as reported", make_model("eight-schools", {})});  // mu, tau and theta
  targets.push_back({"fitzhugh-nagumo", std::make_shared<FitzHughNagumo>()});
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(data))
    if (entry.path().extension() == ".csv" && entry.path().stem() != "sets") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    ModelOptions options;
    options.data = file;
    options.prior_intercept = 1.0;  // with what follows the paper's prior, which bench/peers/logistic.stan has, too
    options.standardise = Standardising::all;
    targets.push_back({"logistic " + std::filesystem::path(file).stem().string(), make_model("logistic", options)});
  }
  return targets;
}

struct Method {
  std::string name;
  SampleOptions options;
};

/// NAME[:SETTING=VALUE]…, with the name of a rule or `default`, as in chees:accept=0.7 or jittered:time=1.5 or nuts:chains=16:metric=diagonal:map=none.
Method parse(const std::string& text) {
  Method method{text, {}};
  SampleOptions& o = method.options;
  std::size_t at = text.find(':');
  o.threads = 1;
  if (text.substr(0, at) != "default") o.trajectory = from_name<TrajectoryKind>("trajectory", text.substr(0, at));
  while (at != std::string::npos) {
    const std::size_t end = text.find(':', at + 1);
    const std::string setting = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    const std::string text_value = setting.substr(equals + 1);
    at = end;
    if (key == "metric") {
      o.metric = from_name<Metric>("metric", text_value);
      continue;
    }
    if (key == "map") {
      o.map = from_name<MarginalMap>("map", text_value);
      continue;
    }
    if (key == "motion") {
      o.motion = from_name<MotionKind>("motion", text_value);
      continue;
    }
    const double value = std::stod(text_value);
    if (key == "accept") o.target_acceptance = value;
    if (key == "time") o.trajectory_time = value;
    if (key == "chains") o.chains = static_cast<Index>(value);
    if (key == "draws") o.draws = static_cast<int>(value);
    if (key == "stages") o.stages = static_cast<int>(value);
    if (key == "kept") o.momentum_kept = value;
    if (key == "warmup") o.warmup = static_cast<int>(value);
  }
  return method;
}

/// Effective draws per 1000 gradients of another program's runs with a metric, from lines METRIC,SEED,NUMBER.
std::vector<double> other_runs(const std::string& file, std::string_view metric) {
  std::vector<double> runs;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(std::string(metric) + ",")) runs.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  return runs;
}

constexpr const char* usage = R"(./dev bench --tuning [OPTIONS] [METHOD]...
effective draws per 1000 gradients of ways to choose trajectories; ratios are to the first METHOD, with 95 % intervals
  METHOD       default, jittered, chees or nuts, and :SETTING=VALUE as often as wanted, of metric, map, motion, accept, time, chains,
               draws, stages, kept and warmup: default:motion=microcanonical:stages=2. When absent jittered:map=none, which was the
               default once, and default
  --seeds N    runs of each; 20
  --only TEXT  targets that have it in their names; all when absent
  --data DIR   folder of the tables of logistic regressions; data
  --beside F   lines METRIC,SEED,NUMBER of another program
  --stan [N]   instead of all that: NUTS beside Stan's, with N seeds
)";

struct Asked {
  int seeds = 20;
  std::string data = "data", only, beside;
  /// The former default, steps by acceptance alone in straight coordinates, and what warm-up chooses now.
  std::vector<std::string> methods{"jittered:map=none", "default"};
};

Asked read(int argc, char** argv) {
  Asked asked;
  std::vector<std::string> methods;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--seeds" && i + 1 < argc)
      asked.seeds = std::stoi(argv[++i]);
    else if (flag == "--data" && i + 1 < argc)
      asked.data = argv[++i];
    else if (flag == "--only" && i + 1 < argc)
      asked.only = argv[++i];
    else if (flag == "--beside" && i + 1 < argc)
      asked.beside = argv[++i];
    else
      methods.push_back(flag);
  }
  if (!methods.empty()) asked.methods = std::move(methods);
  return asked;
}

/// Of each seed.
struct Runs {
  std::vector<double> per_gradient, with_warmup;  // effective draws per 1000
  double rhat = 0.0;                              // the largest
  std::int64_t failures = 0;
};

Runs runs_of(const Target& target, const SampleOptions& options, int seeds) {
  std::vector<Efficiency> found(static_cast<std::size_t>(seeds));
  parallel_for(static_cast<int>(std::thread::hardware_concurrency()), seeds, [&](Index i) {
    SampleOptions mine = options;
    mine.seed = static_cast<std::uint64_t>(i) + 1;
    const SamplePlan plan = plan_sampling(target.model, mine);
    found[static_cast<std::size_t>(i)] = measure_efficiency(plan.model, plan.settings, plan.starts);
  });
  Runs runs;
  for (const Efficiency& e : found) {
    runs.per_gradient.push_back(1000.0 * e.ess() / e.gradients());
    runs.with_warmup.push_back(1000.0 * e.ess() / e.gradients_with_warmup());
    runs.rhat = std::max(runs.rhat, e.rhat);
    runs.failures += e.failures;
  }
  return runs;
}

/// Seed by seed: the geometric mean of ratios and its interval.
IntervalEstimate ratio_of(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  return interval_of(ratios);
}

void print_beside(const std::vector<double>& ours, const std::vector<double>& theirs) {
  if (theirs.size() != ours.size()) {
    std::printf("  the other program has %zu runs, not %zu: no ratio\n", theirs.size(), ours.size());
    return;
  }
  const IntervalEstimate other = interval_of(theirs), ratio = ratio_of(ours, theirs);
  std::printf("  the other program %.1f (%.1f, %.1f); ours over it %.2f (%.2f, %.2f), 95 %% intervals\n", other.center,
              other.low, other.high, ratio.center, ratio.low, ratio.high);
}

void print(const std::string& target, const std::string& method, const Runs& runs, const Runs& first) {
  const IntervalEstimate sampling = interval_of(runs.per_gradient), all = interval_of(runs.with_warmup);
  std::string of_first;
  if (&runs != &first) {
    const IntervalEstimate ratio = ratio_of(runs.per_gradient, first.per_gradient);
    char text[64];
    std::snprintf(text, sizeof text, "%.2f (%.2f, %.2f)", ratio.center, ratio.low, ratio.high);
    of_first = text;
  }
  std::printf("%-28s %-28s %8lld %7.1f (%7.1f, %7.1f) %7.1f (%7.1f, %7.1f) %20s %6.3f\n", target.c_str(),
              method.c_str(), static_cast<long long>(runs.failures), sampling.center, sampling.low, sampling.high,
              all.center, all.low, all.high, of_first.c_str(), runs.rhat);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  const Asked asked = read(argc, argv);
  std::printf("%-28s %-28s %8s %26s %26s %20s %6s\n", "target", "method", "failures", "per 1000 gradients",
              "with warm-up", "of the first", "R-hat");
  for (const Target& target : all_targets(asked.data)) {
    if (target.name.find(asked.only) == std::string::npos) continue;
    std::vector<Runs> of_methods;
    of_methods.reserve(asked.methods.size());
    for (const std::string& name : asked.methods) {
      const Method method = parse(name);
      of_methods.push_back(runs_of(target, method.options, asked.seeds));
      const Runs& runs = of_methods.back();
      print(target.name, name, runs, of_methods.front());
      if (!asked.beside.empty()) {
        const Metric metric = method.options.metric.value_or(default_metric(target.model->dim()));
        print_beside(runs.per_gradient, other_runs(asked.beside, darboux::name(metric)));
      }
      std::fflush(stdout);
    }
  }
}
