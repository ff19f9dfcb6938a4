#include "integrate/motion_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace darboux {

namespace {

/// Largest distance between two lanes, relative where coordinates are large.
double distance(ConstBatch a, ConstBatch b, Index lane) {
  double largest = 0.0;
  for (Index j = 0; j < a.rows(); ++j)
    largest = std::max(largest, std::abs(a(j, lane) - b(j, lane)) / std::max(1.0, std::abs(b(j, lane))));
  return largest;
}

}  // namespace

MotionCheck check_motion(Integrator& integrator, Potential& u, const PhaseBlock& start, const MotionOptions& options) {
  const IntegratorTraits traits = integrator.traits();
  const bool has_offset = traits.doubled_space && traits.exactness == Exactness::exact;
  const auto lanes = static_cast<std::size_t>(start.lanes());
  const std::vector<double> forward(lanes, integrator.step_size());
  const std::vector<double> backward(lanes, -integrator.step_size());
  const auto energy = [&](PhaseBlock& z) {
    std::vector<double> h(lanes);
    total_energy(z, u, forward, h);
    for (std::size_t l = 0; l < lanes; ++l) h[l] += z.work[l];
    if (has_offset) add_offset_energy(z, options.copy_spread, forward, h);
    return h;
  };
  const auto merge_copies = [&](PhaseBlock& z) {
    if (!has_offset) z.offset = OwnedBatch(2 * z.dim(), z.lanes());
  };

  PhaseBlock z = start;
  merge_copies(z);
  const std::vector<double> before = energy(z);
  const auto count = [&] {
    const auto counts = u.gradient_evaluations();
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  };
  const double counted = count();
  integrator.run(z, u, forward, options.steps);
  MotionCheck check{.gradients = (count() - counted) / (static_cast<double>(lanes) * options.steps)};
  const LaneVector<Status> arrived = z.status;
  const std::vector<double> after = energy(z);
  merge_copies(z);
  integrator.run(z, u, backward, options.steps);

  double squares = 0.0;
  for (Index lane = 0; lane < start.lanes(); ++lane) {
    const auto l = static_cast<std::size_t>(lane);
    if (arrived[l] != Status::ok || z.status[l] != Status::ok) {
      ++check.failed;
      continue;
    }
    squares += (after[l] - before[l]) * (after[l] - before[l]);
    check.return_error = std::max({check.return_error, distance(z.q, start.q, lane), distance(z.p, start.p, lane)});
  }
  if (check.failed < start.lanes())
    check.energy_error = std::sqrt(squares / static_cast<double>(start.lanes() - check.failed));
  return check;
}

}  // namespace darboux
