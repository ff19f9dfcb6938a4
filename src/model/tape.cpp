#include "model/tape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/tape_functions.hpp"

namespace darboux {

std::int8_t RecordedComparison::answer_for(Kind kind, double first, double second) {
  switch (kind) {
    case Kind::order:
      if (first < second) return -1;
      if (first > second) return 1;
      return first == second ? 0 : 2;
    case Kind::equality: return first == second ? 1 : 0;
    case Kind::finite: return std::isfinite(first) ? 1 : 0;
    default: return std::isnan(first) ? 1 : 0;
  }
}

TapeTask Tape::task() const {
  return {.runs = runs.data(),
          .run_count = runs.size(),
          .first = first.data(),
          .second = second.data(),
          .constants = constants.data(),
          .factors = factors.data(),
          .factor_nodes = factor_nodes.data(),
          .lanes = 0,
          .values = nullptr,
          .slopes = nullptr,
          .adjoints = nullptr};
}

namespace {

/// visit(k) for every node that node i is computed from.
template <class Visit>
void for_each_operand(const Tape& tape, std::size_t i, Visit visit) {
  if (i < tape.variables) return;
  if (tape.operations[i] == Operation::linear) {
    for (std::size_t t = tape.first[i]; t < tape.second[i]; ++t) visit(tape.factor_nodes[t]);
    return;
  }
  visit(tape.first[i]);
  if (tape.operations[i] < Operation::reciprocal) visit(tape.second[i]);
}

std::vector<bool> needed_nodes(const Tape& tape) {
  std::vector<bool> needed(tape.size(), false);
  if (!tape.refuses) needed[tape.result] = true;
  for (const RecordedComparison& comparison : tape.comparisons)
    needed[comparison.first] = needed[comparison.second] = true;
  for (std::size_t i = tape.size(); i-- > 0;)
    if (needed[i]) for_each_operand(tape, i, [&](std::size_t k) { needed[k] = true; });
  return needed;
}

/// How many nodes are on the longest way from a variable to each.
std::vector<std::uint32_t> depths(const Tape& tape) {
  std::vector<std::uint32_t> depth(tape.size(), 0);
  for (std::size_t i = tape.variables; i < tape.size(); ++i)
    for_each_operand(tape, i, [&](std::size_t k) { depth[i] = std::max(depth[i], depth[k] + 1); });
  return depth;
}

std::uint32_t slopes_of(Operation operation) {
  if (operation <= Operation::product) return 0;
  return operation < Operation::reciprocal ? 2 : 1;
}

}  // namespace

Tape scheduled(const Tape& recorded) {
  const std::vector<bool> needed = needed_nodes(recorded);
  const std::vector<std::uint32_t> depth = depths(recorded);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = recorded.variables; i < recorded.size(); ++i)
    if (needed[i]) order.push_back(i);
  const auto place = [&](std::uint32_t i) { return std::pair(depth[i], recorded.operations[i]); };
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(place(i), i); });
  std::vector<std::uint32_t> moved(recorded.size());
  std::iota(moved.begin(), moved.end(), 0U);
  for (std::uint32_t k = 0; k < order.size(); ++k) moved[order[k]] = recorded.variables + k;

  Tape out;
  out.variables = recorded.variables;
  out.operations.assign(recorded.variables, Operation::linear);
  out.first.assign(recorded.variables, 0);
  out.second.assign(recorded.variables, 0);
  out.constants.assign(recorded.variables, 0.0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t i = order[k];
    const Operation operation = recorded.operations[i];
    if (k == 0 || place(i) != place(order[k - 1])) out.runs.push_back(run_of(operation, moved[i], 0, out.slopes));
    ++out.runs.back().count;
    out.slopes += slopes_of(operation);
    out.operations.push_back(operation);
    out.constants.push_back(recorded.constants[i]);
    if (operation == Operation::linear) {
      out.first.push_back(static_cast<std::uint32_t>(out.factors.size()));
      for (std::size_t t = recorded.first[i]; t < recorded.second[i]; ++t) {
        out.factors.push_back(recorded.factors[t]);
        out.factor_nodes.push_back(moved[recorded.factor_nodes[t]]);
      }
      out.second.push_back(static_cast<std::uint32_t>(out.factors.size()));
    } else {
      out.first.push_back(moved[recorded.first[i]]);
      out.second.push_back(moved[recorded.second[i]]);
    }
  }
  for (const RecordedComparison& c : recorded.comparisons)
    out.comparisons.push_back({.kind = c.kind, .first = moved[c.first], .second = moved[c.second], .answer = c.answer});
  out.result = moved[recorded.result];
  out.refuses = recorded.refuses;
  return out;
}

}  // namespace darboux
