#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/stan/stan_model.hpp"
#include "run/efficiency.hpp"
#include "run/run_config.hpp"

namespace darboux {

/// A configuration with a method's words put into it. They are joined by /, in any order, at most one of each kind:
///
///     trajectory/integrator/structure[:strength]/metric     nuts,  chees/doubled/coupled:0.5,  jittered/midpoint/diagonal
///
/// and what is not named stays as it is. A strength that the configuration has is for those structures that have one. Throws
/// InputError for a word that is not known, with a suggestion. Words of earlier versions do as well, with a note on each.
[[nodiscard]] RunConfig with_method(RunConfig config, std::string_view method,
                                    std::vector<std::string>* notes = nullptr);

/// One of the methods that are compared, and what its runs showed.
struct ComparedMethod {
  std::string name;
  SamplerSettings settings;
  std::vector<Efficiency> runs;  ///< one per seed

  [[nodiscard]] bool converged() const;  ///< in every run: otherwise effective sizes mean nothing
  [[nodiscard]] IntervalEstimate per_1000_gradients() const;
  [[nodiscard]] IntervalEstimate per_1000_gradients_with_warmup() const;
  [[nodiscard]] IntervalEstimate per_second() const;
  [[nodiscard]] double largest_rhat() const;
  [[nodiscard]] double smallest_ess() const;
  [[nodiscard]] std::int64_t failures() const;
};

/// Methods side by side, each with a warm-up of its own, on the same model. Number of chains and iterations, seeds and starting
/// points are the same for all; every run has one thread.
struct Comparison {
  std::shared_ptr<const Model> model;
  SampleOptions asked;  ///< of all methods: its seed is that of the first run
  std::vector<ComparedMethod> methods;
  std::vector<std::string> notes;  ///< on words of earlier versions
};
/// Throws InputError, naming the method, before anything is run.
[[nodiscard]] Comparison plan_comparison(const RunConfig& config, const std::vector<std::string>& methods,
                                         const CompilationWatch& watch = {});

/// Runs all methods with the seeds s, s + 1, …: one seed after the other, so that whatever else slows the machine for a while
/// slows all methods. `before_run` is told the method and the run, from 0.
void run_comparison(Comparison& comparison, int runs,
                    const std::function<void(const ComparedMethod&, int)>& before_run = {});

/// What may be said of a method, by effective draws per gradient.
enum class Standing {
  best,           ///< the highest estimate of those that can be ranked
  no_difference,  ///< its interval overlaps with that of the best
  worse,          ///< it does not
  approximate,    ///< not ranked: effective sizes do not show a bias
  not_converged   ///< not ranked
};
/// In the order of the methods.
[[nodiscard]] std::vector<Standing> standings(const std::vector<ComparedMethod>& methods);

/// One row per run, with everything that was measured.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

}  // namespace darboux
