/// What every model must satisfy, applied to each of model_cases().
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darboux/core/error.hpp"
#include "model_cases.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux::testing {
namespace {

constexpr Index most_lanes = 20;

struct ModelOnCpu {
  ModelCase which;
  CpuKind kind;
  [[nodiscard]] std::string name() const {
    return which.name + (kind == cpu_kind() ? "" : "_" + std::string(darboux::name(kind)));
  }
};
std::ostream& operator<<(std::ostream& out, const ModelOnCpu& both) { return out << both.name(); }

/// Every model, and those with kernels on every kind of processor.
std::vector<ModelOnCpu> models_and_cpus() {
  std::vector<ModelOnCpu> out;
  for (const ModelCase& which : model_cases())
    for (const CpuKind kind : supported_cpu_kinds()) {
      const bool has_kernels = which.name.starts_with("logistic") || which.name.starts_with("fitzhugh_nagumo") ||
                               which.name.starts_with("gaussian") || which.name.starts_with("differentiated") ||
                               which.name == "whitened_dense";
      if (has_kernels || kind == cpu_kind()) out.push_back({which, kind});
    }
  return out;
}

class EveryModel : public ::testing::TestWithParam<ModelOnCpu> {
 protected:
  OnCpu on_cpu{GetParam().kind};
  const ModelCase& which = GetParam().which;
  const Model& model = *which.model;
  std::unique_ptr<Evaluator> evaluator = model.make_evaluator();

  [[nodiscard]] OwnedBatch points(Index lanes, double scale, std::uint64_t seed = 1) const {
    return normal_points(model.dim(), lanes, scale, seed);
  }
  [[nodiscard]] std::vector<double> restated_gradient(const std::vector<double>& q) const {
    std::vector<double> out(q.size());
    which.restated(q, out);
    return out;
  }
  /// How large the numbers are that a gradient at q is a sum of, at least.
  static double size_of(const std::vector<double>& gradient) {
    double largest = 1.0;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    return largest;
  }
};

TEST_P(EveryModel, AgreesWithItsRestatementInBlocksOfAnyWidth) {
  const std::vector<double> reference(static_cast<std::size_t>(model.dim()), 0.1);
  const double at_reference = log_density_at(model, reference);
  const double constant = at_reference - which.restated(reference, {});
  for (const double scale : which.scales)
    for (Index lanes = 1; lanes <= most_lanes; ++lanes) {
      const OwnedBatch q = points(lanes, scale, static_cast<std::uint64_t>(lanes));
      const Evaluated got = evaluate(*evaluator, q);
      for (Index l = 0; l < lanes; ++l) {
        const std::vector<double> at = lane_of(q, l);
        const double expected = which.restated(at, {}) + constant;
        const double size = 1.0 + std::abs(expected) + std::abs(constant) + std::abs(at_reference);
        ASSERT_NEAR(got.log_density[static_cast<std::size_t>(l)], expected, 1e-12 * size) << "scale " << scale;
        ASSERT_EQ(got.status[static_cast<std::size_t>(l)], Status::ok);
        const std::vector<double> gradient = restated_gradient(at);
        for (Index j = 0; j < model.dim(); ++j)
          ASSERT_NEAR(got.gradient(j, l), gradient[static_cast<std::size_t>(j)], which.tolerance * size_of(gradient))
              << "scale " << scale << ", coordinate " << j;
      }
    }
}

TEST_P(EveryModel, GradientIsTheSlopeOfTheValue) {
  for (const double scale : which.scales) {
    const OwnedBatch q = points(3, scale, 7);
    for (Index l = 0; l < 3; ++l) {
      const std::vector<double> at = lane_of(q, l);
      const std::vector<double> gradient = gradient_at(model, at);
      for (std::size_t j = 0; j < at.size(); ++j) {
        const auto slope = [&](double h) {
          std::vector<double> left = at, right = at;
          left[j] -= h;
          right[j] += h;
          return (log_density_at(model, right) - log_density_at(model, left)) / (right[j] - left[j]);
        };
        const double h = 1e-3;
        const double extrapolated = (4.0 * slope(h / 2.0) - slope(h)) / 3.0;  // error of order h⁴
        const double rounding = 1e-15 * std::abs(log_density_at(model, at)) / h;
        EXPECT_NEAR(gradient[j], extrapolated, 1e-7 * size_of(gradient) + 10.0 * rounding) << "scale " << scale;
      }
    }
  }
}

TEST_P(EveryModel, ValueAloneAndGradientAloneAreThoseOfBoth) {
  const OwnedBatch q = points(11, which.scales.front());
  const Evaluated both = evaluate(*evaluator, q);
  const Evaluated value = evaluate(*evaluator, q, {.gradient = false});
  const Evaluated gradient = evaluate(*evaluator, q, {.value = false});
  for (Index l = 0; l < 11; ++l) {
    EXPECT_EQ(value.log_density[static_cast<std::size_t>(l)], both.log_density[static_cast<std::size_t>(l)]);
    for (Index j = 0; j < model.dim(); ++j) EXPECT_EQ(gradient.gradient(j, l), both.gradient(j, l));
  }
  EXPECT_EQ(value.status, both.status);
  EXPECT_EQ(gradient.status, both.status);
}

TEST_P(EveryModel, MaskedLanesGetTheSameNumbersAndOthersKeepTheirStatus) {
  RandomStream random({.seed = 3});
  for (Index lanes = 1; lanes <= most_lanes; ++lanes) {
    const OwnedBatch q = points(lanes, which.scales.front());
    const Evaluated all = evaluate(*evaluator, q);
    std::vector<std::uint8_t> mask;
    for (Index l = 0; l < lanes; ++l) mask.push_back(random.uniform() < 0.3 ? 1 : 0);
    const Evaluated some = evaluate(*evaluator, q, {.active = mask});
    for (Index l = 0; l < lanes; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      ASSERT_EQ(some.status[lane], mask[lane] != 0 ? Status::ok : Status::diverged);
      if (mask[lane] == 0) continue;
      ASSERT_EQ(some.log_density[lane], all.log_density[lane]);
      for (Index j = 0; j < model.dim(); ++j) ASSERT_EQ(some.gradient(j, l), all.gradient(j, l));
    }
  }
}

TEST_P(EveryModel, LaneAloneEqualsTheLaneInABlock) {
  const OwnedBatch q = points(most_lanes, which.scales.front());
  const Evaluated block = evaluate(*evaluator, q);
  for (Index l = 0; l < most_lanes; ++l) {
    const std::vector<double> at = lane_of(q, l);
    EXPECT_EQ(log_density_at(model, at), block.log_density[static_cast<std::size_t>(l)]);
    const std::vector<double> gradient = gradient_at(model, at);
    for (Index j = 0; j < model.dim(); ++j) EXPECT_EQ(gradient[static_cast<std::size_t>(j)], block.gradient(j, l));
  }
}

TEST_P(EveryModel, BadLaneDoesNotDisturbItsNeighbours) {
  const OwnedBatch good = points(13, which.scales.front());
  const Evaluated expected = evaluate(*evaluator, good);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e300}) {
    OwnedBatch q = good;
    q(model.dim() - 1, 5) = bad;
    const Evaluated got = evaluate(*evaluator, q);
    if (std::isnan(bad)) {
      EXPECT_TRUE(std::isnan(got.log_density[5]));
      EXPECT_TRUE(std::isnan(got.gradient(model.dim() - 1, 5)));
    }
    for (Index l = 0; l < 13; ++l) {
      if (l == 5) continue;
      EXPECT_EQ(got.log_density[static_cast<std::size_t>(l)], expected.log_density[static_cast<std::size_t>(l)]);
      for (Index j = 0; j < model.dim(); ++j) EXPECT_EQ(got.gradient(j, l), expected.gradient(j, l));
    }
  }
}

TEST_P(EveryModel, ReportsAsManyNumbersAsNames) {
  const std::vector<std::string> names = model.names();
  ASSERT_EQ(std::ssize(names), model.dim());
  std::vector<double> out(names.size(), untouched);
  model.constrain(std::vector<double>(names.size(), 0.25), {}, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_NE(out[i], untouched);
    EXPECT_EQ(std::count(names.begin(), names.end(), names[i]), 1) << names[i];
  }
}

TEST_P(EveryModel, RefusesBlocksOfTheWrongShape) {
  const OwnedBatch q(model.dim() + 1, 2);
  EXPECT_NE(message_of<InputError>([&] { evaluate(*evaluator, q); }).find("rows of q"), std::string::npos);
  const OwnedBatch good(model.dim(), 2);
  const std::vector<std::uint8_t> mask(3, 1);
  EXPECT_NE(message_of<InputError>([&] { evaluate(*evaluator, good, {.active = mask}); }).find("mask"),
            std::string::npos);
  OwnedBatch gradient(model.dim() + 1, 2);
  std::vector<double> log_density(2);
  std::vector<Status> status(2);
  const auto call = [&] {
    evaluator->evaluate({.q = good, .active = {}},
                        {.log_density = log_density, .gradient = gradient, .status = status});
  };
  EXPECT_NE(message_of<InputError>(call).find("gradient, rows"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::ValuesIn(models_and_cpus()),
                         [](const auto& instance) { return instance.param.name(); });

}  // namespace
}  // namespace darboux::testing
