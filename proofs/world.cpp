#include "world.hpp"

#include <fmt/format.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/model/logistic_regression.hpp>
#include <numbers>

#include "model/eight_schools.hpp"
#include "model/fitzhugh_nagumo.hpp"

namespace darboux::proofs {

namespace {

/// 40 rows, three predictors and an intercept, all with the prior N(0, 1).
World logistic(RandomStream& random) {
  constexpr Index rows = 40, features = 3;
  Matrix x(rows, features);
  random.fill_normal({x.data(), static_cast<std::size_t>(rows * features)});
  World world;
  for (Index j = 0; j <= features; ++j) world.truth.push_back(random.normal());
  std::vector<double> y;
  for (Index i = 0; i < rows; ++i) {
    double eta = world.truth[0];
    for (Index j = 0; j < features; ++j) eta += x(i, j) * world.truth[static_cast<std::size_t>(j + 1)];
    y.push_back(random.uniform() < 1.0 / (1.0 + std::exp(-eta)) ? 1.0 : 0.0);
  }
  world.posterior = std::make_shared<LogisticRegression>(x, y);
  return world;
}

World eight_schools(RandomStream& random) {
  const double mu = 5.0 * random.normal();
  const double tau = 5.0 * std::tan(0.5 * std::numbers::pi * random.uniform());  // half-Cauchy
  World world{.posterior = nullptr, .truth = {mu, std::log(tau)}};
  EightSchools::Effects y{};
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double eta = random.normal();
    world.truth.push_back(eta);
    y[j] = mu + tau * eta + EightSchools::standard_errors[j] * random.normal();
  }
  world.posterior = std::make_shared<EightSchools>(EightSchools::Form::non_centred, y);
  return world;
}

/// Twenty observations of V and R until t = 2, noise and priors with variance ½ as in the model. Points at which the solution blows
/// up are refused by the model, and so by its prior.
World fitzhugh_nagumo(RandomStream& random) {
  const double sd = std::numbers::sqrt2 / 2.0;
  std::vector<double> times;
  for (int i = 1; i <= 20; ++i) times.push_back(0.1 * i);
  for (;;) {
    const FitzHughNagumoParameters at{sd * random.normal(), sd * random.normal(), sd * random.normal()};
    FitzHughNagumoData data = solve_fitzhugh_nagumo(at, times, FitzHughNagumo::longest_step);
    bool finite = true;
    for (std::size_t i = 0; i < times.size(); ++i) {
      finite = finite && std::isfinite(data.V[i]) && std::isfinite(data.R[i]);
      data.V[i] += sd * random.normal();
      data.R[i] += sd * random.normal();
    }
    if (finite) return {std::make_shared<FitzHughNagumo>(std::move(data)), {at.a, at.b, at.c}};
  }
}

}  // namespace

std::vector<std::string> world_names() { return {"logistic", "eight-schools", "fitzhugh-nagumo"}; }

World make_world(const std::string& name, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  if (name == "logistic") return logistic(random);
  if (name == "eight-schools") return eight_schools(random);
  if (name == "fitzhugh-nagumo") return fitzhugh_nagumo(random);
  throw InputError(fmt::format("model {}: must be logistic, eight-schools or fitzhugh-nagumo", name));
}

}  // namespace darboux::proofs
