#pragma once

#include <array>
#include <string_view>

#include "darboux/sample/draw.hpp"

namespace darboux {

/// What the sampler says about every draw: one table for all formats.
struct SamplerStatistic {
  enum class Kind { real, whole, truth };
  std::string_view name;    ///< that ArviZ uses
  std::string_view column;  ///< of Stan CSV
  Kind kind;
  double (*of)(const Transition&);
};

/// Those in files of draws come first, in their order, then those in files of statistics.
inline constexpr std::size_t statistics_with_draws = 7;
inline constexpr auto sampler_statistics = [] {
  using K = SamplerStatistic::Kind;
  using T = const Transition&;
  return std::to_array<SamplerStatistic>({
      {"lp", "lp__", K::real, [](T t) { return t.log_density; }},
      {"acceptance_rate", "accept_stat__", K::real, [](T t) { return t.acceptance_probability; }},
      {"step_size", "stepsize__", K::real, [](T t) { return t.step_size; }},
      {"tree_depth", "treedepth__", K::whole, [](T t) { return static_cast<double>(t.tree_depth); }},
      {"n_steps", "n_leapfrog__", K::whole, [](T t) { return static_cast<double>(t.steps); }},
      {"diverging", "divergent__", K::truth, [](T t) { return t.status == Status::diverged ? 1.0 : 0.0; }},
      {"energy", "energy__", K::real, [](T t) { return t.energy; }},
      {"energy_error", "energy_error__", K::real, [](T t) { return t.energy_error; }},
      {"solver_iterations", "solver_iterations__", K::whole,
       [](T t) { return static_cast<double>(t.solver_iterations); }},
      {"n_gradients", "gradients__", K::whole, [](T t) { return static_cast<double>(t.gradients); }},
      {"direction", "direction__", K::whole, [](T t) { return t.direction < 0.0 ? -1.0 : 1.0; }},
      {"accepted", "accepted__", K::truth, [](T t) { return t.accepted ? 1.0 : 0.0; }},
      {"status", "status__", K::whole, [](T t) { return static_cast<double>(t.status); }},
  });
}();

}  // namespace darboux
