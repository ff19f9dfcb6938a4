#include "method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/whitened.hpp"

namespace darboux::proofs {

namespace {

Mover mover_of(const Method& m, std::uint64_t seed) {
  const Integrator integrator(m.kind, m.structure, m.integrator);
  if (m.length == Length::nuts) return Nuts(integrator, m.structure, m.kernel, 8);
  using Spread = TrajectoryLengths::Spread;
  return Lockstep(Kernel(integrator, m.kernel, m.copy_spread),
                  {.mean = static_cast<double>(m.steps),
                   .spread = m.length == Length::numbers ? Spread::sampling
                             : m.length == Length::sizes ? Spread::step_sizes
                                                         : Spread::none,
                   .seed = seed,
                   .step_size = m.integrator.step_size,
                   .step_spread = 0.3});
}

/// A block of chains with positions from the law, in the coordinates of the method.
void start(ChainBlock& block, const KnownLaw& law, const Whitened& model) {
  std::vector<double> q(static_cast<std::size_t>(law.dim()));
  for (Index lane = 0; lane < block.chains(); ++lane) {
    RandomStream random({.seed = block.seed, .purpose = Purpose::start, .chain = block.chain_of(lane)});
    law.draw(random, q);
    const std::vector<double> x = model.from_inner(q);
    for (Index j = 0; j < law.dim(); ++j) block.z.q(j, lane) = x[static_cast<std::size_t>(j)];
  }
  Kernel::draw_direction_and_momentum(block);
}

void observe(const ChainBlock& block, const Whitened& model, Outcome& outcome) {
  const auto dim = static_cast<std::size_t>(block.z.dim());
  std::vector<double> x(dim), p(dim);
  for (Index lane = 0; lane < block.chains(); ++lane) {
    for (std::size_t j = 0; j < dim; ++j) {
      x[j] = block.z.q(static_cast<Index>(j), lane);
      p[j] = block.z.p(static_cast<Index>(j), lane);
    }
    const std::vector<double> q = model.to_inner(x);
    const ChainState state{q, p, block.direction[static_cast<std::size_t>(lane)]};
    for (std::size_t k = 0; k < outcome.tallies.size(); ++k) outcome.tallies[k].add(outcome.quantities[k](state));
  }
}

}  // namespace

double Outcome::worst_z() const {
  double worst = 0.0;
  for (std::size_t k = 0; k < tallies.size(); ++k) worst = std::max(worst, std::abs(tallies[k].z(quantities[k])));
  return worst;
}

void Outcome::add(const Outcome& more) {
  if (tallies.empty()) {
    *this = more;
    return;
  }
  for (std::size_t k = 0; k < tallies.size(); ++k) tallies[k].add(more.tallies[k]);
  rejected =
      std::lerp(rejected, more.rejected, static_cast<double>(more.chains) / static_cast<double>(chains + more.chains));
  chains += more.chains;
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  out << outcome.chains << " chains, rejected " << outcome.rejected;
  for (std::size_t k = 0; k < outcome.tallies.size(); ++k)
    out << fmt::format("\n  {}: {:.5f}, truth {:.5f}, z = {:.2f}", outcome.quantities[k].label(),
                       outcome.tallies[k].mean(), outcome.quantities[k].mean,
                       outcome.tallies[k].z(outcome.quantities[k]));
  return out;
}

Outcome outcome_of(const Method& method, const KnownLaw& law, const Effort& effort) {
  Outcome outcome{.quantities = law.quantities};
  const std::vector<Quantity> of_motion = quantities_of_motion(law, method.integrator.motion, method.kernel.direction);
  outcome.quantities.insert(outcome.quantities.end(), of_motion.begin(), of_motion.end());
  outcome.tallies.resize(outcome.quantities.size());
  const Index dim = law.dim();
  const Whitened model(law.model, std::vector<double>(static_cast<std::size_t>(dim), 0.0),
                       method.preconditioner.dim() == 0 ? StructuredMatrix::identity(dim) : method.preconditioner,
                       method.shapes);
  Potential u(model, chains_per_block, method.precision);
  Mover mover = mover_of(method, effort.seed);
  for (int b = 0; b < effort.blocks; ++b) {
    ChainBlock block(dim, chains_per_block, effort.seed, static_cast<std::uint64_t>(b * chains_per_block));
    start(block, law, model);
    Kernel::evaluate(block, u);
    const auto note = [&](Index, const Transition& t, const JumpSums&) {
      outcome.rejected += method.length == Length::nuts ? 1.0 - t.acceptance_probability : t.accepted ? 0.0 : 1.0;
    };
    // Block by block another place in the sequence of lengths.
    const Iterations todo{.first = b % 64 * effort.transitions, .count = effort.transitions};
    std::visit([&](auto& moves) { moves.run(block, u, todo, note, [] { return false; }); }, mover);
    observe(block, model, outcome);
  }
  outcome.chains = effort.blocks * chains_per_block;
  outcome.rejected /= static_cast<double>(outcome.chains) * effort.transitions;
  return outcome;
}

Coarseness coarse_for(const Method& method, const KnownLaw& law, std::uint64_t seed) {
  constexpr double wanted = 0.3, finest = 0.02, coarsest = 6.0;
  Coarseness at{.step_size = finest, .copy_spread = method.copy_spread};
  const auto rejects = [&](double step_size) {
    at.step_size = step_size;
    return outcome_of(at.of(method), law, {.blocks = 32, .transitions = 2, .seed = seed}).rejected;
  };
  const bool has_copies = Integrator(method.kind, method.structure, method.integrator).traits().random_offset;
  while (has_copies && at.copy_spread > 0.01 && rejects(finest) > 0.5 * wanted) at.copy_spread *= 0.5;
  // Rejections are not monotone everywhere: the first step, from fine to coarse, that rejects enough, and then between it and
  // the one before.
  double fine = finest, coarse = coarsest;
  for (double step = 0.1; step <= coarsest; step *= 1.4) {
    coarse = step;
    if (rejects(step) >= wanted) break;
    fine = step;
  }
  for (int i = 0; i < 4; ++i) {
    const double middle = std::sqrt(fine * coarse);
    (rejects(middle) < wanted ? fine : coarse) = middle;
  }
  at.step_size = std::sqrt(fine * coarse);
  return at;
}

}  // namespace darboux::proofs
