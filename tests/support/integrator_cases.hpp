#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <darboux/model/function_model.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "integrate/integrator.hpp"
#include "support/random_structures.hpp"

/// What the property tests share: every integrator in every variant that claims something of its own, seen as a map on
/// states, and a smooth target without symmetries to try it on.
namespace darboux::testing {

struct Variant {
  std::string label;
  IntegratorKind kind = IntegratorKind::leapfrog;
  IntegratorOptions options;
  bool check_reverse = true;

  friend std::ostream& operator<<(std::ostream& out, const Variant& v) { return out << v.label; }
};

inline std::string variant_label(const ::testing::TestParamInfo<Variant>& test) { return test.param.label; }

/// All integrators with their options. An integrator that is new to the library takes part with its defaults.
inline std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  const auto add = [&](const std::string& label, IntegratorKind kind, auto&&... changes) {
    for (const int order : {2, 4}) {
      Variant v{.label = label + (order == 4 ? "_order4" : ""), .kind = kind, .options = {}};
      v.options.order = order;
      v.options.solver.tolerance = 1e-13;
      (changes(v.options), ...);
      for (char& c : v.label) c = c == '-' ? '_' : c;
      if (order == 4 && std::holds_alternative<BindingAngle>(v.options.copies.binding)) continue;  // refused
      variants.push_back(v);
    }
  };
  for (const IntegratorKind kind : all_values<IntegratorKind>()) add(std::string(name(kind)), kind);
  const auto fixed_point = [](IntegratorOptions& o) { o.solver.method = SolverMethod::fixed_point; };
  const auto paper_order = [](IntegratorOptions& o) { o.copies.sequence = CopySequence::paper; };
  const auto angle = [](IntegratorOptions& o) { o.copies.binding = BindingAngle{0.4}; };
  for (const int stages : {2, 3})
    for (const auto kind :
         {IntegratorKind::leapfrog, IntegratorKind::magnetic_leapfrog, IntegratorKind::split_midpoint})
      add(std::string(name(kind)) + "_stages" + std::to_string(stages), kind,
          [=](IntegratorOptions& o) { o.stages = stages; });
  add("midpoint_fixed_point", IntegratorKind::midpoint, fixed_point);
  add("split_midpoint_fixed_point", IntegratorKind::split_midpoint, fixed_point);
  add("explicit_paper_order", IntegratorKind::explicit_copies, paper_order);
  add("explicit_angle", IntegratorKind::explicit_copies, angle);
  add("explicit_paper_order_angle", IntegratorKind::explicit_copies, paper_order, angle);
  add("doubled_paper_order", IntegratorKind::doubled, paper_order);
  add("doubled_angle", IntegratorKind::doubled, angle);
  return variants;
}

inline bool suits(const Variant& variant, const PoissonStructure& structure) {
  try {
    const Integrator integrator(variant.kind, structure, variant.options);
    return true;
  } catch (const StructureError&) {
    return false;
  }
}

/// The shapes of structure that an integrator accepts, found by asking it.
inline std::vector<Shape> shapes_for(const Variant& variant) {
  std::vector<Shape> shapes;
  for (const Shape shape : all_shapes)
    if (suits(variant, random_structure(3, shape, 1))) shapes.push_back(shape);
  return shapes;
}

/// U = ½‖q‖² + 0.3 Σ sin(q_i + 0.7 q_{i+1}) + 0.1 Σ cos 2q_i + 0.2 Σ q_i: smooth, coupled, with no symmetry to hide behind,
/// and a Hessian that stays near the identity, so that solvers converge.
inline FunctionModel rippled_model(Index n) {
  return FunctionModel(n, [n](std::span<const double> q, std::span<double> gradient) {
    double u = 0.0;
    std::vector<double> g(q.size(), 0.0);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::size_t next = (i + 1) % static_cast<std::size_t>(n);
      const double phase = q[i] + 0.7 * q[next];
      u += 0.5 * q[i] * q[i] + 0.3 * std::sin(phase) + 0.1 * std::cos(2.0 * q[i]) + 0.2 * q[i];
      g[i] += q[i] + 0.3 * std::cos(phase) - 0.2 * std::sin(2.0 * q[i]) + 0.2;
      g[next] += 0.21 * std::cos(phase);
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = -g[i];
    return -u;
  });
}

/// (q, p), followed by the offset δ̃ for doubled-space integrators: all that a trajectory starts from and ends in.
using State = std::vector<double>;

inline Index state_dim(const Variant& variant, const PoissonStructure& structure) {
  const bool doubled = Integrator(variant.kind, structure, variant.options).traits().doubled_space;
  return (doubled ? 4 : 2) * structure.dim();
}

inline State random_state(Index size, RandomStream& random, double scale = 1.0) {
  State state(static_cast<std::size_t>(size));
  for (double& x : state) x = scale * random.normal();
  return state;
}

inline void set_lane(PhaseBlock& z, Index lane, const State& state) {
  const Index n = z.dim();
  for (std::size_t i = 0; i < state.size(); ++i) {
    const auto j = static_cast<Index>(i);
    (j < n ? z.q(j, lane) : j < 2 * n ? z.p(j - n, lane) : z.offset(j - 2 * n, lane)) = state[i];
  }
}

inline State get_lane(const PhaseBlock& z, Index lane, std::size_t size) {
  const Index n = z.dim();
  State state(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto j = static_cast<Index>(i);
    state[i] = j < n ? z.q(j, lane) : j < 2 * n ? z.p(j - n, lane) : z.offset(j - 2 * n, lane);
  }
  return state;
}

/// An integrator as a map on states, many at once: one lane each.
class TrajectoryMap {
 public:
  TrajectoryMap(const Variant& variant, const PoissonStructure& structure, const Model& model)
      : integrator_(variant.kind, structure, variant.options), model_(model), check_reverse_(variant.check_reverse) {}

  [[nodiscard]] IntegratorTraits traits() const { return integrator_.traits(); }

  /// `directions` has one entry per state, +1 or −1 (or 0: stay), or a single one for all.
  std::vector<State> operator()(const std::vector<State>& states, std::vector<double> directions, int steps) {
    directions.resize(states.size(), directions.front());
    for (double& d : directions) d *= integrator_.step_size();
    PhaseBlock z(model_.dim(), std::ssize(states));
    z.check_reverse = check_reverse_;
    for (std::size_t l = 0; l < states.size(); ++l) set_lane(z, static_cast<Index>(l), states[l]);
    Potential u(model_, std::ssize(states), precision);
    integrator_.run(z, u, directions, steps);
    status.assign(z.status.begin(), z.status.end());
    gradient_evaluations.assign(u.gradient_evaluations().begin(), u.gradient_evaluations().end());
    value_evaluations.assign(u.value_evaluations().begin(), u.value_evaluations().end());
    solver_iterations.assign(z.solver_iterations.begin(), z.solver_iterations.end());
    std::vector<State> ends;
    for (std::size_t l = 0; l < states.size(); ++l)
      ends.push_back(get_lane(z, static_cast<Index>(l), states[l].size()));
    return ends;
  }
  State operator()(const State& state, double direction, int steps) {
    return (*this)(std::vector<State>{state}, {direction}, steps).front();
  }

  GradientPrecision precision = GradientPrecision::full;
  // of the last call, lane by lane
  std::vector<Status> status;
  std::vector<std::int64_t> gradient_evaluations, value_evaluations, solver_iterations;

 private:
  Integrator integrator_;
  const Model& model_;
  bool check_reverse_;
};

inline double distance(const State& a, const State& b) {
  double d = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    d = std::isfinite(a[i] - b[i]) ? std::max(d, std::abs(a[i] - b[i])) : INFINITY;
  return d;
}

/// (q, −p), and the same for the canonical offset: S = diag(I, −I) on each part.
inline State momentum_flipped(State state, Index n) {
  for (std::size_t i = 0; i < state.size(); ++i)
    if ((static_cast<Index>(i) / n) % 2 == 1) state[i] = -state[i];
  return state;
}

}  // namespace darboux::testing
