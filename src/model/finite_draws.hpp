#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

/// Iterations of the keys under which random numbers for starting points are looked up: the attempt, plus one of these.
enum : std::uint64_t {
  for_chains = 0,
  for_searches = 1000,
  around_mode = 2000,
  for_paths = 3000,
  for_chains_of_paths = 4000,
  for_draws_of_paths = 5000,
  for_late_chains = 6000
};

/// Fills q with the candidate of this attempt.
using StartDraw = std::function<void(const RandomKey& key, std::span<double> q)>;

struct FiniteRequest {
  std::uint64_t seed = 0;
  Index lanes = 0;
  Index first_chain = 0;  ///< that of the first lane, for random numbers and messages
  std::uint64_t first_iteration = for_chains;
  double least_log_density = -std::numeric_limits<double>::infinity();
};

struct FiniteDraws {
  OwnedBatch q;                    ///< dim × lanes
  std::vector<std::uint8_t> open;  ///< per lane: 1 where nothing was found
  std::int64_t gradients = 0;      ///< that it took
};

/// The first candidate of every lane, of at most 100, at which log density and gradient are finite.
[[nodiscard]] FiniteDraws seek_finite(const Model& model, const FiniteRequest& request, const StartDraw& draw);
/// The same; throws InputError, which says `what` was tried, where a lane has none.
[[nodiscard]] FiniteDraws draw_until_finite(const Model& model, const FiniteRequest& request, std::string_view what,
                                            const StartDraw& draw);
/// Throws as draw_until_finite does if a lane of `found` has no point.
void require_found(const Model& model, const FiniteDraws& found, std::string_view what, Index first_chain = 0);
/// What a model has to say about points that it refused, to be appended to a message; nothing where it says nothing.
[[nodiscard]] std::string reasons_of(const Model& model);

/// What a candidate is drawn from, and what messages call it.
struct StartLaw {
  std::string_view what;
  StartDraw draw;
};
[[nodiscard]] StartLaw uniform_law();
/// Throws InputError, when it is drawn from, if the model has no prior.
[[nodiscard]] StartLaw prior_law(const Model& model);
/// The prior, or uniform where there is none.
[[nodiscard]] StartLaw widest_law(const Model& model);

}  // namespace darboux
