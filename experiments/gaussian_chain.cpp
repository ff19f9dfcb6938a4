#include "gaussian_chain.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/dense.hpp"

namespace darboux::experiments {

Matrix transition(const GaussianChain& chain) {
  const Index n = chain.structure.dim();
  Matrix turned = chain.structure.matrix();
  for (Index i = 0; i < 2 * n; ++i)
    for (Index j = 0; j < 2 * n; ++j) turned(i, j) *= chain.time;
  Matrix refreshed = Matrix::identity(2 * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) refreshed(n + i, n + j) = chain.kept(i, j);
  return exponential(turned) * refreshed;
}

EffectiveShares effective_shares(const GaussianChain& chain) {
  constexpr int most_lags = 2000;  // terms that are left out could only make shares of squares smaller
  constexpr double negligible = 1e-14;
  const auto n = static_cast<std::size_t>(chain.structure.dim());
  const Matrix step = transition(chain);
  std::vector<double> values(n, 1.0), squares(n, 1.0);  // 1 + 2 Σ ρ
  Matrix power = step;
  for (int lag = 1; lag < most_lags && max_abs(power) > negligible; ++lag, power = power * step)
    for (std::size_t i = 0; i < n; ++i) {
      const double rho = power(static_cast<Index>(i), static_cast<Index>(i));
      values[i] += 2.0 * rho;
      squares[i] += 2.0 * rho * rho;
    }
  return {.values = 1.0 / *std::max_element(values.begin(), values.end()),
          .squares = 1.0 / *std::max_element(squares.begin(), squares.end())};
}

}  // namespace darboux::experiments
