#include "calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/run/sample.hpp>
#include <darboux/structure/recipes.hpp>
#include <map>
#include <numbers>
#include <utility>

#include "provenance.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace darboux::proofs {

namespace {

using namespace experiments;

constexpr int bins = 20;
constexpr int apart = 40;  // iterations between draws that count: 4 chains of 1000 have 100 of them

struct Way {
  const char* name;
  SampleOptions options;
};

std::vector<Way> ways(Index dim) {
  const SampleOptions plain{.threads = 1};
  const PoissonStructure coupled =
      make_structure(Recipe::coupled, dim, {.size = SpectralStrength{0.8}, .seed = 3, .A = {}});
  std::vector<Way> all{
      {"defaults", plain}, {"doubled", plain}, {"split-midpoint", plain}, {"nuts", plain}, {"microcanonical", plain}};
  for (const std::size_t i : {1U, 2U}) all[i].options.structure = coupled;
  all[1].options.integrator = IntegratorKind::doubled;
  all[2].options.integrator = IntegratorKind::split_midpoint;
  all[3].options.trajectory = TrajectoryKind::nuts;
  all[4].options.motion = MotionKind::microcanonical;
  return all;
}

double log_density_at(const Model& model, const std::vector<double>& q) {
  OwnedBatch at(model.dim(), 1);
  for (Index j = 0; j < model.dim(); ++j) at(j, 0) = q[static_cast<std::size_t>(j)];
  LaneVector<double> value(1);
  LaneVector<std::uint8_t> active(1, 1);
  LaneVector<Status> status(1, Status::ok);
  model.make_evaluator()->evaluate({.q = at, .active = active, .gradient = false},
                                   {.log_density = value, .gradient = {}, .status = status});
  return value[0];
}

/// Of all quantities that a draw reports, and of the log density.
std::vector<int> ranks_of_truth(const World& world, SampleOptions options) {
  const Model& model = *world.posterior;
  std::vector<double> natural(model.names().size());
  model.constrain(world.truth, {}, natural);
  const double log_density = log_density_at(model, world.truth);
  std::vector<int> ranks(natural.size() + 1, 0);
  int seen = 0;
  CallbackSink sink([&](const Draw& draw) {
    if (draw.phase == Phase::warmup || draw.iteration % apart != 0 || seen == ranked_draws) return;
    ++seen;
    for (std::size_t i = 0; i < natural.size(); ++i) ranks[i] += draw.values[i] < natural[i] ? 1 : 0;
    ranks.back() += draw.transition.log_density < log_density ? 1 : 0;
  });
  (void)sample(world.posterior, options, {.sink = &sink});
  return ranks;
}

Tables compute(const std::string& model, const std::string& way, const Scale& scale, int round,
               const std::atomic<bool>& stop) {
  Tables tables;
  for (int r = 0; r < scale.replications && !stop; ++r) {
    // The same worlds for all methods, other random numbers of each run.
    const std::string words = fmt::format("{}/{}/{}", model, round, r);
    const World world = make_world(model, seed_of(scale.seed, "world/" + words));
    for (Way& each : ways(world.posterior->dim())) {
      if (each.name != way) continue;
      each.options.seed = seed_of(scale.seed, way + "/" + words) >> 1U;
      const std::vector<int> ranks = ranks_of_truth(world, each.options);
      for (std::size_t i = 0; i < ranks.size(); ++i)
        append_row(tables["ranks"], {{"replication", r}, {"quantity", i}, {"rank", ranks[i]}});
    }
  }
  return tables;
}

Cell cell_of(const std::string& model, const std::string& way, const Scale& scale, int round) {
  return {.key = fmt::format("calibration/{}/{}/{}", model, way, round),
          .settings = {{"program", checksum_of_program()}, {"seed", scale.seed}, {"replications", scale.replications}},
          .cost = 1.0,
          .compute = [=](const std::atomic<bool>& stop) { return compute(model, way, scale, round, stop); }};
}

/// Where a model comes from makes no difference to methods: of the Stan program one is enough.
template <class Visit>
void for_each_pair(const Visit& visit) {
  for (const std::string& model : world_names())
    for (const char* way : {"defaults", "doubled", "split-midpoint", "nuts", "microcanonical"})
      if (model != "eight-schools-stan" || std::string_view(way) == "defaults") visit(model, std::string(way));
}

std::vector<std::string> quantities_of(const std::string& model) {
  std::vector<std::string> names = make_world(model, 1).posterior->names();
  names.emplace_back("log density");
  return names;
}

/// The cumulative probabilities of Binomial(n, p), from both ends.
struct Binomial {
  std::vector<double> up, down;  // P(X ≤ k), P(X ≥ k)
  Binomial(int n, double p) : up(static_cast<std::size_t>(n) + 1), down(up.size()) {
    std::vector<double> mass(up.size());
    for (int k = 0; k <= n; ++k)
      mass[static_cast<std::size_t>(k)] =
          std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(p) +
                   (n - k) * std::log1p(-p));
    double sum = 0.0;
    for (std::size_t k = 0; k < mass.size(); ++k) up[k] = sum += mass[k];
    sum = 0.0;
    for (std::size_t k = mass.size(); k-- > 0;) down[k] = sum += mass[k];
  }
  [[nodiscard]] double two_sided(int k) const {
    const auto i = static_cast<std::size_t>(k);
    return std::min(1.0, 2.0 * std::min(up[i], down[i]));
  }
};

/// Of how many of the ranks are in the first b bins, b = 1, …, count − 1.
const std::vector<Binomial>& binomials(int replications, std::size_t count) {
  static std::map<std::pair<int, std::size_t>, std::vector<Binomial>> known;
  auto& all = known[{replications, count}];
  while (all.size() + 1 < count)
    all.emplace_back(replications, static_cast<double>(all.size() + 1) / static_cast<double>(count));
  return all;
}

}  // namespace

double least_band(std::span<const int> counts) {
  int replications = 0;
  for (const int count : counts) replications += count;
  const std::vector<Binomial>& at = binomials(replications, counts.size());
  double least = 1.0;
  int below = 0;
  for (std::size_t b = 0; b + 1 < counts.size(); ++b) least = std::min(least, at[b].two_sided(below += counts[b]));
  return least;
}

namespace {

/// least_band of uniform ranks, simulated, in increasing order.
const std::vector<double>& simulated_bands(int replications, int simulations) {
  static std::map<std::pair<int, int>, std::vector<double>> known;
  std::vector<double>& all = known[{replications, simulations}];
  for (auto s = static_cast<std::uint64_t>(all.size()); s < static_cast<std::uint64_t>(simulations); ++s) {
    RandomStream random({.seed = 2022, .purpose = Purpose::data, .chain = s});
    std::array<int, bins> counts{};
    for (int r = 0; r < replications; ++r) ++counts[static_cast<std::size_t>(random.uniform() * bins)];
    all.push_back(least_band(counts));
    if (all.size() == static_cast<std::size_t>(simulations)) std::ranges::sort(all);
  }
  return all;
}

/// How often ranks are outside where the truth is N(shift, width²) of the posterior, in its own units.
double power(int replications, double edge, double shift, double width) {
  constexpr int experiments = 200;
  int seen = 0;
  for (std::uint64_t e = 0; e < experiments; ++e) {
    RandomStream random({.seed = 2023, .purpose = Purpose::data, .chain = e});
    std::array<int, bins> counts{};
    for (int r = 0; r < replications; ++r) {
      const double u = 0.5 * std::erfc(-(shift + width * random.normal()) / std::numbers::sqrt2);
      ++counts[std::min<std::size_t>(static_cast<std::size_t>(u * bins), bins - 1)];
    }
    seen += least_band(counts) <= edge ? 1 : 0;
  }
  return static_cast<double>(seen) / experiments;
}

}  // namespace

double band_p_value(double observed, int replications, int simulations) {
  const std::vector<double>& all = simulated_bands(replications, simulations);
  const auto as_small = std::ranges::upper_bound(all, observed) - all.begin();
  return (1.0 + static_cast<double>(as_small)) / (1.0 + static_cast<double>(all.size()));
}

VisibleError visible_error(int replications, std::size_t tests) {
  const std::vector<double>& all = simulated_bands(replications, band_simulations);
  const double edge =
      all[static_cast<std::size_t>(false_alarm / static_cast<double>(tests) * static_cast<double>(all.size()))];
  VisibleError error{.shift = 0.02, .width = 1.02};
  while (error.shift < 3.0 && power(replications, edge, error.shift, 1.0) < 0.9) error.shift += 0.02;
  while (error.width < 5.0 && power(replications, edge, 0.0, error.width) < 0.9) error.width += 0.02;
  return error;
}

std::vector<std::pair<std::string, std::string>> calibrated_rows() {
  std::vector<std::pair<std::string, std::string>> rows;
  for_each_pair([&](const std::string& model, const std::string& way) { rows.emplace_back(way, model); });
  return rows;
}

std::vector<Cell> calibration_cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (int round = 0; round < scale.rounds; ++round)
    for_each_pair([&](const std::string& model, const std::string& way) {
      if (can_make(model)) cells.push_back(cell_of(model, way, scale, round));
    });
  return cells;
}

Tables reduce_calibration(const Scale& scale, const std::filesystem::path& folder) {
  Tables tables;
  std::vector<double> p;
  for_each_pair([&](const std::string& model, const std::string& way) {
    std::vector<Table> kept;
    for (int round = 0; round < scale.rounds; ++round)
      if (auto of_round = kept_tables(cell_of(model, way, scale, round), folder))
        kept.push_back(std::move(of_round->at("ranks")));
    if (kept.empty()) return;
    const std::vector<std::string> names = quantities_of(model);
    std::vector<std::array<int, bins>> counts(names.size());
    for (const Table& ranks : kept) {
      for (std::size_t row = 0; row < row_count(ranks); ++row)
        ++counts[static_cast<std::size_t>(numbers(ranks, "quantity")[row])]
                [static_cast<std::size_t>(numbers(ranks, "rank")[row]) * bins / (ranked_draws + 1)];
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      int replications = 0;
      for (const int count : counts[i]) replications += count;
      for (std::size_t b = 0; b < bins; ++b)
        append_row(
            tables["ranks"],
            {{"model", model}, {"method", way}, {"quantity", names[i]}, {"bin", b + 1}, {"count", counts[i][b]}});
      p.push_back(band_p_value(least_band(counts[i]), replications));
      append_row(
          tables["verdicts"],
          {{"model", model}, {"method", way}, {"quantity", names[i]}, {"replications", replications}, {"p", p.back()}});
    }
  });
  if (p.empty()) return tables;
  Table& verdicts = tables["verdicts"];
  verdicts.push_back({"corrected_p", holm(p)});
  std::map<int, VisibleError> visible;  // most have the same number of replications
  std::vector<double> shifts, widths;
  for (const double each : numbers(verdicts, "replications")) {
    const auto replications = static_cast<int>(each);
    if (!visible.contains(replications)) visible[replications] = visible_error(replications, p.size());
    shifts.push_back(visible[replications].shift);
    widths.push_back(visible[replications].width);
  }
  verdicts.push_back({"visible_shift", shifts});
  verdicts.push_back({"visible_width", widths});
  return tables;
}

}  // namespace darboux::proofs
