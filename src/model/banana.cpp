#include "model/banana.hpp"

#include "checks.hpp"

namespace darboux {

namespace {

/// All lanes of a row at a time: chains cost next to nothing, so that calls would cost more.
class BananaEvaluator final : public Evaluator {
 public:
  BananaEvaluator(Index dim, double variance, double bend) : dim_(dim), variance_(variance), bend_(bend) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(dim_, query, answer);
    if (query.value) set_value(query.q, answer.log_density.data());
    if (query.gradient) set_gradient(query.q, answer.gradient);
    set_ok(query.active, answer.status);
  }

 private:
  [[nodiscard]] double off_parabola(double q0, double q1) const { return q1 - bend_ * (q0 * q0 - variance_); }

  void set_value(ConstBatch q, double* value) const {
    const double *q0 = q.row(0), *q1 = q.row(1);
    for (Index l = 0; l < q.lanes(); ++l) {
      const double off = off_parabola(q0[l], q1[l]);
      value[l] = -0.5 * (q0[l] * q0[l] / variance_ + off * off);
    }
    for (Index j = 2; j < dim_; ++j)
      for (Index l = 0; l < q.lanes(); ++l) value[l] -= 0.5 * q(j, l) * q(j, l);
  }

  void set_gradient(ConstBatch q, Batch gradient) const {
    const double *q0 = q.row(0), *q1 = q.row(1);
    double *g0 = gradient.row(0), *g1 = gradient.row(1);
    const double precision = 1.0 / variance_;
    for (Index l = 0; l < q.lanes(); ++l) {
      const double off = off_parabola(q0[l], q1[l]);
      g0[l] = q0[l] * (2.0 * bend_ * off - precision);
      g1[l] = -off;
    }
    for (Index j = 2; j < dim_; ++j)
      for (Index l = 0; l < q.lanes(); ++l) gradient(j, l) = -q(j, l);
  }

  Index dim_;
  double variance_, bend_;
};

}  // namespace

Banana::Banana(Index dim, double scale, double bend) : dim_(dim), scale_(scale), bend_(bend) {
  check::dimension("dimension", dim, 2);
  check::positive("scale", scale);
  check::finite("bend", bend);
}

std::unique_ptr<Evaluator> Banana::make_evaluator() const {
  return std::make_unique<BananaEvaluator>(dim_, scale_ * scale_, bend_);
}

}  // namespace darboux
