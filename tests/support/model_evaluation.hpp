#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "darboux/core/random.hpp"
#include "darboux/model/model.hpp"

namespace darboux::testing {

/// A number that no model computes: shows what was not written.
inline constexpr double untouched = -123456.789;

/// What an evaluator said about a block.
struct Evaluated {
  std::vector<double> log_density;
  OwnedBatch gradient;
  std::vector<Status> status;
};

struct Wanted {
  bool value = true;
  bool gradient = true;
  LaneMask active{};
};

/// Everything is first filled with `untouched` and, where nobody is expected to write, with Status::diverged.
inline Evaluated evaluate(Evaluator& evaluator, ConstBatch q, const Wanted& wanted = {}) {
  const auto lanes = static_cast<std::size_t>(q.lanes());
  Evaluated out{.log_density = std::vector<double>(wanted.value ? lanes : 0, untouched),
                .gradient = wanted.gradient ? OwnedBatch(q.rows(), q.lanes()) : OwnedBatch(),
                .status = std::vector<Status>(lanes, Status::diverged)};
  if (wanted.gradient)
    for (Index j = 0; j < q.rows(); ++j)
      for (Index l = 0; l < q.lanes(); ++l) out.gradient(j, l) = untouched;
  evaluator.evaluate({.q = q, .active = wanted.active, .value = wanted.value, .gradient = wanted.gradient},
                     {.log_density = out.log_density, .gradient = out.gradient, .status = out.status});
  return out;
}

inline Evaluated evaluate(const Model& model, ConstBatch q, const Wanted& wanted = {}) {
  return evaluate(*model.make_evaluator(), q, wanted);
}

/// One point as a block of one lane.
inline ConstBatch as_batch(const std::vector<double>& q) { return {q.data(), std::ssize(q), 1, 1}; }

inline double log_density_at(const Model& model, const std::vector<double>& q) {
  return evaluate(model, as_batch(q), {.gradient = false}).log_density[0];
}

inline std::vector<double> gradient_at(const Model& model, const std::vector<double>& q) {
  const Evaluated at = evaluate(model, as_batch(q), {.value = false});
  std::vector<double> out;
  for (Index j = 0; j < std::ssize(q); ++j) out.push_back(at.gradient(j, 0));
  return out;
}

inline std::vector<double> lane_of(ConstBatch q, Index lane) {
  std::vector<double> out;
  for (Index j = 0; j < q.rows(); ++j) out.push_back(q(j, lane));
  return out;
}

/// Normal points of a given size.
inline OwnedBatch normal_points(Index dim, Index lanes, double scale, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  OwnedBatch q(dim, lanes);
  for (Index l = 0; l < lanes; ++l)
    for (Index j = 0; j < dim; ++j) q(j, l) = scale * random.normal();
  return q;
}

}  // namespace darboux::testing
