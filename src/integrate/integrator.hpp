#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "darboux/core/choices.hpp"
#include "integrate/composition.hpp"
#include "integrate/doubled.hpp"
#include "integrate/explicit.hpp"
#include "integrate/isokinetic.hpp"
#include "integrate/leapfrog.hpp"
#include "integrate/magnetic_leapfrog.hpp"
#include "integrate/midpoint.hpp"
#include "integrate/split_midpoint.hpp"

namespace darboux {

/// What an integrator of this kind claims, on a structure on which it has to do all that it can.
[[nodiscard]] const IntegratorTraits& traits_of(IntegratorKind kind);

struct IntegratorOptions {
  double step_size = 0.1;  ///< positive; directions come with each trajectory
  int order = 2;           ///< 2, or 4 by composition
  int stages = 1;          ///< of leapfrog, magnetic-leapfrog and split-midpoint: see Splitting
  MotionKind motion = MotionKind::hamiltonian;
  SolverOptions solver;  ///< of midpoint and split-midpoint
  CopyOptions copies;    ///< of explicit and doubled
};

/// An integrator for one structure and one step size, whichever it is. One per worker: it owns scratch memory.
class Integrator {
 public:
  /// Throws StructureError where the structure does not suit the integrator, InputError for bad options.
  Integrator(IntegratorKind kind, const PoissonStructure& structure, const IntegratorOptions& options);

  [[nodiscard]] IntegratorTraits traits() const;
  [[nodiscard]] double step_size() const noexcept { return step_size_; }
  /// Of an integrator that takes_any_step_size, between trajectories.
  void use_step_size(double step_size);

  /// `steps` steps with the signed step sizes dt: +step_size, −step_size, or 0 for a lane that is left alone. On exit z holds
  /// the end points and z.status what became of each lane that moved; a lane in trouble stops where it is and does not
  /// disturb the others. The same as start, step · steps, finish.
  void run(PhaseBlock& z, Potential& u, LaneSteps dt, int steps);

  /// Clears the status of the lanes that move, and computes what the first step needs.
  void start(PhaseBlock& z, Potential& u, LaneSteps dt);
  /// With z.potential where it is wanted and costs little: ask Potential::ensure_value for it in any case.
  void step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value = false);
  void finish(PhaseBlock& z, LaneSteps dt);

 private:
  using Any =
      std::variant<Composition<Leapfrog>, Composition<Isokinetic>, Composition<MagneticLeapfrog>, Composition<Midpoint>,
                   Composition<SplitMidpoint>, Composition<Explicit>, Composition<Doubled>>;
  static Any make(IntegratorKind kind, const PoissonStructure& structure, const IntegratorOptions& options);
  LaneSteps moving(const PhaseBlock& z, LaneSteps dt);

  Index dim_;
  double step_size_;
  Any method_;
  LaneVector<double> moving_;
};

}  // namespace darboux
