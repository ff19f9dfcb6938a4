#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "darboux/model/logistic_regression.hpp"
#include "logistic_kernel.hpp"

namespace darboux {

namespace {

class LogisticObservations final : public Observations {
 public:
  explicit LogisticObservations(std::shared_ptr<const LogisticRegression::Data> data)
      : data_(std::move(data)),
        kernel_(DARBOUX_KERNEL(evaluate_logistic_by_rows)),
        rows_(data_->signs.size()),
        scratch_(LogisticTask<double>::scratch_size(at(data_->columns), 1)) {}

  [[nodiscard]] Index size() const noexcept override { return data_->rows; }

  [[nodiscard]] std::vector<double> observed() const override {
    std::vector<double> y(at(size()));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = label(i);
    return y;
  }

  void log_likelihood(std::span<const double> draw, std::span<double> out) override {
    evaluate(draw, out);
    std::copy_n(rows_.begin(), size(), out.begin());
  }

  /// y_i itself with probability p(y_i | β), the other label otherwise. One number u for each row, in their order.
  void predict(std::span<const double> draw, RandomStream& random, std::span<double> out) override {
    evaluate(draw, out);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = random.uniform() < std::exp(rows_[i]) ? label(i) : 1.0 - label(i);
  }

 private:
  [[nodiscard]] double label(std::size_t i) const noexcept { return data_->signs[i] > 0.0 ? 1.0 : 0.0; }

  void evaluate(std::span<const double> beta, std::span<const double> out) {
    check::size("draw", std::ssize(beta), data_->columns);
    check::size("out", std::ssize(out), size());
    kernel_({.panels = data_->panels.data(),
             .signs = data_->signs.data(),
             .panel_count = data_->signs.size() / LogisticTask<double>::panel_rows,
             .columns = at(data_->columns),
             .lanes = 1,
             .beta = beta.data(),
             .gradient = nullptr,
             .log_likelihood = rows_.data(),
             .scratch = scratch_.data()});
  }

  std::shared_ptr<const LogisticRegression::Data> data_;
  decltype(&baseline::evaluate_logistic_by_rows) kernel_;
  std::vector<double, CacheLineAllocator<double>> rows_, scratch_;  // rows to whole panels
};

}  // namespace

std::unique_ptr<Observations> LogisticRegression::make_observations() const {
  return std::make_unique<LogisticObservations>(data_);
}

}  // namespace darboux
