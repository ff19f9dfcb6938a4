#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "integrate/gaussian_flow.hpp"
#include "linalg/dense.hpp"
#include "model/gaussian.hpp"
#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

std::vector<Variant> variants_at_fixed_strength() {
  std::vector<Variant> variants;
  for (const Variant& v : all_variants())
    if (std::holds_alternative<BindingStrength>(v.options.copies.binding)) variants.push_back(v);
  return variants;
}

class Order : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Order, ::testing::ValuesIn(variants_at_fixed_strength()), variant_label);

/// A precision matrix with eigenvalues between about 0.5 and 2.
Matrix random_precision(Index n, RandomStream& random) {
  Matrix m(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) m(i, j) = random.normal() / std::sqrt(static_cast<double>(n));
  return 0.5 * Matrix::identity(n) + 0.375 * (m * m.transposed());
}

/// The slope of log(error) against log(step size), at halved step sizes and the same end time.
double observed_order(const std::vector<double>& errors) {
  return std::log2(errors.front() / errors.back()) / static_cast<double>(errors.size() - 1);
}

TEST_P(Order, AgainstTheExactFlowOfAGaussian) {
  EXPECT_TRUE(rc::check("the error against exp(t𝔹∇²H) has the claimed order", [] {
    Variant variant = GetParam();
    const Index n = *rc::gen::inRange<Index>(1, 21);
    const auto shape = *rc::gen::elementOf(shapes_for(variant));
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
    const PoissonStructure structure = random_structure(n, shape, seed);
    RandomStream random({.seed = seed});
    const State mean = random_state(n, random);
    const Gaussian model = Gaussian::from_precision(mean, random_precision(n, random));
    const GaussianFlow flow(structure, model.precision(), mean);

    State start = random_state(2 * n, random);
    PhaseBlock exact(n, 1);
    set_lane(exact, 0, start);
    constexpr double end_time = 1.0;
    flow.advance(exact, end_time);
    const State truth = get_lane(exact, 0, start.size());
    start.resize(static_cast<std::size_t>(state_dim(variant, structure)), 0.0);  // copies start equal

    const int order = variant.options.order;
    const int coarsest = order == 2 ? 64 : 12;
    std::vector<double> errors;
    for (const int steps : {coarsest, 2 * coarsest, 4 * coarsest}) {
      variant.options.step_size = end_time / steps;
      TrajectoryMap map(variant, structure, model);
      State end = map(start, 1.0, steps);
      end.resize(truth.size());
      double squares = 0.0;
      for (std::size_t i = 0; i < truth.size(); ++i) squares += (end[i] - truth[i]) * (end[i] - truth[i]);
      errors.push_back(std::sqrt(squares));
    }
    const double tolerance = order == 2 ? 0.1 : 0.3;
    RC_ASSERT(std::abs(observed_order(errors) - order) < tolerance);
    RC_ASSERT(errors.back() < 1e-2);
  }));
}

/// At a fixed angle the binding grows as the step shrinks: the two-gradient order is then only of first order, the paper's
/// order stays of second. The copies turn around each other every few steps, so the error is averaged over such a turn.
TEST(OrderAtFixedAngle, IsOneForTheTwoGradientOrderAndTwoForThePapers) {
  const PoissonStructure structure = random_structure(3, Shape::general, 5);
  RandomStream random({.seed = 9});
  const Gaussian model = Gaussian::from_precision({0, 0, 0}, random_precision(3, random));
  const GaussianFlow flow(structure, model.precision(), model.mean());
  const State start = random_state(6, random);
  const auto error = [&](CopySequence sequence, int steps) {
    Variant variant{.label = "", .kind = IntegratorKind::explicit_copies, .options = {}};
    variant.options.step_size = 1.0 / steps;
    variant.options.copies = {.sequence = sequence, .binding = BindingAngle{0.4}, .basis = {}};
    TrajectoryMap map(variant, structure, model);
    double sum = 0.0;
    constexpr int turn = 16;  // about 2π/0.4
    for (int more = 0; more < turn; ++more) {
      PhaseBlock exact(3, 1);
      set_lane(exact, 0, start);
      flow.advance(exact, variant.options.step_size * (steps + more));
      State copies = start;
      copies.resize(12, 0.0);
      State end = map(copies, 1.0, steps + more);
      end.resize(6);
      sum += distance(end, get_lane(exact, 0, 6));
    }
    return sum / turn;
  };
  const auto slope = [&](CopySequence sequence) {
    return observed_order({error(sequence, 200), error(sequence, 400), error(sequence, 800)});
  };
  EXPECT_NEAR(slope(CopySequence::two_gradient), 1.0, 0.1);
  EXPECT_NEAR(slope(CopySequence::paper), 2.0, 0.1);
}

}  // namespace
}  // namespace darboux::testing
