#include "sample/step_size_search.hpp"

#include <cmath>

namespace darboux {

namespace {

constexpr double gamma = 0.05;  // how firmly x is drawn to μ
constexpr double delay = 10.0;  // t₀: damps the first observations
constexpr double kappa = 0.75;  // how fast old iterates are forgotten

}  // namespace

StepSizeSearch::StepSizeSearch(double first_step_size, double target)
    : target_(target), anchor_(std::log(10.0 * first_step_size)), current_(first_step_size), result_(first_step_size) {}

void StepSizeSearch::observe(double statistic) {
  ++count_;
  const auto t = static_cast<double>(count_);
  const double weight = 1.0 / (t + delay);
  const double observed = std::isfinite(statistic) ? statistic : 0.0;
  mean_error_ = (1.0 - weight) * mean_error_ + weight * (target_ - observed);
  const double x = anchor_ - std::sqrt(t) / gamma * mean_error_;
  const double smoothing = std::pow(t, -kappa);
  current_ = std::exp(x);
  result_ = std::exp(smoothing * x + (1.0 - smoothing) * std::log(result_));
}

double first_good_step_size(double step_size, double largest, const std::function<double(double)>& acceptance) {
  const bool grow = acceptance(step_size) > 0.8;
  for (int i = 0; i < 50; ++i) {
    const double next = grow ? 2.0 * step_size : 0.5 * step_size;
    if (next > largest) break;
    const bool enough = acceptance(next) > 0.8;
    if (grow && !enough) break;
    step_size = next;
    if (!grow && enough) break;
  }
  return step_size;
}

}  // namespace darboux
