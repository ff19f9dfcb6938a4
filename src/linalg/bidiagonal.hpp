#pragma once

#include <Eigen/Core>

#include "darboux/core/batch.hpp"

/// Singular value decomposition of a bidiagonal matrix by implicit QR steps (Golub and Kahan; Demmel and Kahan). Only
/// rotations are used, so u and v stay orthonormal to rounding whatever the singular values are. (Eigen 3.4 has two methods:
/// divide and conquer, which where singular values coincide may be wrong by tens of percent without saying so, and Jacobi's,
/// which is slow and loses two digits of orthogonality.)
namespace darboux {

/// An upper bidiagonal matrix T of size k with the vectors that belong to it: the matrix at hand is u T vᵀ. u and v have at
/// least k columns, and any number of rows: none, if only singular values are wanted.
struct Bidiagonal {
  Eigen::VectorXd diagonal;  // k
  Eigen::VectorXd above;     // k − 1
  Eigen::MatrixXd u, v;
};

/// The same matrix u L vᵀ for a lower bidiagonal L with k columns, and k rows or one more (as many as `below` has entries
/// says which: k − 1 or k), which one sweep of rotations makes upper.
[[nodiscard]] Bidiagonal from_lower(Eigen::VectorXd diagonal, const Eigen::VectorXd& below, Eigen::MatrixXd u,
                                    Eigen::MatrixXd v);

/// Makes `above` zero and `diagonal` the singular values, not negative and descending. Throws Error if that takes absurdly
/// long, as it does for entries that are not finite.
void diagonalise(Bidiagonal& t);

}  // namespace darboux
