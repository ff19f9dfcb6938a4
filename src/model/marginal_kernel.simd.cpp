#include "marginal_kernel.hpp"

#include "linalg/vector_math.hpp"

namespace darboux::DARBOUX_TARGET {
namespace {

using Size = std::size_t;
constexpr Size width = native_width<double>;
using V = NativeVector<double>;

inline V with_sign_of(V sign, V magnitude) { return sign < 0.0 ? -magnitude : magnitude; }

/// √(1 + y²) and asinh y = ± log1p(|y| + y²/(1 + √(1 + y²))), which loses nothing where y is small.
struct Arcsinh {
  V root, value;
};
inline Arcsinh arcsinh(V y) {
  const V square = y * y, root = sqrt_of(1.0 + square);
  return {root, with_sign_of(y, log1p_of(square / (1.0 + root) - minus_abs(y)))};
}

/// Functions of w from e = exp(−|w|), none of which overflows before it has to. cosh w = (1 + e²)/(2e).
struct Hyperbolic {
  V sinh, cosh, tanh, e;
};
inline Hyperbolic hyperbolic(V w) {
  const V e = exp_of(minus_abs(w)), square = e * e, twice = 2.0 * e;
  return {with_sign_of(w, (1.0 - square) / twice), (1.0 + square) / twice,
          with_sign_of(w, (1.0 - square) / (1.0 + square)), e};
}

/// The numbers from `first` on, as far as there are some; `otherwise` in the places left.
inline V load_some(const double* from, Size first, Size count, double otherwise) {
  if (first + width <= count) return load<V>(from + first);
  V v = all<V>(otherwise);
  for (Size i = first; i < count; ++i) v[i - first] = from[i];
  return v;
}
inline void store_some(V v, double* to, Size first, Size count) {
  if (first + width <= count) return store(v, to + first);
  for (Size i = first; i < count; ++i) to[i] = v[i - first];
}

/// Of one shape: what each draw adds to likelihood and score.
struct OfDraw {
  V log_likelihood, score[4];
};

/// y = sinh v with v = δ u − ε, u = asinh z, z = (x − a)/b, so that
///     ℓ = −½ y² + log cosh v − ½ log(1 + z²) + log δ − log b.
/// ∂ℓ/∂v = −sinh v cosh v + tanh v = −sinh³v/cosh v, all other derivatives follow from it.
/// Sums need no more than absolute precision: as few divisions and logarithms as will do.
inline OfDraw of_draw(const MarginalShape& shape, V x) {
  const double inverse_scale = 1.0 / shape.scale;
  const V z = (x - shape.place) * inverse_scale, root = sqrt_of(1.0 + z * z), inverse_root = 1.0 / root;
  const V u = with_sign_of(z, log_of_normal(root - minus_abs(z)));
  const V v = shape.tail * u - shape.skew;
  const V e = exp_of(minus_abs(v)), inverse_e = 1.0 / e;
  const V sinh = with_sign_of(v, 0.5 * (inverse_e - e)), square = sinh * sinh;
  OfDraw out;
  // log cosh v − log √(1 + z²) + log(δ/b), as one logarithm
  out.log_likelihood =
      log_of_normal((0.5 * shape.tail * inverse_scale) * (1.0 + e * e) * inverse_root) - minus_abs(v) - 0.5 * square;
  const V by_v = -square * sinh / (0.5 * (inverse_e + e));
  const V by_z = (by_v * shape.tail - z * inverse_root) * inverse_root;
  out.score[0] = -by_z * inverse_scale;
  out.score[1] = -by_z * z - 1.0;
  out.score[2] = -by_v;
  out.score[3] = 1.0 + by_v * u * shape.tail;
  return out;
}

}  // namespace

void bend(const BendTask& given) {
  const BendTask task = given;  // see Group in tape_kernel.simd.cpp
  const MarginalShape shape = task.shape;
  const double inverse_tail = 1.0 / shape.tail, steepness = shape.scale / shape.tail;
  for (Size first = 0; first < task.lanes; first += width) {
    const V y = load_some(task.y, first, task.lanes, 0.0);
    const auto [root, u] = arcsinh(y);
    const V w = (u + shape.skew) * inverse_tail;
    const auto [sinh, cosh, tanh, e] = hyperbolic(w);
    store_some(shape.place + shape.scale * sinh, task.x, first, task.lanes);
    if (task.slope != nullptr) {
      store_some(steepness * cosh / root, task.slope, first, task.lanes);
      store_some((tanh * inverse_tail - y / root) / root, task.bend, first, task.lanes);
    }
    if (task.sum_log_slopes == nullptr) continue;
    const V log_slope = log_of((0.5 * steepness) * (1.0 + e * e) / root) - minus_abs(w);
    const V before = load_some(task.sum_log_slopes, first, task.lanes, 0.0);
    store_some(before + log_slope, task.sum_log_slopes, first, task.lanes);
  }
}

/// Eight draws at a time, whatever the width of vectors: sum k is of draws k, k + 8, ….
void score(ScoreTask& task) {
  constexpr Size group = 8, vectors = group / width, sums = 15;
  V sum[sums][vectors] = {};
  const MarginalShape shape = task.shape;
  const double* const x = task.x;
  const Size draws = task.draws, whole = draws / group * group;
  const auto add = [&](const OfDraw& draw, Size i) {
    sum[0][i] += draw.log_likelihood;
    Size place = 5;
    for (Size k = 0; k < 4; ++k) {
      sum[1 + k][i] += draw.score[k];
      for (Size l = 0; l <= k; ++l) sum[place++][i] += draw.score[k] * draw.score[l];
    }
  };
  for (Size first = 0; first < whole; first += group)
    for (Size i = 0; i < vectors; ++i) add(of_draw(shape, load<V>(x + first + i * width)), i);
  for (Size i = 0; i < vectors; ++i) {
    OfDraw last = of_draw(shape, load_some(x, whole + i * width, draws, shape.place));
    for (Size k = 0; k < width; ++k) {
      if (whole + i * width + k < draws) continue;
      last.log_likelihood[k] = 0.0;
      for (V& derivative : last.score) derivative[k] = 0.0;
    }
    add(last, i);
  }
  double total[sums] = {};
  for (Size s = 0; s < sums; ++s)
    for (Size k = 0; k < group; ++k) total[s] += sum[s][k / width][k % width];
  task.log_likelihood = total[0];
  for (Size k = 0; k < 4; ++k) task.score[k] = total[1 + k];
  for (Size k = 0; k < 10; ++k) task.information[k] = total[5 + k];
}

void log_likelihoods(const LikelihoodTask& given) {
  const LikelihoodTask task = given;
  for (Size first = 0; first < task.draws; first += width)
    store_some(of_draw(task.shape, load_some(task.x, first, task.draws, task.shape.place)).log_likelihood, task.out,
               first, task.draws);
}

}  // namespace darboux::DARBOUX_TARGET
