#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <darboux/core/random.hpp>
#include <darboux/structure/recipes.hpp>
#include <darboux/version.hpp>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "beyond.hpp"
#include "data_set.hpp"
#include "gaussian_chain.hpp"
#include "io/checksum.hpp"
#include "linalg/dense.hpp"
#include "map_methods.hpp"
#include "model/banana.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/mixture.hpp"
#include "model/skewed.hpp"
#include "model/student_t.hpp"
#include "run/efficiency.hpp"
#include "sample/sample_plan.hpp"
#include "targets.hpp"

/// Where structure pays: ways to move, each at the best of a grid of the same size, on targets of many kinds, by gradients.
namespace darboux::experiments {

namespace {

using ModelPtr = std::shared_ptr<const Model>;

struct Target {
  std::string_view name;
  ModelPtr (*model)(const std::filesystem::path& data);
  bool log_concave = false;
  std::optional<Metric> metric{};  ///< where it is to be whitened worse than by default
  /// A product with a dense block of 1000 × 1000 costs a thousand gradients, and the theorem says what it can give.
  bool has_room_for_blocks = true;
};

/// Regression on one of the sets.
ModelPtr logistic(std::string_view name, const std::filesystem::path& data) {
  for (const DataSet& set : list_data_sets(data))
    if (set.name == name) return load_task(set, data).model;
  throw std::logic_error("no such data set");
}

template <class Known, auto... arguments>
ModelPtr known(const std::filesystem::path& /*data*/) {
  return std::make_shared<const Known>(arguments...);
}
template <Index dim>
ModelPtr standard_gaussian(const std::filesystem::path& /*data*/) {
  return std::make_shared<const Gaussian>(Gaussian::standard(dim));
}
ModelPtr uneven_gaussian(const std::filesystem::path& /*data*/) { return correlated_gaussian(100, 100.0); }
/// Two equal components whose means are so many standard deviations apart.
template <int distance>
ModelPtr two_modes(const std::filesystem::path& /*data*/) {
  constexpr double half = 0.5 * distance;
  return std::make_shared<const Mixture>(std::vector{0.5, 0.5},
                                         std::vector<std::vector<double>>{{half, 0}, {-half, 0}});
}

const std::array targets{
    Target{"gaussian 10", standard_gaussian<10>, true},
    Target{"gaussian 100", standard_gaussian<100>, true},
    Target{"gaussian 1000", standard_gaussian<1000>, true, std::nullopt, false},
    Target{"gaussian 100, condition 100", uneven_gaussian, true},
    Target{"the same, scaled only", uneven_gaussian, true, Metric::diagonal},
    Target{"logistic german", [](const std::filesystem::path& data) { return logistic("german", data); }, true},
    Target{"logistic heart", [](const std::filesystem::path& data) { return logistic("heart", data); }, true},
    Target{"logistic ripley", [](const std::filesystem::path& data) { return logistic("ripley", data); }, true},
    Target{"skewed 10", known<Skewed, 10>, true},
    Target{"funnel 10, centred", known<Funnel, 10>},
    Target{"funnel 10, non-centred", known<Funnel, 10, Funnel::Form::non_centred>, true},
    Target{"student-t 10", known<StudentT, 10, 5>},
    Target{"banana", known<Banana, 2>},
    Target{"mixture, 3 apart", two_modes<3>},
    Target{"mixture, 5 apart", two_modes<5>},
    Target{"eight schools", [](const std::filesystem::path&) { return eight_schools(); }},
    Target{"stochastic volatility 103", [](const std::filesystem::path&) { return stochastic_volatility(100); }}};

bool is_tried(const Target& target, const MapMethod& method) {
  return method.structure == nullptr || target.has_room_for_blocks;
}

constexpr std::uint64_t pilot_seed = 1'000'000'000;  // away from those of the runs that count

struct Candidate {
  double time = 1.5, acceptance = 0.8;
};

SampleOptions options_for(const Target& target, const MapMethod& method, const Candidate& candidate, Index dim,
                          bool quick) {
  SampleOptions o;
  o.warmup = quick ? 200 : 1000;
  o.draws = quick ? 100 : 1000;
  o.threads = 1;
  o.trajectory = TrajectoryKind::jittered;  // which leaves warm-up nothing to choose but step size and preconditioner
  o.trajectory_time = candidate.time;
  o.target_acceptance = candidate.acceptance;
  o.metric = target.metric;
  o.map = method.map;
  o.motion = method.motion;
  o.stages = method.stages;
  o.gradient_precision = GradientPrecision::full;  // the same gradients for all
  if (method.structure == nullptr) return o;
  o.structure = method.structure(dim, 0);
  if (o.structure->E().is_zero()) return o;
  o.tolerance = MapGrid::solver_tolerance;
  if (target.log_concave) o.reverse_check = 0.0;  // there is one root, which a solve back would find again
  return o;
}

/// With the structure, if it is a random one, of that seed.
Efficiency run_once(const ModelPtr& model, const MapMethod& method, SampleOptions options, std::uint64_t seed) {
  options.seed = seed;
  if (method.structure != nullptr) options.structure = method.structure(model->dim(), seed);
  const SamplePlan plan = plan_sampling(model, options);
  return measure_efficiency(plan.model, plan.settings, plan.starts);
}

double per_1000_gradients(const Efficiency& run) { return 1000.0 * run.ess() / run.gradients(); }

/// By one run of each. A setting with which it did not converge is chosen only where it converged with none.
Candidate best_candidate(const std::function<Efficiency(const Candidate&, std::uint64_t)>& run_with, const Scale& scale,
                         const std::atomic<bool>& stop) {
  Candidate best;
  std::pair<bool, double> most{false, -1.0};
  for (const double time : MapGrid::times)
    for (const double acceptance : MapGrid::acceptances) {
      if (scale.quick || stop) return best;
      const Efficiency pilot = run_with({time, acceptance}, pilot_seed + scale.seed);
      const std::pair found{pilot.converged(), per_1000_gradients(pilot)};
      if (found <= most) continue;
      most = found;
      best = {time, acceptance};
    }
  return best;
}

int runs_of(const Scale& scale) { return scale.quick ? std::min(scale.runs, 2) : scale.runs; }

Tables run_cell(const Target& target, const MapMethod& method, const Scale& scale, const std::atomic<bool>& stop) {
  const ModelPtr model = target.model(scale.data);
  const auto run_with = [&](const Candidate& candidate, std::uint64_t seed) {
    return run_once(model, method, options_for(target, method, candidate, model->dim(), scale.quick), seed);
  };
  const Candidate best = best_candidate(run_with, scale, stop);
  Tables tables;
  for (int run = 0; run < runs_of(scale) && !stop; ++run) {
    const Efficiency seen = run_with(best, 1000 * scale.seed + static_cast<std::uint64_t>(run));
    const double draws = static_cast<double>(SampleOptions().chains) * seen.cost.draws;
    append_row(tables["map"], {{"target", target.name},
                               {"method", method.name},
                               {"run", run + 1},
                               {"trajectory_time", best.time},
                               {"target_acceptance", best.acceptance},
                               {"step_size", seen.cost.tuning.step_size},
                               {"gradients_per_draw", seen.gradients() / draws},
                               {"min_bulk_ess", seen.bulk_ess},
                               {"min_square_ess", seen.square_ess},
                               {"squares_per_draw", seen.square_ess / draws},
                               {"ess_per_1000_gradients", per_1000_gradients(seen)},
                               {"failures", seen.failures},
                               {"rhat", seen.rhat},
                               {"converged", seen.converged()}});
  }
  return tables;
}

/// Of draws that the method makes of a small target: what was kept by a program that drew others is no result of this one.
std::string checksum_of_draws(const MapMethod& method) {
  const auto model = std::make_shared<const Skewed>(3);
  SampleOptions options = options_for({.name = "", .model = nullptr}, method, {.time = 2.5}, model->dim(), true);
  options.draws = 20;
  options.seed = 1;
  const SamplePlan plan = plan_sampling(model, options);
  std::string bytes;
  CallbackSink sink([&](const Draw& draw) {
    for (const double value : draw.values) bytes += fmt::format("{:a} ", value);
  });
  (void)Sampler(plan.model, plan.settings).run(plan.starts, sink);
  return fmt::format("{:08x}", checksum(bytes));
}

/// Random structures, refreshments and times on a Gaussian; and the quarter turn.
Tables theorem_cell(std::uint64_t seed, int structures) {
  Tables tables;
  const auto add = [&](std::string_view what, const GaussianChain& chain) {
    const EffectiveShares shares = effective_shares(chain);
    append_row(tables["theorem"], {{"structure", what},
                                   {"n", chain.structure.dim()},
                                   {"time", chain.time},
                                   {"kept", spectral_norm(chain.kept)},
                                   {"values_per_draw", shares.values},
                                   {"squares_per_draw", shares.squares}});
  };
  add("canonical quarter turn", {PoissonStructure::canonical(3), Matrix(3, 3), 0.5 * std::numbers::pi});
  for (int i = 0; i < structures; ++i) {
    RandomStream random({.seed = seed, .purpose = Purpose::data, .chain = static_cast<std::uint64_t>(i)});
    const Index n = 2 + i % 4;
    const std::uint64_t own = random.bits();
    const auto block = [&](std::uint64_t which) {
      return random_skew(n, SpectralStrength{2.0 * random.uniform()}, own + which);
    };
    const auto structure = PoissonStructure::from_blocks(block(0), Matrix::identity(n), block(1));
    Matrix kept(n, n);
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) kept(j, k) = random.normal();
    const double scale = 0.95 * random.uniform() / spectral_norm(kept);
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) kept(j, k) *= scale;
    add("random", {structure, kept, 0.1 + 3.0 * random.uniform()});
  }
  return tables;
}

}  // namespace

Experiment map_part(const Scale& scale) {
  Experiment part{.name = "map", .title = "Where structure pays", .cells = {}, .reduce = map_findings};
  static const std::vector<std::string> draws = [] {
    std::vector<std::string> checksums;
    for (const MapMethod& method : map_methods()) checksums.push_back(checksum_of_draws(method));
    return checksums;
  }();
  for (std::size_t t = 0; t < targets.size(); ++t)
    for (std::size_t m = 0; m < map_methods().size(); ++m) {
      const Target& target = targets.at(t);
      const MapMethod& method = map_methods()[m];
      if (!is_tried(target, method)) continue;
      part.cells.push_back(
          {.key = fmt::format("beyond/map-{}-{}", t + 1, m + 1),
           .settings = {{"version", version()},
                        {"draws", draws[m]},
                        {"target", target.name},
                        {"method", method.name},
                        {"strength", MapGrid::strength},
                        {"times", MapGrid::times},
                        {"acceptances", MapGrid::acceptances},
                        {"tolerance", MapGrid::solver_tolerance},
                        {"quick", scale.quick},
                        {"runs", runs_of(scale)},
                        {"seed", scale.seed}},
           .cost = method.structure != nullptr ? 5.0 : 1.0,
           .compute = [=](const std::atomic<bool>& stop) { return run_cell(target, method, scale, stop); }});
    }
  const int structures = scale.quick ? 40 : 400;
  part.cells.push_back({.key = "beyond/map-theorem",
                        .settings = {{"version", version()}, {"structures", structures}, {"seed", scale.seed}},
                        .cost = 0.01,
                        .compute = [=](const std::atomic<bool>&) { return theorem_cell(scale.seed, structures); }});
  return part;
}

}  // namespace darboux::experiments
