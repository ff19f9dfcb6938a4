#pragma once

#include <vector>

#include "darboux/linalg/matrix.hpp"

namespace darboux {

/// What standardise took out of each column: x = mean + scale · (standardised x).
struct Standardisation {
  std::vector<double> means;
  std::vector<double> scales;
};

/// Whether a column with entries from `smallest` to `largest` counts as constant: a spread at the size of the entries' own
/// rounding carries no information, only noise to be blown up to variance 1.
[[nodiscard]] bool is_constant(double smallest, double largest) noexcept;

/// Mean and standard deviation of every column over the rows, with divisor n. Refuses entries that are not finite and columns that are
/// constant, naming the column (numbered from 1).
[[nodiscard]] Standardisation moments_of(const Matrix& columns);

/// Takes means and scales out of columns.
void take_out(const Standardisation& taken, Matrix& columns);

/// Brings every column to mean 0 and variance 1: both of these.
Standardisation standardise(Matrix& columns);

/// Of every column that has exactly two values how far they are apart; 0 for other columns.
[[nodiscard]] std::vector<double> ranges_of_two_values(const Matrix& columns);

}  // namespace darboux
