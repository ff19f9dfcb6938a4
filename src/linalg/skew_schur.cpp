#include "linalg/skew_schur.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include "bidiagonal.hpp"
#include "eigen_map.hpp"

namespace darboux {

namespace {

struct Plane {
  Eigen::VectorXd a, b;
  double rate = 0.0;
  Index leading = 0;
};

/// Rates that differ by less than this fraction of the largest count as equal, and are made so: rounding drives equal ones
/// about as far apart. Rates below the second fraction are what rounding left of zero, and nobody's equals.
constexpr double equal_rates = 1e-14;
constexpr double zero_rates = 1e-12;

/// The first j with at least half of the largest size. Not the largest itself: of equal ones, rounding would choose.
Index leading_coordinate(const Eigen::VectorXd& size) {
  const double enough = 0.5 * size.maxCoeff();
  return std::find_if(size.begin(), size.end(), [=](double x) { return x >= enough; }) - size.begin();
}

/// Turns (a, b) within their plane to the convention of the header.
void fix_phase(Plane& plane) {
  const Eigen::VectorXd size = plane.a.cwiseAbs2() + plane.b.cwiseAbs2();
  plane.leading = leading_coordinate(size);
  const double norm = std::sqrt(size[plane.leading]);
  const double c = plane.a[plane.leading] / norm;
  const double s = plane.b[plane.leading] / norm;
  const Eigen::VectorXd a = c * plane.a + s * plane.b;
  plane.b = c * plane.b - s * plane.a;
  plane.a = a;
  plane.b[plane.leading] = 0.0;
}

/// Chooses the planes of a subspace that S turns at one rate, where only the subspace is determined. Seen as complex vectors
/// u = a + ib, the planes may be mixed by any unitary matrix. One after the other, the leading coordinate of all that is
/// left gets a plane of its own, by a reflection that takes it out of the others.
void resolve_equal_rates(std::span<Plane> planes) {
  const auto count = static_cast<Index>(planes.size());
  if (count < 2) return;
  Eigen::MatrixXcd u(planes[0].a.size(), count);
  for (Index k = 0; k < count; ++k) {
    const Plane& plane = planes[static_cast<std::size_t>(k)];
    u.col(k).real() = plane.a;
    u.col(k).imag() = plane.b;
  }
  for (Index k = 0; k + 1 < count; ++k) {
    auto rest = u.rightCols(count - k);
    const Eigen::VectorXd size = rest.rowwise().squaredNorm();
    // The reflection I − 2vvᴴ/vᴴv with v = y + (phase of y₁)‖y‖e₁ takes y to a multiple of e₁: then y is the row's only entry.
    Eigen::VectorXcd v = rest.row(leading_coordinate(size)).adjoint();
    v[0] += std::polar(v.norm(), std::arg(v[0]));
    v.normalize();
    rest -= 2.0 * (rest * v).eval() * v.adjoint();
  }
  double rate = 0.0;
  for (const Plane& plane : planes) rate += plane.rate / static_cast<double>(count);
  for (Index k = 0; k < count; ++k)
    planes[static_cast<std::size_t>(k)] = {.a = u.col(k).real(), .b = u.col(k).imag(), .rate = rate, .leading = 0};
}

/// Descending rates; equal ones by leading coordinate. The phase of each plane is fixed on the way.
void order(std::vector<Plane>& planes) {
  std::stable_sort(planes.begin(), planes.end(), [](const Plane& x, const Plane& y) { return x.rate > y.rate; });
  const double largest = planes.front().rate;
  for (auto first = planes.begin(); first != planes.end();) {
    const auto differs = [&](const Plane& p) { return first->rate - p.rate > equal_rates * largest; };
    const auto last = first->rate > zero_rates * largest ? std::find_if(first, planes.end(), differs) : first + 1;
    resolve_equal_rates({first, last});
    std::for_each(first, last, fix_phase);
    std::stable_sort(first, last, [](const Plane& x, const Plane& y) { return x.leading < y.leading; });
    first = last;
  }
}

/// Σ_i c_i (a_i a_iᵀ + b_i b_iᵀ) + s_i (a_i b_iᵀ − b_i a_iᵀ), plus k v vᵀ for the kernel vector v.
Matrix plane_sum(const SkewSchur& form, const std::vector<double>& c, const std::vector<double>& s, double k) {
  const auto a = as_eigen(form.a);
  const auto b = as_eigen(form.b);
  const auto planes = static_cast<Index>(c.size());
  const auto even = Eigen::Map<const Eigen::VectorXd>(c.data(), planes).asDiagonal();
  const auto odd = Eigen::Map<const Eigen::VectorXd>(s.data(), planes).asDiagonal();
  Eigen::MatrixXd sum = a * even * a.transpose() + b * even * b.transpose();
  const Eigen::MatrixXd turn = a * odd * b.transpose();
  sum += turn - turn.transpose();
  if (!form.kernel.empty()) {
    const Eigen::Map<const Eigen::VectorXd> v(form.kernel.data(), form.dim());
    sum += k * v * v.transpose();
  }
  return from_eigen(sum);
}

}  // namespace

SkewSchur skew_schur(const Matrix& skew) {
  const Index n = skew.rows();
  const Index planes = n / 2;
  SkewSchur form{.a = Matrix(n, planes), .b = Matrix(n, planes), .rate = {}, .kernel = {}};
  if (n == 0) return form;

  const int exponent = binary_exponent(skew);
  Eigen::MatrixXd s = divided_by_power_of_two(skew, exponent);
  s = 0.5 * (s - s.transpose()).eval();
  Eigen::MatrixXd q = Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd t = s;
  if (n > 2) {
    const Eigen::HessenbergDecomposition<Eigen::MatrixXd> hessenberg(s);
    q = hessenberg.matrixQ();
    t = hessenberg.matrixH();
  }
  // Qᵀ S Q is tridiagonal with entries t_i above and −t_i below the diagonal. In the order (even, odd) it is
  // [[0, L], [−Lᵀ, 0]], with L lower bidiagonal.
  if (planes > 0) {
    Eigen::VectorXd diagonal(planes), below(n - planes - 1);
    for (Index i = 0; i < planes; ++i) diagonal[i] = -t(2 * i + 1, 2 * i);
    for (Index i = 0; i < below.size(); ++i) below[i] = t(2 * i + 2, 2 * i + 1);
    Bidiagonal svd =
        from_lower(diagonal, below, q(Eigen::all, Eigen::seq(0, n - 1, 2)), q(Eigen::all, Eigen::seq(1, n - 1, 2)));
    diagonalise(svd);
    std::vector<Plane> found(static_cast<std::size_t>(planes));
    for (Index i = 0; i < planes; ++i)
      found[static_cast<std::size_t>(i)] = {
          .a = svd.u.col(i), .b = svd.v.col(i), .rate = svd.diagonal[i], .leading = 0};
    order(found);
    for (Index i = 0; i < planes; ++i) {
      const Plane& plane = found[static_cast<std::size_t>(i)];
      for (Index j = 0; j < n; ++j) {
        form.a(j, i) = plane.a[j];
        form.b(j, i) = plane.b[j];
      }
      form.rate.push_back(std::scalbn(plane.rate, exponent));
    }
    if (n % 2 == 1) form.kernel.assign(svd.u.col(planes).begin(), svd.u.col(planes).end());
  } else {
    form.kernel = {1.0};
  }
  return form;
}

Matrix rotation(const SkewSchur& s, double t) {
  std::vector<double> cosine, sine;
  for (const double rate : s.rate) {
    cosine.push_back(std::cos(t * rate));
    sine.push_back(std::sin(t * rate));
  }
  return plane_sum(s, cosine, sine, 1.0);
}

Matrix resolvent(const SkewSchur& s, double h) {
  std::vector<double> even, odd;
  for (const double rate : s.rate) {
    even.push_back(1.0 / (1.0 + h * rate * h * rate));
    odd.push_back(h * rate * even.back());
  }
  return plane_sum(s, even, odd, 1.0);
}

Matrix rotation_integral(const SkewSchur& s, double t) {
  // ∫ cos(λs) ds = t sinc(λt); ∫ sin(λs) ds = t sinc(λt/2) sin(λt/2), without cancellation for small λt.
  const auto sinc = [](double x) { return std::abs(x) < 1e-8 ? 1.0 : std::sin(x) / x; };
  std::vector<double> cosine, sine;
  for (const double rate : s.rate) {
    cosine.push_back(t * sinc(t * rate));
    sine.push_back(t * sinc(0.5 * t * rate) * std::sin(0.5 * t * rate));
  }
  return plane_sum(s, cosine, sine, t);
}

}  // namespace darboux
