#pragma once

#include <algorithm>
#include <cmath>

#include "core/archive.hpp"
#include "core/stopwatch.hpp"
#include "darboux/sample/sample_result.hpp"
#include "darboux/sample/tuning.hpp"

/// What types of the library's users consist of, for Archive (core/archive.hpp).
namespace darboux {

inline constexpr std::int64_t most_gradients = 1'000'000'000'000'000;  // sums of such are numbers still

template <class Archive>
void archive(Archive& fields, Elapsed& x) {
  fields(x.seconds, x.cpu_seconds);
}

template <class Archive>
void archive(Archive& fields, Matrix& x) {
  Index rows = x.rows(), cols = x.cols();
  std::vector<double> numbers(x.data(), x.data() + rows * cols);
  fields(rows, cols, numbers);
  if constexpr (Archive::reads) {
    const Index size = std::ssize(numbers);
    require_sense(rows >= 0 && cols >= 0 && (cols == 0 ? size == 0 : size % cols == 0 && size / cols == rows),
                  "a matrix has another size than it says");
    x = Matrix(rows, cols);
    std::copy(numbers.begin(), numbers.end(), x.data());
  }
}

template <class Archive>
void archive(Archive& fields, LowRankMatrix::Parts& x) {
  fields(x.after, x.directions, x.stretches, x.before);
}

template <class Archive>
void archive(Archive& fields, StructuredMatrix& x) {
  using Kind = StructuredMatrix::Kind;
  Kind kind = x.kind();
  Index dim = x.dim();
  fields(kind, dim);
  require_sense(dim >= 0, "a matrix has a negative dimension");
  switch (kind) {
    case Kind::zero: x = StructuredMatrix::zero(dim); return;
    case Kind::identity: x = StructuredMatrix::identity(dim); return;
    case Kind::diagonal: {
      std::vector<double> entries;
      for (Index i = 0; i < dim && !Archive::reads; ++i) entries.push_back(x(i, i));
      fields(entries);
      if constexpr (Archive::reads) x = StructuredMatrix::diagonal(std::move(entries));
      return;
    }
    case Kind::low_rank: {
      LowRankMatrix::Parts parts = x.low_rank().parts();
      fields(parts);
      if constexpr (Archive::reads) x = StructuredMatrix::from(LowRankMatrix(std::move(parts)));
      return;
    }
    case Kind::dense: {
      Matrix matrix = Archive::reads ? Matrix() : x.matrix();
      fields(matrix);
      if constexpr (Archive::reads) x = StructuredMatrix::from(std::move(matrix));
      return;
    }
  }
  throw Error("a matrix is of a kind that is not known");
}

template <class Archive>
void archive(Archive& fields, MarginalShape& x) {
  fields(x.place, x.scale, x.skew, x.tail);
}

template <class Archive>
void archive(Archive& fields, Tuning& x) {
  fields(x.step_size, x.steps, x.center, x.factor, x.metric_draws, x.copy_spread, x.binding_angle, x.stages,
         x.step_spread, x.momentum_kept, x.motion, x.shapes);
  constexpr double most = 1e6;  // steps, as of the setting
  require_sense(x.steps >= 0.0 && x.steps <= most, "a trajectory has less than no steps, or too many");
  require_sense(
      x.step_size > 0.0 && std::isfinite(x.step_size) && x.stages >= 1 && x.stages <= 3 && x.metric_draws >= 0,
      "steps are none that anybody takes");
}

template <class Archive>
void archive(Archive& fields, SampleResult& x) {
  fields(x.tuning, x.gradient_precision, x.single_precision_is_too_rough, x.late_chains, x.absent_chains,
         x.target_acceptance, x.hopeless, x.narrow, x.refused, x.fastest, x.order, x.foreseen, x.foreseen_otherwise,
         x.scatter, x.warmup_gradients, x.start_gradients, x.late_gradients, x.sampling_gradients, x.warmup_seconds,
         x.warmup_cpu_seconds, x.sampling_cpu_seconds, x.sampling_seconds, x.draws, x.end);
  require_sense(x.draws >= 0, "there are less than no draws");
  require_sense(x.order == 2 || x.order == 4, "steps are of an order that none is");
  require_sense(
      are_counts({x.warmup_gradients, x.start_gradients, x.late_gradients, x.sampling_gradients}, most_gradients),
      "gradients are less than none, or too many");
}

}  // namespace darboux
