/// A tour of the library in three tables, all measured as you watch: Darboux bases, the six integrators on one motion, and
/// the solvers of the implicit ones. ./dev demo runs it.

#include <cmath>
#include <cstdio>
#include <darboux/core/random.hpp>
#include <darboux/model/differentiate.hpp>
#include <darboux/structure/recipes.hpp>
#include <string>

#include "integrate/motion_check.hpp"
#include "linalg/dense.hpp"

using namespace darboux;

namespace {

constexpr Index dim = 10;
constexpr Index chains = 256;

/// A log density in a few lines, log π = Σ (q_i − e^{q_i}); the gradient comes by itself.
auto skewed_target() {
  return differentiate(dim, [](const auto& q) {
    using std::exp;
    ScalarOf<decltype(q)> log_density = 0.0;
    for (const auto& x : q) log_density += x - exp(x);
    return log_density;
  });
}

PhaseBlock starting_block() {
  PhaseBlock z(dim, chains);
  for (Index lane = 0; lane < chains; ++lane) {
    RandomStream random({.seed = 1, .purpose = Purpose::start, .chain = static_cast<std::uint64_t>(lane)});
    for (Index j = 0; j < dim; ++j) {
      z.q(j, lane) = 0.8 * random.normal() - 0.3;
      z.p(j, lane) = random.normal();
    }
    for (Index j = 0; j < 2 * dim; ++j) z.offset(j, lane) = 0.2 * random.normal();
  }
  return z;
}

std::vector<double> every_lane(double step) { return std::vector<double>(static_cast<std::size_t>(chains), step); }

void bases() {
  std::puts(
      "1. Darboux bases: z = B z' makes a structure canonical. The Schur basis has the smallest norm there is.\n"
      "   Structures with A = I and random E and G, (M - M')/2; Frobenius norm of B, and |B J B' - structure|.\n");
  std::puts("       n   Schur     error   Gram-Schmidt, best of ten     error");
  for (const Index n : {2, 5, 20, 60}) {
    const auto structure = PoissonStructure::from_blocks(random_skew(n, Divisor{2.0}, 1), Matrix::identity(n),
                                                         random_skew(n, Divisor{2.0}, 2));
    const DarbouxBasis schur = schur_basis(structure);
    const DarbouxBasis gram_schmidt = gram_schmidt_basis(structure, {.restarts = 10, .seed = 1});
    std::printf("    %4td %7.1f   %.0e %27.1f   %.0e\n", n, frobenius_norm(schur.B), residual(schur, structure),
                frobenius_norm(gram_schmidt.B), residual(gram_schmidt, structure));
  }
}

std::string_view verdict(Exactness exactness) {
  switch (exactness) {
    case Exactness::exact: return "yes";
    case Exactness::with_reverse_check: return "with the reverse check";
    case Exactness::approximate: return "NO, approximate";
  }
  return "";
}

void integrators() {
  std::printf(
      "\n2. Integrators: %td chains of dimension %td at once, 10 steps of 0.1 on a skewed target, then 10 steps back.\n"
      "   The structure \"coupled\" has E = G random of norm 0.9; leapfrogs need E = 0 and get what suits them.\n\n",
      chains, dim);
  std::puts("   integrator         structure          gradients/step   rms energy error   return error   exact MCMC");
  const RecipeOptions unit{.size = SpectralStrength{0.9}, .seed = 3, .A = {}};
  for (const IntegratorKind kind : all_values<IntegratorKind>()) {
    const Recipe recipe = kind == IntegratorKind::leapfrog            ? Recipe::canonical
                          : kind == IntegratorKind::magnetic_leapfrog ? Recipe::magnetic_position
                                                                      : Recipe::coupled;
    IntegratorOptions options;
    options.step_size = 0.1;
    if (kind == IntegratorKind::doubled) options.copies.binding = BindingAngle{0.5};
    Integrator integrator(kind, make_structure(recipe, dim, unit), options);
    const IntegratorTraits traits = integrator.traits();
    const auto model = skewed_target();
    Potential u(model, chains);
    const MotionCheck motion = check_motion(integrator, u, starting_block());
    std::printf("   %-18s %-18s %14.1f %18.4f %14.0e   %s\n", std::string(traits.name).c_str(),
                std::string(name(recipe)).c_str(), motion.gradients, motion.energy_error, motion.return_error,
                std::string(verdict(traits.exactness)).c_str());
    if (motion.failed > 0)
      std::printf("   %td of %td chains failed and would have been rejected\n", motion.failed, chains);
  }
}

void solvers() {
  std::puts("\n3. Solvers of split-midpoint: gradients per step at tolerance 1e-8, step 0.2, by the norm of E.\n");
  std::puts("     |E|   fixed point   metric Newton");
  for (const double strength : {0.5, 1.0, 2.0, 4.0}) {
    std::printf("   %5.1f", strength);
    for (const SolverMethod method : {SolverMethod::fixed_point, SolverMethod::metric_newton}) {
      IntegratorOptions options;
      options.step_size = 0.2;
      options.solver = {.method = method, .tolerance = 1e-8, .precision = {}};
      Integrator integrator(
          IntegratorKind::split_midpoint,
          make_structure(Recipe::magnetic_momentum, dim, {.size = SpectralStrength{strength}, .seed = 3, .A = {}}),
          options);
      const auto model = skewed_target();
      Potential u(model, chains);
      PhaseBlock z = starting_block();
      z.check_reverse = false;
      integrator.run(z, u, every_lane(0.2), 1);
      double gradients = 0.0;
      Index failed = 0;
      for (std::size_t l = 0; l < z.status.size(); ++l) {
        if (z.status[l] != Status::ok)
          ++failed;
        else
          gradients += static_cast<double>(u.gradient_evaluations()[l]);
      }
      const int width = method == SolverMethod::fixed_point ? 8 : 10;
      if (failed == chains)
        std::printf("%*s", width + 6, "fails");
      else if (failed == 0)
        std::printf("%*.1f", width + 6, gradients / static_cast<double>(chains));
      else
        std::printf("%*.1f (%td fail)", width, gradients / static_cast<double>(chains - failed), failed);
    }
    std::puts("");
  }
}

}  // namespace

int main() {
  bases();
  integrators();
  solvers();
}
