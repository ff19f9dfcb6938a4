#include "effective_size.hpp"

#include <algorithm>
#include <darboux/run/sample.hpp>
#include <stdexcept>

#include "diagnose/describe.hpp"
#include "diagnose/ess_estimator.hpp"
#include "linalg/autocovariance.hpp"

namespace darboux::experiments {

namespace {

constexpr std::uint64_t reference_seed = 2'000'000'000;  // away from those of runs

std::vector<double> squared_distances(const ChainDraws& draws, double from) {
  std::vector<double> squares;
  squares.reserve(draws.size());
  for (const auto chain : draws)
    for (const double x : chain) squares.push_back((x - from) * (x - from));
  return squares;
}

double mean_of(const std::vector<double>& times) {
  double sum = 0.0;
  for (const double time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

double size_at(double time, int draws) { return draws / std::max(time, 1.0); }

std::vector<double> times_of(const ChainDraws& draws, const Moments& known) {
  std::vector<double> times;
  for (const auto chain : draws) times.push_back(autocorrelation_time_about(known, chain));
  return times;
}

}  // namespace

Moments moments_of(const ChainDraws& draws) {
  const double spread = sd(draws);
  return {.mean = darboux::mean(draws), .variance = spread * spread};
}

Reference find_reference(const std::shared_ptr<const Model>& model, int draws, const std::atomic<bool>& stop) {
  const Draws known = sample(model, {.draws = draws, .seed = reference_seed, .threads = 1}, {.stop = &stop});
  Reference found{.values = {}, .squares = {}, .log_density = moments_of(known["lp__"])};
  for (const std::string& name : known.names()) {
    const ChainDraws all = known[name];
    const Moments value = found.values.emplace_back(moments_of(all));
    found.squares.push_back(moments_of(ChainDraws(squared_distances(all, value.mean), all.chains())));
  }
  return found;
}

double autocorrelation_time_about(const Moments& known, std::span<const double> chain) {
  std::vector<double> rho = Autocovariance(chain.size()).about(known.mean, chain);
  for (double& covariance : rho) covariance /= known.variance;
  return autocorrelation_time(rho);
}

double mean_size(const Times& times, int draws) {
  double sum = 0.0;
  for (const auto& of_chains : times) sum += size_at(mean_of(of_chains), draws);
  return sum / static_cast<double>(times.size());
}

double least_size(const Times& times, int draws) {
  const std::size_t chains = times.front().size();
  if (chains < 2) throw std::logic_error("the worst quantity cannot be found in other chains");
  std::vector<double> measured;
  for (std::size_t left_out = 0; left_out < chains; ++left_out) {
    const auto elsewhere = [&](const std::vector<double>& of_chains) {
      return mean_of(of_chains) * static_cast<double>(chains) - of_chains[left_out];
    };
    const auto worst = std::max_element(times.begin(), times.end(),
                                        [&](const auto& a, const auto& b) { return elsewhere(a) < elsewhere(b); });
    measured.push_back((*worst)[left_out]);
  }
  return size_at(mean_of(measured), draws);
}

EffectiveSizes effective_sizes(const FixedRun& run, const Reference& reference) {
  const auto chains = static_cast<std::size_t>(run.chains);
  Times values, squares;
  for (std::size_t j = 0; j < run.values.size(); ++j) {
    const ChainDraws draws(run.values[j], chains);
    values.push_back(times_of(draws, reference.values[j]));
    const std::vector<double> distances = squared_distances(draws, reference.values[j].mean);
    squares.push_back(times_of(ChainDraws(distances, chains), reference.squares[j]));
  }
  return {
      .mean_of_means = mean_size(values, run.draws),
      .least_of_means = least_size(values, run.draws),
      .least_of_squares = least_size(squares, run.draws),
      .of_log_density = mean_size({times_of(ChainDraws(run.log_density, chains), reference.log_density)}, run.draws)};
}

}  // namespace darboux::experiments
