#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "linalg/dense.hpp"
#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

class PoissonMap : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, PoissonMap, ::testing::ValuesIn(all_variants()), variant_label);

/// DΦ by central differences of fourth order: every column from four trajectories, all of them lanes of one block.
Matrix jacobian(TrajectoryMap& map, const State& at, int steps) {
  constexpr double h = 1e-3;
  constexpr std::array<double, 4> shift{-2.0, -1.0, 1.0, 2.0};
  constexpr std::array<double, 4> weight{1.0, -8.0, 8.0, -1.0};
  std::vector<State> states;
  for (std::size_t j = 0; j < at.size(); ++j) {
    for (const double s : shift) {
      states.push_back(at);
      states.back()[j] += s * h;
    }
  }
  const auto ends = map(states, {1.0}, steps);
  Matrix d(std::ssize(at), std::ssize(at));
  for (std::size_t j = 0; j < at.size(); ++j)
    for (std::size_t i = 0; i < at.size(); ++i)
      for (std::size_t k = 0; k < 4; ++k)
        d(static_cast<Index>(i), static_cast<Index>(j)) += weight[k] * ends[4 * j + k][i] / (12.0 * h);
  return d;
}

/// The Poisson matrix of the space that the integrator works in. For two copies z̃, w̃ it is J ⊕ J, carried over to
/// (z, δ̃): z = B z̃ for `explicit`, z = B (z̃ + w̃)/2 for `doubled`, and δ̃ = (z̃ − w̃)/2.
Matrix poisson_matrix(const Variant& variant, const PoissonStructure& structure, bool doubled_space) {
  if (!doubled_space) return structure.matrix();
  const Index n2 = 2 * structure.dim();
  const Matrix b = schur_basis(structure).B;
  const Matrix identity = Matrix::identity(n2);
  const bool mean = variant.kind == IntegratorKind::doubled;
  Matrix t(2 * n2, 2 * n2);
  t.set_block(0, 0, (mean ? 0.5 : 1.0) * b);
  t.set_block(0, n2, (mean ? 0.5 : 0.0) * b);
  t.set_block(n2, 0, 0.5 * identity);
  t.set_block(n2, n2, -0.5 * identity);
  Matrix jj(2 * n2, 2 * n2);
  jj.set_block(0, 0, canonical_matrix(structure.dim()));
  jj.set_block(n2, n2, canonical_matrix(structure.dim()));
  return t * jj * t.transposed();
}

TEST_P(PoissonMap, PreservesTheStructureAndVolume) {
  EXPECT_TRUE(rc::check("DΦ 𝔹 DΦᵀ = 𝔹 and det DΦ = 1", [] {
    Variant variant = GetParam();
    const Index n = *rc::gen::inRange<Index>(1, 21);
    const auto shape = *rc::gen::elementOf(shapes_for(variant));
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
    const PoissonStructure structure = random_structure(n, shape, seed);
    RandomStream random({.seed = seed});
    variant.options.step_size = 0.05 + 0.2 * random.uniform();
    const FunctionModel model = rippled_model(n);
    TrajectoryMap map(variant, structure, model);
    const Matrix b = poisson_matrix(variant, structure, map.traits().doubled_space);
    const Matrix d = jacobian(map, random_state(b.rows(), random, 0.7), 2);
    RC_ASSERT(max_abs(d - Matrix::identity(b.rows())) > 1e-2);  // it is not standing still
    RC_ASSERT(max_abs(d * b * d.transposed() - b) < 1e-7 * max_abs(b));
    RC_ASSERT(std::abs(log_abs_determinant(d)) < 1e-7 * static_cast<double>(b.rows()));
  }));
}

/// Integrators that claim to accept any deterministic field in place of ∇U stay reversible and preserve volume with one that is
/// no gradient; those that do not claim it (an implicit solve, E ≠ 0) do not preserve volume.
TEST_P(PoissonMap, AcceptsAnyFieldWhereItClaimsTo) {
  const Variant& variant = GetParam();
  constexpr Index n = 3;
  const FunctionModel swirl(n, [](std::span<const double> q, std::span<double> gradient) {
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = -q[i] - 0.8 * std::sin(q[(i + 1) % 3]) + 0.5 * q[(i + 2) % 3] * q[i];
    return 0.0;
  });
  for (const Shape shape : shapes_for(variant)) {
    const PoissonStructure structure = random_structure(n, shape, 3);
    Variant v = variant;
    v.options.step_size = 0.2;
    v.check_reverse = false;
    TrajectoryMap map(v, structure, swirl);
    RandomStream random({.seed = 4});
    const State start = random_state(state_dim(v, structure), random, 0.5);
    const double log_volume = log_abs_determinant(jacobian(map, start, 2));
    if (map.traits().accepts_any_field) {
      EXPECT_LT(std::abs(log_volume), 1e-7) << shape;
      EXPECT_LT(distance(start, map(map(start, 1.0, 3), -1.0, 3)), 1e-9) << shape;
    } else if (!map.traits().is_explicit && !structure.E().is_zero()) {
      EXPECT_GT(std::abs(log_volume), 1e-4) << shape;
    }
  }
}

}  // namespace
}  // namespace darboux::testing
