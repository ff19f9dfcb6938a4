/// Effective draws per gradient of the ways to choose trajectories, over many targets and seeds: ./dev bench --tuning.
/// Of each run the smallest effective size counts, over all quantities, of their bulk and of their squares.

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
  targets.push_back({"funnel 10", std::make_shared<Funnel>(10, Funnel::Form::non_centred)});
  targets.push_back({"student-t 10", std::make_shared<StudentT>(10, 5.0)});
  targets.push_back({"skewed 10", std::make_shared<Skewed>(10)});
  targets.push_back({"eight schools", eight_schools()});
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

/// Ours over theirs, seed by seed.
void print_ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
  if (theirs.size() != ours.size()) {
    std::printf("  the other program has %zu runs, not %zu: no ratio\n", theirs.size(), ours.size());
    return;
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  const IntervalEstimate other = interval_of(theirs), ratio = interval_of(ratios);
  std::printf("  the other program %.1f (%.1f, %.1f); ours over it %.2f (%.2f, %.2f), 95 %% intervals\n", other.center,
              other.low, other.high, ratio.center, ratio.low, ratio.high);
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 20;
  std::string data = "data", only, beside;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--seeds" && i + 1 < argc)
      seeds = std::stoi(argv[++i]);
    else if (flag == "--data" && i + 1 < argc)
      data = argv[++i];
    else if (flag == "--only" && i + 1 < argc)
      only = argv[++i];
    else if (flag == "--beside" && i + 1 < argc)
      beside = argv[++i];
    else
      names.push_back(flag);
  }
  if (names.empty()) names = {"nuts", "chees"};
  std::printf("%-28s %-28s %8s %26s %26s %8s %6s\n", "target", "method", "failures", "per 1000 gradients",
              "with warm-up", "of first", "R-hat");
  for (const Target& target : all_targets(data)) {
    if (target.name.find(only) == std::string::npos) continue;
    double first_center = 0.0;
    for (const std::string& name : names) {
      const Method method = parse(name);
      std::vector<double> per_gradient(static_cast<std::size_t>(seeds)), with_warmup(per_gradient), rhats(per_gradient);
      std::vector<std::int64_t> failures(per_gradient.size());
      parallel_for(static_cast<int>(std::thread::hardware_concurrency()), seeds, [&](Index i) {
        SampleOptions options = method.options;
        options.seed = static_cast<std::uint64_t>(i) + 1;
        const SamplePlan plan = plan_sampling(target.model, options);
        const Efficiency e = measure_efficiency(plan.model, plan.settings, plan.starts);
        const auto s = static_cast<std::size_t>(i);
        per_gradient[s] = 1000.0 * e.ess() / e.gradients();
        with_warmup[s] = 1000.0 * e.ess() / e.gradients_with_warmup();
        rhats[s] = e.rhat;
        failures[s] = e.failures;
      });
      const IntervalEstimate sampling = interval_of(per_gradient), all = interval_of(with_warmup);
      if (first_center == 0.0) first_center = sampling.center;
      std::int64_t failed = 0;
      for (const std::int64_t f : failures) failed += f;
      std::printf("%-28s %-28s %8lld %7.1f (%7.1f, %7.1f) %7.1f (%7.1f, %7.1f) %8.2f %6.3f\n", target.name.c_str(),
                  name.c_str(), static_cast<long long>(failed), sampling.center, sampling.low, sampling.high,
                  all.center, all.low, all.high, sampling.center / first_center,
                  *std::max_element(rhats.begin(), rhats.end()));
      if (!beside.empty())
        print_ratio(
            per_gradient,
            other_runs(beside, darboux::name(method.options.metric.value_or(default_metric(target.model->dim())))));
      std::fflush(stdout);
    }
  }
}
