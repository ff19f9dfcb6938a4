#include "fitzhugh_nagumo_kernel.hpp"

#include "linalg/vector.hpp"

namespace darboux::DARBOUX_TARGET {
namespace {

using Size = std::size_t;

constexpr double largest_state = 1e6;  // data are of size 1: beyond this the solution has blown up

/// V and R, then, if derivatives are carried, those of both by a, by b, by c. Chains are the places of a vector.
enum Row : Size { V, R, V_a, R_a, V_b, R_b, V_c, R_c };

template <class Vec, Size rows>
struct State {
  Vec row[rows];
};

template <class Vec>
struct Parameters {
  Vec a, b, c, inverse_c;
};

/// V̇, Ṙ and, with F the right-hand side, the variational equations Ẏ_θ = (∂F/∂Y) Y_θ + ∂F/∂θ, where
///     V̇ = c (V − V³/3 + R),   Ṙ = −(V − a + bR)/c.
template <class Vec, Size rows>
inline State<Vec, rows> derivative(const State<Vec, rows>& y, const Parameters<Vec>& at) {
  State<Vec, rows> out;
  const Vec v = y.row[V], r = y.row[R], square = v * v;
  const Vec cubic = fma(v, fma(square, all<Vec>(-1.0 / 3.0), all<Vec>(1.0)), r);
  const Vec linear = fma(at.b, r, v - at.a) * at.inverse_c;
  out.row[V] = at.c * cubic;
  out.row[R] = -linear;
  if constexpr (rows > 2) {
    const Vec slope = 1.0 - square;  // of the cubic
    const auto along = [&](Row row_V, Row row_R, Vec cubic_by_theta, Vec linear_by_theta) {
      const Vec V_theta = y.row[row_V], R_theta = y.row[row_R];
      out.row[row_V] = at.c * fma(slope, V_theta, R_theta + cubic_by_theta);
      out.row[row_R] = -at.inverse_c * fma(at.b, R_theta, V_theta + linear_by_theta);
    };
    along(V_a, R_a, Vec{}, all<Vec>(-1.0));
    along(V_b, R_b, Vec{}, r);
    along(V_c, R_c, cubic * at.inverse_c, -linear);
  }
  return out;
}

/// y + t k.
template <class Vec, Size rows>
inline State<Vec, rows> moved(const State<Vec, rows>& y, double t, const State<Vec, rows>& k) {
  State<Vec, rows> out;
  for (Size j = 0; j < rows; ++j) out.row[j] = fma(all<Vec>(t), k.row[j], y.row[j]);
  return out;
}

/// One step of the classical Runge-Kutta method of order 4.
template <class Vec, Size rows>
inline State<Vec, rows> stepped(const State<Vec, rows>& y, double h, const Parameters<Vec>& at) {
  const State<Vec, rows> k1 = derivative(y, at);
  const State<Vec, rows> k2 = derivative(moved(y, 0.5 * h, k1), at);
  State<Vec, rows> sum = moved(moved(y, h / 6.0, k1), h / 3.0, k2);
  const State<Vec, rows> k3 = derivative(moved(y, 0.5 * h, k2), at);
  sum = moved(sum, h / 3.0, k3);
  return moved(sum, h / 6.0, derivative(moved(y, h, k3), at));
}

/// As many chains as a vector has places, from `chain` on.
template <Size places, bool with_gradient>
void evaluate(const FitzHughNagumoTask& task, Size chain) {
  using Vec = Vector<double, places>;
  constexpr Size rows = with_gradient ? 8 : 2;
  Parameters<Vec> at{.a = load<Vec>(task.parameters[0] + chain),
                     .b = load<Vec>(task.parameters[1] + chain),
                     .c = load<Vec>(task.parameters[2] + chain),
                     .inverse_c = {}};
  at.inverse_c = 1.0 / at.c;
  State<Vec, rows> y{};
  y.row[V] = all<Vec>(task.first_V);
  y.row[R] = all<Vec>(task.first_R);
  Vec value{}, gradient[3] = {};
  auto bounded = value == value;
  for (Size i = 0; i < task.observations; ++i) {
    for (std::int64_t k = 0; k < task.steps[i].count; ++k) y = stepped(y, task.steps[i].length, at);
    const Vec off_V = y.row[V] - task.V[i], off_R = y.row[R] - task.R[i];
    value -= fma(off_V, off_V, off_R * off_R);  // variance ½: the factor 1/(2·½) is 1
    bounded &= (minus_abs(y.row[V]) > -largest_state) & (minus_abs(y.row[R]) > -largest_state);
    if constexpr (with_gradient)
      for (Size j = 0; j < 3; ++j) gradient[j] -= 2.0 * fma(off_V, y.row[V_a + 2 * j], off_R * y.row[R_a + 2 * j]);
  }
  store(bounded ? value : all<Vec>(__builtin_nan("")), task.log_likelihood + chain);
  for (Size j = 0; with_gradient && j < 3; ++j) store(gradient[j], task.gradient[j] + chain);
}

template <bool with_gradient>
void evaluate(const FitzHughNagumoTask& task) {
  constexpr Size places = native_width<double>;
  Size chain = 0;
  for (; chain + places / 2 < task.chains; chain += places) evaluate<places, with_gradient>(task, chain);
  if constexpr (places > 2)  // narrow vectors are faster
    for (; chain < task.chains; chain += places / 2) evaluate<places / 2, with_gradient>(task, chain);
  else
    for (; chain < task.chains; chain += places) evaluate<places, with_gradient>(task, chain);
}

}  // namespace

void evaluate_fitzhugh_nagumo(const FitzHughNagumoTask& task) {
  task.gradient[0] != nullptr ? evaluate<true>(task) : evaluate<false>(task);
}

}  // namespace darboux::DARBOUX_TARGET
