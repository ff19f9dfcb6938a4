#include "bidiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// The rotation with c f + s g = r and c g − s f = 0.
struct Rotation {
  double c, s, r;
};

Rotation rotation_of(double f, double g) {
  if (g == 0.0) return {.c = 1.0, .s = 0.0, .r = f};
  const double r = std::hypot(f, g);
  return {.c = f / r, .s = g / r, .r = r};
}

/// Columns i and i + 1 become c m_i + s m_{i+1} and c m_{i+1} − s m_i.
void rotate_columns(Eigen::MatrixXd& m, Index i, const Rotation& by) {
  double* x = m.data() + i * m.rows();
  double* y = x + m.rows();
  for (Index row = 0; row < m.rows(); ++row) {
    const double old = x[row];
    x[row] = by.c * old + by.s * y[row];
    y[row] = by.c * y[row] - by.s * old;
  }
}

/// The smaller singular value of [[f, g], [0, h]].
double smaller_singular_value(double f, double g, double h) {
  f = std::abs(f);
  h = std::abs(h);
  const double larger = 0.5 * (std::hypot(f + h, g) + std::hypot(f - h, g));
  return larger == 0.0 ? 0.0 : std::min(f, h) * (std::max(f, h) / larger);
}

/// One QR step on rows first to last, shifted towards a singular value near `shift`.
void shifted_step(Bidiagonal& t, Index first, Index last, double shift) {
  auto& d = t.diagonal;
  auto& e = t.above;
  double f = (std::abs(d[first]) - shift) * (std::copysign(1.0, d[first]) + shift / d[first]);
  double g = e[first];
  for (Index i = first; i < last; ++i) {
    const Rotation right = rotation_of(f, g);
    if (i > first) e[i - 1] = right.r;
    f = right.c * d[i] + right.s * e[i];
    e[i] = right.c * e[i] - right.s * d[i];
    g = right.s * d[i + 1];
    d[i + 1] *= right.c;
    rotate_columns(t.v, i, right);

    const Rotation left = rotation_of(f, g);
    d[i] = left.r;
    f = left.c * e[i] + left.s * d[i + 1];
    d[i + 1] = left.c * d[i + 1] - left.s * e[i];
    if (i + 1 < last) {
      g = left.s * e[i + 1];
      e[i + 1] *= left.c;
    }
    rotate_columns(t.u, i, left);
  }
  e[last - 1] = f;
}

/// The same with shift 0, arranged so that nothing cancels: it splits off a singular value that is zero, or tiny beside the
/// others.
void unshifted_step(Bidiagonal& t, Index first, Index last) {
  auto& d = t.diagonal;
  auto& e = t.above;
  Rotation right{.c = 1.0, .s = 0.0, .r = 0.0}, left = right;
  for (Index i = first; i < last; ++i) {
    right = rotation_of(d[i] * right.c, e[i]);
    if (i > first) e[i - 1] = left.s * right.r;
    left = rotation_of(left.c * right.r, d[i + 1] * right.s);
    d[i] = left.r;
    rotate_columns(t.v, i, right);
    rotate_columns(t.u, i, left);
  }
  const double end = d[last] * right.c;
  d[last] = end * left.c;
  e[last - 1] = end * left.s;
}

bool is_negligible(const Bidiagonal& t, Index i) {
  return std::abs(t.above[i]) <= eps * (std::abs(t.diagonal[i]) + std::abs(t.diagonal[i + 1])) ||
         std::abs(t.above[i]) < std::numeric_limits<double>::min();
}

void step(Bidiagonal& t, Index first, Index last) {
  const auto sizes = t.diagonal.segment(first, last - first + 1).cwiseAbs();
  const double shift = smaller_singular_value(t.diagonal[last - 1], t.above[last - 1], t.diagonal[last]);
  const bool has_tiny_value = sizes.minCoeff() <= eps * sizes.maxCoeff();
  if (has_tiny_value || shift <= eps * std::abs(t.diagonal[first]))
    unshifted_step(t, first, last);
  else
    shifted_step(t, first, last, shift);
}

/// Signs go into v; then the largest comes first.
void sort_singular_values(Bidiagonal& t) {
  const Index k = t.diagonal.size();
  for (Index i = 0; i < k; ++i) {
    if (!std::signbit(t.diagonal[i])) continue;
    t.diagonal[i] = -t.diagonal[i];
    t.v.col(i) *= -1.0;
  }
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return t.diagonal[a] > t.diagonal[b]; });
  const Bidiagonal old = t;
  for (Index i = 0; i < k; ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    t.diagonal[i] = old.diagonal[from];
    t.u.col(i) = old.u.col(from);
    t.v.col(i) = old.v.col(from);
  }
}

}  // namespace

Bidiagonal from_lower(Eigen::VectorXd diagonal, const Eigen::VectorXd& below, Eigen::MatrixXd u, Eigen::MatrixXd v) {
  const Index k = diagonal.size();
  Bidiagonal t{.diagonal = std::move(diagonal),
               .above = Eigen::VectorXd::Zero(std::max<Index>(k - 1, 0)),
               .u = std::move(u),
               .v = std::move(v)};
  for (Index i = 0; i < below.size(); ++i) {
    const Rotation left = rotation_of(t.diagonal[i], below[i]);
    t.diagonal[i] = left.r;
    if (i + 1 < k) {
      t.above[i] = left.s * t.diagonal[i + 1];
      t.diagonal[i + 1] *= left.c;
    }
    rotate_columns(t.u, i, left);
  }
  return t;
}

void diagonalise(Bidiagonal& t) {
  Index last = t.diagonal.size() - 1;
  Index steps_left = 100 * (last + 1);  // two or three per singular value are usual
  while (last > 0) {
    if (is_negligible(t, last - 1)) {
      t.above[--last] = 0.0;
      continue;
    }
    Index first = last - 1;
    while (first > 0 && !is_negligible(t, first - 1)) --first;
    if (first > 0) t.above[first - 1] = 0.0;
    if (steps_left-- == 0) throw Error("a singular value decomposition did not converge: are all entries finite?");
    step(t, first, last);
  }
  sort_singular_values(t);
}

}  // namespace darboux
