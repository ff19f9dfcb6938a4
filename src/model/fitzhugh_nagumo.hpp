#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/model/model.hpp"
#include "io/csv.hpp"

namespace darboux {

struct FitzHughNagumoParameters {
  double a = 0.2, b = 0.2, c = 3.0;
};

/// V and R at increasing times.
struct FitzHughNagumoData {
  std::vector<double> times, V, R;
};

/// The solution of
///     V̇ = c (V − V³/3 + R),   Ṙ = −(V − a + bR)/c,   V(0) = −1, R(0) = 1
/// at the given times, by the classical Runge-Kutta method of order 4 in equal steps, no longer than `longest_step`, between
/// each two times.
[[nodiscard]] FitzHughNagumoData solve_fitzhugh_nagumo(const FitzHughNagumoParameters& at, std::vector<double> times,
                                                       double longest_step);

/// Made-up observations at t = 0, 0.05, …, 9.95: the solution for a = b = 0.2, c = 3, plus normal noise of sd 0.1.
[[nodiscard]] FitzHughNagumoData simulated_fitzhugh_nagumo(std::uint64_t seed = 1);

/// Observations from the columns t, V and R of a table. Throws InputError naming file, line and rule.
[[nodiscard]] FitzHughNagumoData fitzhugh_nagumo_data(const CsvTable& table);

/// The posterior of q = (a, b, c) given noisy observations of an oscillating neuron, with variance ½ in the likelihood and in
/// the priors N(0, ½):
///     log density = −Σ_i [(V(t_i) − V_i)² + (R(t_i) − R_i)²] − (a² + b² + c²).
/// The gradient integrates the derivatives of V and R by a, b and c along with V and R (8 equations): the exact gradient of
/// the log density as computed. Refuses points at which the solution blows up. Away from its main mode the posterior has
/// others that trap chains, so they start around the highest.
class FitzHughNagumo final : public Model {
 public:
  /// Half a sampling interval of the simulated data. Within six posterior standard deviations of the mode the log density
  /// then differs from that of the exact solution by less than 1e-3.
  static constexpr double longest_step = 0.025;

  /// Throws InputError unless there are as many V and R as times, all finite, and the times increase from 0 or later.
  explicit FitzHughNagumo(FitzHughNagumoData data = simulated_fitzhugh_nagumo());

  [[nodiscard]] const FitzHughNagumoData& data() const noexcept { return grid_->data; }

  [[nodiscard]] Index dim() const noexcept override { return 3; }
  [[nodiscard]] ModelTraits traits() const noexcept override {
    return {.preferred_lanes = 8, .least_lanes = 8, .start = StartMethod::mode};
  }
  [[nodiscard]] std::vector<std::string> names() const override { return {"a", "b", "c"}; }
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> q) const override;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

  /// The observations, and the steps that lead to each from the one before.
  struct Grid {
    struct Steps {
      std::int64_t count;
      double length;
    };
    FitzHughNagumoData data;
    std::vector<Steps> steps;
  };

 private:
  std::shared_ptr<const Grid> grid_;
};

}  // namespace darboux
