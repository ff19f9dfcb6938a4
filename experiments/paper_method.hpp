#pragma once

#include <cstdint>
#include <darboux/structure/recipes.hpp>
#include <functional>
#include <span>
#include <string_view>

#include "effective_size.hpp"
#include "fixed_run.hpp"
#include "sample/sampler.hpp"
#include "table.hpp"

namespace darboux::experiments {

/// A way to sample of the paper (Brofos and Lederman, "Non-Canonical Hamiltonian Monte Carlo"), or a variant of one.
struct PaperMethod {
  std::string_view name;
  std::string_view label;  ///< the paper's abbreviation, with what is different in a variant
  Recipe structure = Recipe::canonical;
  IntegratorKind integrator = IntegratorKind::leapfrog;
  BasisMethod basis = BasisMethod::schur;              ///< of explicit
  CopySequence sequence = CopySequence::two_gradient;  ///< of explicit
  bool in_paper = true;
  DirectionMode direction = DirectionMode::persistent;

  [[nodiscard]] bool is_approximate() const noexcept { return integrator == IntegratorKind::explicit_copies; }
  /// Of one step, about: what a cell costs.
  [[nodiscard]] double expected_gradients() const noexcept {
    return integrator == IntegratorKind::midpoint ? 6.0 : is_approximate() ? 3.0 : 1.0;
  }
  /// Of one step, as the paper counts them for its explicit integrators: neighbouring steps share nothing there.
  [[nodiscard]] double papers_gradients() const noexcept { return is_approximate() ? 4.0 : 2.0; }
};

/// The paper's six, with Gram-Schmidt's basis where they need one, each of the explicit ones followed by variants: in the
/// closed-form basis where there is one (the paper gives it, and does not say whether its experiments used it), in the
/// minimum-norm basis, and in that one with two gradients per step. Two implicit variants do not keep their direction in time, to
/// show what that is worth: one draws it anew before every proposal, one turns it round on acceptance.
[[nodiscard]] std::span<const PaperMethod> paper_methods();
[[nodiscard]] const PaperMethod& paper_method(std::string_view name);

/// What all methods have in common in one of the paper's experiments.
struct PaperSetting {
  StructuredMatrix A;
  double k = 2.0;  ///< of the random skew blocks
  double step_size = 0.01;
  int steps = 100;
  int draws = 1000;
  int chains = 2;  ///< all with the same structure
  std::uint64_t seed = 1;
};

/// What is sampled in one of the paper's experiments.
struct PaperTask {
  std::shared_ptr<const Model> model;
  /// Where the chains of a run start.
  std::function<OwnedBatch(const PaperSetting& setting)> starts;
  const Reference& reference;
};

/// The paper's solver: fixed point, to 1e-6, at most 100 iterations, no solve back. (Unconverged proposals are rejected here;
/// the paper goes on with them.) The Gram-Schmidt basis is the best of ten.
[[nodiscard]] SamplerSettings options_for(const PaperMethod& method, const PaperSetting& setting);

/// So many runs of a method, each with random numbers and, where the method has one, a random structure of its own: for each a
/// row in `table`, which begins with `of`. Returns the chains of all of them.
[[nodiscard]] FixedRun run_method(const PaperMethod& method, const PaperSetting& setting, const PaperTask& task,
                                  int runs, Table& table, const Entry& of, const std::atomic<bool>& stop);

/// A row on a run: effective draws of a chain; what they cost; how proposals fared.
void append_run(Table& table, const Entry& of, const PaperMethod& method, int number, const FixedRun& run,
                const EffectiveSizes& sizes);
/// Rows on every coordinate: both R̂ over all chains, mean, standard deviation and median.
void append_coordinates(Table& table, const Entry& of, const PaperMethod& method, const FixedRun& run,
                        std::span<const std::string> names);

}  // namespace darboux::experiments
