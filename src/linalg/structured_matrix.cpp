#include "darboux/linalg/structured_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"
#include "linalg/batch_product.hpp"
#include "linalg/dense.hpp"

namespace darboux {

namespace {

bool has_diagonal_only(const Matrix& m) {
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      if (i != j && m(i, j) != 0.0) return false;
  return true;
}

}  // namespace

StructuredMatrix StructuredMatrix::zero(Index n) {
  StructuredMatrix block;
  block.dim_ = n;
  return block;
}

StructuredMatrix StructuredMatrix::identity(Index n) {
  StructuredMatrix block;
  block.kind_ = Kind::identity;
  block.dim_ = n;
  return block;
}

StructuredMatrix StructuredMatrix::diagonal(std::vector<double> entries) {
  const auto n = static_cast<Index>(entries.size());
  const auto all_are = [&](double value) {
    return std::all_of(entries.begin(), entries.end(), [=](double entry) { return entry == value; });
  };
  if (all_are(0.0)) return zero(n);
  if (all_are(1.0)) return identity(n);
  StructuredMatrix block;
  block.kind_ = Kind::diagonal;
  block.dim_ = n;
  block.diagonal_ = std::move(entries);
  return block;
}

StructuredMatrix StructuredMatrix::from(Matrix m) {
  if (!m.is_square())
    throw StructureError(fmt::format("a block of a Poisson matrix must be square, not {} x {}", m.rows(), m.cols()));
  if (has_diagonal_only(m)) {
    std::vector<double> entries(static_cast<std::size_t>(m.rows()));
    for (Index i = 0; i < m.rows(); ++i) entries[static_cast<std::size_t>(i)] = m(i, i);
    return diagonal(std::move(entries));
  }
  StructuredMatrix block;
  block.kind_ = Kind::dense;
  block.dim_ = m.rows();
  block.dense_ = std::move(m);
  return block;
}

StructuredMatrix StructuredMatrix::from(LowRankMatrix m) {
  if (m.rank() == 0) {
    std::vector<double> entries = m.parts().after;
    std::transform(entries.begin(), entries.end(), m.parts().before.begin(), entries.begin(), std::multiplies<>());
    return diagonal(std::move(entries));
  }
  StructuredMatrix block;
  block.kind_ = Kind::low_rank;
  block.dim_ = m.dim();
  block.low_rank_ = std::move(m);
  return block;
}

double StructuredMatrix::operator()(Index i, Index j) const noexcept {
  switch (kind_) {
    case Kind::zero: return 0.0;
    case Kind::identity: return i == j ? 1.0 : 0.0;
    case Kind::diagonal: return i == j ? diagonal_[static_cast<std::size_t>(i)] : 0.0;
    case Kind::low_rank: return low_rank_(i, j);
    case Kind::dense: return dense_(i, j);
  }
  return 0.0;
}

Matrix StructuredMatrix::matrix() const {
  switch (kind_) {
    case Kind::zero: return {dim_, dim_};
    case Kind::identity: return Matrix::identity(dim_);
    case Kind::diagonal: return Matrix::diagonal(diagonal_);
    case Kind::low_rank: return low_rank_.matrix();
    case Kind::dense: return dense_;
  }
  return {};
}

StructuredMatrix StructuredMatrix::transposed() const {
  if (is_diagonal()) return *this;
  if (kind_ == Kind::low_rank) return from(low_rank_.transposed());
  StructuredMatrix block = *this;
  block.dense_ = dense_.transposed();
  return block;
}

StructuredMatrix StructuredMatrix::negated() const {
  switch (kind_) {
    case Kind::zero: return *this;
    case Kind::identity: return diagonal(std::vector<double>(static_cast<std::size_t>(dim_), -1.0));
    case Kind::diagonal: {
      std::vector<double> entries = diagonal_;
      for (double& entry : entries) entry = 0.0 - entry;  // not −entry, which has a −0
      return diagonal(std::move(entries));
    }
    case Kind::low_rank: return from(low_rank_.negated());
    case Kind::dense: {
      StructuredMatrix block = *this;
      block.dense_ = Matrix(dim_, dim_) - dense_;
      return block;
    }
  }
  return {};
}

std::optional<StructuredMatrix> StructuredMatrix::inverse() const {
  const auto is_usable = [](double x) { return std::isfinite(x) && x != 0.0; };
  const auto are_usable = [&](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), is_usable);
  };
  switch (kind_) {
    case Kind::zero: return dim_ == 0 ? std::optional(*this) : std::nullopt;
    case Kind::identity: return *this;
    case Kind::diagonal: {
      std::vector<double> reciprocals = diagonal_;
      for (double& x : reciprocals) x = 1.0 / x;
      return are_usable(reciprocals) ? std::optional(diagonal(std::move(reciprocals))) : std::nullopt;
    }
    case Kind::low_rank: {
      LowRankMatrix inverted = low_rank_.inverse();
      const auto& [after, directions, stretches, before] = inverted.parts();
      if (!are_usable(after) || !are_usable(stretches) || !are_usable(before)) return std::nullopt;
      return from(std::move(inverted));
    }
    case Kind::dense: {
      auto inverted = darboux::inverse(dense_);
      return inverted ? std::optional(from(*std::move(inverted))) : std::nullopt;
    }
  }
  return {};
}

void StructuredMatrix::multiply(ConstBatch x, Batch y) const {
  assert(x.rows() == dim_ && y.rows() == dim_ && x.lanes() == y.lanes());
  switch (kind_) {
    case Kind::zero:
      for (Index j = 0; j < dim_; ++j) std::fill_n(y.row(j), y.lanes(), 0.0);
      return;
    case Kind::identity: copy(x, y); return;
    case Kind::diagonal:
      for (Index j = 0; j < dim_; ++j) {
        const double d = diagonal_[static_cast<std::size_t>(j)];
        std::transform(x.row(j), x.row(j) + x.lanes(), y.row(j), [d](double v) { return d * v; });
      }
      return;
    case Kind::low_rank: return low_rank_.multiply(x, y);
    case Kind::dense: return darboux::multiply(dense_, x, y);
  }
}

void StructuredMatrix::add_product(ConstBatch x, Batch y) const {
  assert(x.rows() == dim_ && y.rows() == dim_ && x.lanes() == y.lanes());
  const auto add_row = [&](Index j, double scale) {
    std::transform(x.row(j), x.row(j) + x.lanes(), y.row(j), y.row(j),
                   [scale](double v, double sum) { return sum + scale * v; });
  };
  switch (kind_) {
    case Kind::zero: return;
    case Kind::identity:
      for (Index j = 0; j < dim_; ++j) add_row(j, 1.0);
      return;
    case Kind::diagonal:
      for (Index j = 0; j < dim_; ++j) add_row(j, diagonal_[static_cast<std::size_t>(j)]);
      return;
    case Kind::low_rank: return low_rank_.add_product(x, y);
    case Kind::dense: return multiply_add(dense_, x, y);
  }
}

}  // namespace darboux
