#include "world.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/model/differentiate.hpp>
#include <darboux/model/logistic_regression.hpp>
#include <darboux/stan/stan_model.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "model/eight_schools.hpp"
#include "model/fitzhugh_nagumo.hpp"
#include "stan/compile.hpp"
#include "stan/toolchain.hpp"

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

/// Rows of an intercept and a predictor: what regressions with coefficients of the prior N(0, 1) predict from.
Matrix line(RandomStream& random, Index rows) {
  Matrix x(rows, 2);
  for (Index i = 0; i < rows; ++i) x(i, 0) = 1.0, x(i, 1) = random.normal();
  return x;
}
template <class Number>
Number predicted(const Matrix& x, Index row, const Number& intercept, const Number& slope) {
  return intercept * x(row, 0) + slope * x(row, 1);
}

/// yᵢ ~ N(ηᵢ, σ²), 20 rows; log σ has the prior N(0, 1), too, and is sampled.
World linear(RandomStream& random) {
  const Matrix x = line(random, 20);
  World world{.posterior = nullptr, .truth = {random.normal(), random.normal(), random.normal()}};
  std::vector<double> y;
  for (Index i = 0; i < x.rows(); ++i)
    y.push_back(predicted(x, i, world.truth[0], world.truth[1]) + std::exp(world.truth[2]) * random.normal());
  world.posterior = std::make_shared<FunctionModel>(differentiate(3, [x, y](const auto& q) {
    using std::exp;
    auto log_density = -0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - static_cast<double>(y.size()) * q[2];
    const auto precision = exp(-2.0 * q[2]);
    for (Index i = 0; i < x.rows(); ++i) {
      const auto residual = y[static_cast<std::size_t>(i)] - predicted(x, i, q[0], q[1]);
      log_density -= 0.5 * residual * residual * precision;
    }
    return log_density;
  }));
  return world;
}

/// A count of events of rate e^η in unit time, by the times between them.
double poisson(RandomStream& random, double eta) {
  double count = 0.0;
  for (double time = -std::log(random.uniform()); time < std::exp(eta); time -= std::log(random.uniform()))
    count += 1.0;
  return count;
}

/// yᵢ ~ Poisson(e^ηᵢ), 30 rows.
World poisson_regression(RandomStream& random) {
  const Matrix x = line(random, 30);
  World world{.posterior = nullptr, .truth = {random.normal(), random.normal()}};
  std::vector<double> y;
  for (Index i = 0; i < x.rows(); ++i) y.push_back(poisson(random, predicted(x, i, world.truth[0], world.truth[1])));
  world.posterior = std::make_shared<FunctionModel>(differentiate(2, [x, y](const auto& q) {
    using std::exp;
    auto log_density = -0.5 * (q[0] * q[0] + q[1] * q[1]);
    for (Index i = 0; i < x.rows(); ++i) {
      const auto eta = predicted(x, i, q[0], q[1]);
      log_density += y[static_cast<std::size_t>(i)] * eta - exp(eta);
    }
    return log_density;
  }));
  return world;
}

/// With the posterior that `posterior_of` makes of the effects that are seen: not centred, in (μ, log τ, η).
template <class PosteriorOf>
World eight_schools(RandomStream& random, const PosteriorOf& posterior_of) {
  const double mu = 5.0 * random.normal();
  const double tau = 5.0 * std::tan(0.5 * std::numbers::pi * random.uniform());  // half-Cauchy
  World world{.posterior = nullptr, .truth = {mu, std::log(tau)}};
  EightSchools::Effects y{};
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double eta = random.normal();
    world.truth.push_back(eta);
    y[j] = mu + tau * eta + EightSchools::standard_errors[j] * random.normal();
  }
  world.posterior = posterior_of(y);
  return world;
}

std::shared_ptr<const Model> built_in_schools(const EightSchools::Effects& y) {
  return std::make_shared<EightSchools>(EightSchools::Form::non_centred, y);
}

/// The same by a Stan program, which is compiled once.
std::shared_ptr<const Model> schools_in_stan(const EightSchools::Effects& y) {
  static const std::filesystem::path library =
      compile_stan(std::filesystem::path(DARBOUX_STAN_PROGRAMS) / "eight_schools.stan", find_toolchain({}), {}).library;
  return stan_model(library, {.data = nlohmann::json{{"y", y}, {"sigma", EightSchools::standard_errors}}.dump()});
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

std::vector<std::string> world_names() {
  return {"logistic", "linear", "poisson", "eight-schools", "eight-schools-stan", "fitzhugh-nagumo"};
}

bool can_make(const std::string& name) {
  if (name != "eight-schools-stan") return true;
  try {
    (void)find_toolchain({});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

World make_world(const std::string& name, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  if (name == "logistic") return logistic(random);
  if (name == "linear") return linear(random);
  if (name == "poisson") return poisson_regression(random);
  if (name == "eight-schools") return eight_schools(random, built_in_schools);
  if (name == "eight-schools-stan") return eight_schools(random, schools_in_stan);
  if (name == "fitzhugh-nagumo") return fitzhugh_nagumo(random);
  throw InputError(fmt::format("model {}: must be one of {}", name, fmt::join(world_names(), ", ")));
}

}  // namespace darboux::proofs
