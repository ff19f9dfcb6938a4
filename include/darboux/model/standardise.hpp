#pragma once

#include <vector>

#include "darboux/linalg/matrix.hpp"

namespace darboux {

/// What standardise took out of each column: x = mean + scale · (standardised x).
struct Standardisation {
  std::vector<double> means;
  std::vector<double> scales;
};

/// Brings every column to mean 0 and variance 1 over the rows, with divisor n. Refuses entries that are not finite and
/// columns that are constant, naming the column (numbered from 1).
Standardisation standardise(Matrix& columns);

}  // namespace darboux
