#include "model/funnel.hpp"

#include <fmt/format.h>

#include <cmath>

#include "checks.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace darboux {

namespace {

struct Centred {
  double variance;  // of v

  double operator()(std::span<const double> q, std::span<double> gradient) const {
    const double v = q[0];
    const double precision = std::exp(-v);
    double squares = 0.0;  // Σ x² e⁻ᵛ
    for (const double x : q.subspan(1)) squares += x * x * precision;
    const auto others = static_cast<double>(q.size() - 1);
    if (!gradient.empty()) {
      gradient[0] = -v / variance + 0.5 * (squares - others);
      for (std::size_t j = 1; j < q.size(); ++j) gradient[j] = -q[j] * precision;
    }
    return -0.5 * (v * v / variance + squares + others * v);
  }
};

struct NonCentred {
  double operator()(std::span<const double> q, std::span<double> gradient) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      sum -= 0.5 * q[j] * q[j];
      if (!gradient.empty()) gradient[j] = -q[j];
    }
    return sum;
  }
};

}  // namespace

Funnel::Funnel(Index dim, Form form, double scale) : dim_(dim), form_(form), scale_(scale) {
  check::dimension("dimension", dim, 2);
  check::positive("scale", scale);
}

std::vector<std::string> Funnel::names() const {
  std::vector<std::string> out{"v"};
  for (Index i = 1; i < dim_; ++i) out.push_back(fmt::format("x[{}]", i));
  return out;
}

void Funnel::constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const {
  Model::constrain(q, key, out);
  if (form_ == Form::centred) return;
  out[0] *= scale_;
  for (double& x : out.subspan(1)) x *= std::exp(0.5 * out[0]);
}

void Funnel::unconstrain(std::span<const double> natural, std::span<double> q) const {
  Model::unconstrain(natural, q);
  if (form_ == Form::centred) return;
  for (double& x : q.subspan(1)) x *= std::exp(-0.5 * natural[0]);
  q[0] /= scale_;
}

std::unique_ptr<Evaluator> Funnel::make_evaluator() const {
  return form_ == Form::centred ? evaluate_by_lane(dim_, Centred{scale_ * scale_})
                                : evaluate_by_lane(dim_, NonCentred{});
}

}  // namespace darboux
