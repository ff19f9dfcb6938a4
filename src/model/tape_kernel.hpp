#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dispatch.hpp"

namespace darboux {

/// What a node of a tape is computed by. Those from `reciprocal` on are functions of one number; those from `cbrt` on are
/// called lane by lane (tape_functions.hpp), the others are vectors' own.
enum class Operation : std::uint8_t {
  linear,   ///< constant + Σ factor × node
  product,  ///< of two nodes
  maximum,
  minimum,
  pow,
  hypot,
  atan2,
  reciprocal,
  square,
  abs,
  sqrt,
  exp,
  log,
  log1p,
  log1p_exp,
  inv_logit,
  cbrt,
  expm1,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  Phi,
  lgamma,
  digamma,
  constant_power,  ///< x^c, c the node's constant
  count
};

/// A function of one number in `lanes` places: its values and, unless `slope` is null, its derivatives. `constant` is the node's.
using CalledOnOne = void (*)(const double* x, double constant, double* value, double* slope, std::size_t lanes);
/// The same of two, with both partial derivatives.
using CalledOnTwo = void (*)(const double* x, const double* y, double* value, double* slope_x, double* slope_y,
                             std::size_t lanes);

/// Nodes in a row that are computed alike.
struct TapeRun {
  Operation operation;
  std::uint32_t first;            ///< node
  std::uint32_t count;            ///< of nodes
  std::uint32_t first_slope = 0;  ///< where those of its derivatives are that the way back needs
  CalledOnOne called_on_one = nullptr;
  CalledOnTwo called_on_two = nullptr;
};

/// A tape and the memory to replay it in. Variables come first, then nodes, each after what it is computed from; number k of
/// a group of lanes is a run of as many places from k × lanes on.
struct TapeTask {
  const TapeRun* runs;
  std::size_t run_count;
  const std::uint32_t *first, *second;  ///< operands of each node; of a linear one, where its terms begin and end
  const double* constants;              ///< of each node
  const double* factors;                ///< of each term …
  const std::uint32_t* factor_nodes;    ///< … and what it multiplies
  std::size_t lanes;                    ///< of a group: 4, 8 or 16
  double* values;                       ///< variables are given
  double* slopes;                       ///< null if there will be no way back
  double* adjoints;                     ///< that of the result is 1 and the others 0 before the way back
};

/// values = what the nodes are, in their order.
/// adjoints = derivatives of the result by all nodes and variables, in the opposite order; slopes are those of the way there.
/// A node whose adjoint is 0 passes nothing on, even where its slope is infinite or NaN: what does not count spoils nothing.
/// A lane's numbers do not depend on the others, nor on the size of the group.
DARBOUX_DECLARE_KERNEL(void replay_forward(const TapeTask& task); void replay_backward(const TapeTask& task);)

}  // namespace darboux
