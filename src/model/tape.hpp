#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/tape_kernel.hpp"

namespace darboux {

/// A question about numbers that the function asked, and the answer on this tape: where another point has another answer, the
/// function may do something else there.
struct RecordedComparison {
  enum class Kind : std::uint8_t { order, equality, finite, nan };
  Kind kind;
  std::uint32_t first, second;  ///< nodes; those that look at one number look at the first
  std::int8_t answer;

  /// The answer for two numbers. That of `order` is −1, 0 or 1, or 2 where one is NaN.
  [[nodiscard]] static std::int8_t answer_for(Kind kind, double first, double second);
};

/// How a function computes its result from n variables, nodes 0, …, n − 1, along one path of its branches. All of it depends on
/// the function and that path alone, never on the point at which they were recorded.
struct Tape {
  std::uint32_t variables = 0;
  // Of each node, variables included; see TapeTask.
  std::vector<Operation> operations;
  std::vector<std::uint32_t> first, second;
  std::vector<double> constants;
  // Of each term.
  std::vector<double> factors;
  std::vector<std::uint32_t> factor_nodes;

  std::vector<TapeRun> runs;
  std::uint32_t slopes = 0;  ///< how many the runs keep
  std::vector<RecordedComparison> comparisons;
  std::uint32_t result = 0;
  bool refuses = false;  ///< the function refuses all points on this path; there is no result

  [[nodiscard]] std::size_t size() const noexcept { return operations.size(); }
  /// Without memory to work in.
  [[nodiscard]] TapeTask task() const;
};

/// The tape without what neither its result nor a comparison needs, and with nodes that are computed alike in long runs. No
/// node's value changes.
[[nodiscard]] Tape scheduled(const Tape& recorded);

}  // namespace darboux
