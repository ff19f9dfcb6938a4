#include "model/mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "checks.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace darboux {

namespace {

/// The sum is taken relative to its largest term, so that far from all centers neither it nor the shares underflow.
class MixtureLogDensity {
 public:
  MixtureLogDensity(const std::vector<double>& weights, std::vector<std::vector<double>> centers, double scale)
      : centers_(std::move(centers)), precision_(1.0 / (scale * scale)), terms_(weights.size()) {
    for (const double w : weights) log_weights_.push_back(std::log(w));
  }

  double operator()(std::span<const double> q, std::span<double> gradient) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      double squared_distance = 0.0;
      for (std::size_t j = 0; j < q.size(); ++j) squared_distance += (q[j] - centers_[k][j]) * (q[j] - centers_[k][j]);
      terms_[k] = log_weights_[k] - 0.5 * precision_ * squared_distance;
      largest = std::max(largest, terms_[k]);
    }
    for (double& term : terms_) sum += term = std::exp(term - largest);
    if (!gradient.empty()) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      for (std::size_t k = 0; k < terms_.size(); ++k)
        for (std::size_t j = 0; j < q.size(); ++j)
          gradient[j] += terms_[k] / sum * precision_ * (centers_[k][j] - q[j]);
    }
    return largest + std::log(sum);
  }

 private:
  std::vector<std::vector<double>> centers_;
  double precision_;
  std::vector<double> log_weights_, terms_;
};

}  // namespace

Mixture::Mixture() : Mixture({0.5, 0.5}, {{2.5, -2.5}, {-2.5, 2.5}}) {}

Mixture::Mixture(std::vector<double> weights, std::vector<std::vector<double>> centers, double scale)
    : weights_(std::move(weights)), centers_(std::move(centers)), scale_(scale) {
  check::dimension("number of centers", std::ssize(centers_));
  check::dimension("size of centers[1]", dim());
  for (std::size_t k = 0; k < centers_.size(); ++k) {
    check::size(fmt::format("centers[{}]", k + 1), std::ssize(centers_[k]), dim());
    check::finite(fmt::format("centers[{}]", k + 1), centers_[k]);
  }
  check::size("weights", std::ssize(weights_), std::ssize(centers_));
  check::positive("weights", weights_);
  check::positive("scale", scale_);
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  check::finite("sum of weights", total);
  for (double& w : weights_) w /= total;
}

std::unique_ptr<Evaluator> Mixture::make_evaluator() const {
  return evaluate_by_lane(dim(), MixtureLogDensity(weights_, centers_, scale_));
}

}  // namespace darboux
