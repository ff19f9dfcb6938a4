#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <proofs/known_law.hpp>
#include <proofs/verdict.hpp>

namespace darboux::proofs {
namespace {

constexpr int draws = 200'000;  // fewer do not tell how far squares of long tails scatter

class KnownLaws : public ::testing::TestWithParam<std::string> {};
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const KnownLaw& law : known_laws()) all.push_back(law.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, KnownLaws, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string label = test.param;
  for (char& c : label) c = c == '-' ? '_' : c;
  return label;
});

/// Formulas of means and variances against the sampler: two ways to say the same.
TEST_P(KnownLaws, HaveTheMeansAndVariancesThatAreSaid) {
  const KnownLaw law = known_law(GetParam());
  std::vector<double> q(static_cast<std::size_t>(law.dim()));
  const std::size_t count = law.quantities.size();
  std::vector<Tally> means(count);
  std::vector<double> squares(count), fourths(count);
  for (std::uint64_t i = 0; i < draws; ++i) {
    RandomStream random({.seed = 5, .purpose = Purpose::data, .chain = i});
    law.draw(random, q);
    for (std::size_t k = 0; k < count; ++k) {
      const double x = law.quantities[k]({.q = q, .p = {}});
      const double square = (x - law.quantities[k].mean) * (x - law.quantities[k].mean);
      means[k].add(x);
      squares[k] += square / draws;
      fourths[k] += square * square / draws;
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Quantity& of = law.quantities[k];
    EXPECT_LT(std::abs(means[k].z(of)), critical_z(200)) << of.label();
    const double error = std::sqrt((fourths[k] - squares[k] * squares[k]) / draws);
    EXPECT_LT(std::abs(squares[k] - of.variance), critical_z(200) * error) << of.label();
  }
}

/// log density and gradient belong together, and are those of the sampler: E ∂ log density/∂q_i q_j = −δ_ij for every density
/// that vanishes at infinity (Stein's identity), but not at a wall.
TEST_P(KnownLaws, HaveTheGradientOfTheirSampler) {
  const KnownLaw law = known_law(GetParam());
  if (law.name == "wall") GTEST_SKIP() << "its density does not vanish at its edge";
  const auto n = static_cast<std::size_t>(law.dim());
  std::vector<double> q(n);
  OwnedBatch at(law.dim(), 1), gradient(law.dim(), 1);
  LaneVector<double> value(1);
  LaneVector<std::uint8_t> active(1, 1);
  LaneVector<Status> status(1, Status::ok);
  const auto evaluator = law.model->make_evaluator();
  std::vector<double> sum(n * n), squares(n * n);
  for (std::uint64_t i = 0; i < draws / 4; ++i) {
    RandomStream random({.seed = 6, .purpose = Purpose::data, .chain = i});
    law.draw(random, q);
    for (std::size_t j = 0; j < n; ++j) at(static_cast<Index>(j), 0) = q[j];
    evaluator->evaluate({.q = at, .active = active}, {.log_density = value, .gradient = gradient, .status = status});
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) {
        const double x = gradient(static_cast<Index>(j), 0) * q[k];
        sum[j * n + k] += x;
        squares[j * n + k] += x * x;
      }
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const double mean = sum[k] * 4.0 / draws, error = std::sqrt((squares[k] * 4.0 / draws - mean * mean) * 4.0 / draws);
    EXPECT_LT(std::abs(mean - (k / n == k % n ? -1.0 : 0.0)), critical_z(400) * error) << k / n << ' ' << k % n;
  }
}

TEST(KnownLaw, OfAnotherNameIsRefused) { EXPECT_THROW((void)known_law("gamma"), InputError); }

}  // namespace
}  // namespace darboux::proofs
