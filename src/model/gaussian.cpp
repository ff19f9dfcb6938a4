#include "model/gaussian.hpp"

#include <algorithm>
#include <utility>

#include "checks.hpp"
#include "scratch_batch.hpp"

namespace darboux {

namespace {

class GaussianEvaluator final : public Evaluator {
 public:
  GaussianEvaluator(std::vector<double> mean, StructuredMatrix minus_precision)
      : mean_(std::move(mean)), minus_precision_(std::move(minus_precision)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    const Index n = std::ssize(mean_), lanes = query.q.lanes();
    check_shapes(n, query, answer);
    const Batch offset = offset_.get(n, lanes);  // q − μ
    for (Index j = 0; j < n; ++j) {
      const double* qj = query.q.row(j);
      const double mean = mean_[static_cast<std::size_t>(j)];
      double* out = offset.row(j);
      for (Index l = 0; l < lanes; ++l) out[l] = qj[l] - mean;
    }
    const Batch gradient = query.gradient ? answer.gradient : gradient_.get(n, lanes);
    minus_precision_.multiply(offset, gradient);
    if (query.value) {
      std::fill(answer.log_density.begin(), answer.log_density.end(), 0.0);
      for (Index j = 0; j < n; ++j)
        for (Index l = 0; l < lanes; ++l)
          answer.log_density[static_cast<std::size_t>(l)] += 0.5 * offset(j, l) * gradient(j, l);
    }
    set_ok(query.active, answer.status);
  }

 private:
  std::vector<double> mean_;
  StructuredMatrix minus_precision_;
  ScratchBatch offset_, gradient_;
};

}  // namespace

Gaussian::Gaussian(std::vector<double> mean, Matrix precision, Matrix covariance)
    : mean_(std::move(mean)),
      precision_(std::move(precision)),
      covariance_(std::move(covariance)),
      tagged_precision_(StructuredMatrix::from(precision_)) {}

Gaussian Gaussian::standard(Index dim) {
  check::dimension("dimension", dim);
  return {std::vector<double>(static_cast<std::size_t>(dim)), Matrix::identity(dim), Matrix::identity(dim)};
}

Gaussian Gaussian::from_scales(std::vector<double> mean, const std::vector<double>& scales) {
  check::dimension("size of mean", std::ssize(mean));
  check::finite("mean", mean);
  check::size("scales", std::ssize(scales), std::ssize(mean));
  check::positive("scales", scales);
  std::vector<double> precision, covariance;
  for (const double s : scales) {
    precision.push_back(1.0 / (s * s));
    covariance.push_back(s * s);
  }
  return {std::move(mean), Matrix::diagonal(precision), Matrix::diagonal(covariance)};
}

Gaussian Gaussian::from_covariance(std::vector<double> mean, Matrix covariance) {
  check::dimension("size of mean", std::ssize(mean));
  check::finite("mean", mean);
  check::shape("covariance", covariance, std::ssize(mean), std::ssize(mean));
  Matrix precision = check::positive_definite_inverse("covariance", covariance);
  return {std::move(mean), std::move(precision), std::move(covariance)};
}

Gaussian Gaussian::from_precision(std::vector<double> mean, Matrix precision) {
  check::dimension("size of mean", std::ssize(mean));
  check::finite("mean", mean);
  check::shape("precision", precision, std::ssize(mean), std::ssize(mean));
  Matrix covariance = check::positive_definite_inverse("precision", precision);
  return {std::move(mean), std::move(precision), std::move(covariance)};
}

std::unique_ptr<Evaluator> Gaussian::make_evaluator() const {
  return std::make_unique<GaussianEvaluator>(mean_, tagged_precision_.negated());
}

}  // namespace darboux
