#include "model/eight_schools.hpp"

#include <fmt/format.h>

#include <cmath>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace darboux {

namespace {

constexpr double prior_variance = 25.0;  // of μ; the square of τ's scale

/// The terms of μ and ℓ = log τ that both forms have, with their gradient.
double of_hyperparameters(double mu, double log_tau, std::span<double> gradient) {
  const double tau_squared = std::exp(2.0 * log_tau);
  if (!gradient.empty()) {
    gradient[0] = -mu / prior_variance;
    gradient[1] = 1.0 - 2.0 * tau_squared / (prior_variance + tau_squared);
  }
  return -0.5 * mu * mu / prior_variance - std::log1p(tau_squared / prior_variance) + log_tau;
}

struct Centred {
  EightSchools::Effects effects;

  double operator()(std::span<const double> q, std::span<double> gradient) const {
    const double mu = q[0], precision = std::exp(-2.0 * q[1]);
    double sum = of_hyperparameters(mu, q[1], gradient);
    for (std::size_t j = 0; j < effects.size(); ++j) {
      const double misfit = (effects[j] - q[2 + j]) / EightSchools::standard_errors[j], apart = q[2 + j] - mu;
      sum -= 0.5 * misfit * misfit + 0.5 * apart * apart * precision + q[1];
      if (gradient.empty()) continue;
      gradient[2 + j] = misfit / EightSchools::standard_errors[j] - apart * precision;
      gradient[0] += apart * precision;
      gradient[1] += apart * apart * precision - 1.0;
    }
    return sum;
  }
};

struct NonCentred {
  EightSchools::Effects effects;

  double operator()(std::span<const double> q, std::span<double> gradient) const {
    const double mu = q[0], tau = std::exp(q[1]);
    double sum = of_hyperparameters(mu, q[1], gradient);
    for (std::size_t j = 0; j < effects.size(); ++j) {
      const double eta = q[2 + j];
      const double misfit = (effects[j] - mu - tau * eta) / EightSchools::standard_errors[j];
      sum -= 0.5 * misfit * misfit + 0.5 * eta * eta;
      if (gradient.empty()) continue;
      const double pull = misfit / EightSchools::standard_errors[j];  // d/dθ_j
      gradient[2 + j] = pull * tau - eta;
      gradient[0] += pull;
      gradient[1] += pull * tau * eta;
    }
    return sum;
  }
};

}  // namespace

std::vector<std::string> EightSchools::names() const {
  std::vector<std::string> out{"mu", "tau"};
  for (std::size_t j = 1; j <= effects_.size(); ++j) out.push_back(fmt::format("theta[{}]", j));
  return out;
}

void EightSchools::constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const {
  Model::constrain(q, key, out);
  out[1] = std::exp(q[1]);
  if (form_ == Form::centred) return;
  for (double& theta : out.subspan(2)) theta = out[0] + out[1] * theta;
}

void EightSchools::unconstrain(std::span<const double> natural, std::span<double> q) const {
  Model::unconstrain(natural, q);
  check::positive("tau", natural[1]);
  q[1] = std::log(natural[1]);
  if (form_ == Form::centred) return;
  for (double& eta : q.subspan(2)) eta = (eta - natural[0]) / natural[1];
}

std::unique_ptr<Evaluator> EightSchools::make_evaluator() const {
  return form_ == Form::centred ? evaluate_by_lane(dim(), Centred{effects_})
                                : evaluate_by_lane(dim(), NonCentred{effects_});
}

}  // namespace darboux
