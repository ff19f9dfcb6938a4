#include "sample/gradient_precision.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace darboux {

GradientPrecision lowest_precision(const SamplerSettings& settings, const PoissonStructure& structure,
                                   const ModelTraits& model) {
  if (!model.single_precision_gradients) return GradientPrecision::full;
  if (settings.gradient_precision) return *settings.gradient_precision;
  const IntegratorTraits traits = make_integrator(settings, structure, settings.first).traits();
  if (!traits.is_explicit) return GradientPrecision::mixed;
  const bool steers_only = traits.accepts_any_field && !settings.trajectory.traits().needs_values;
  return steers_only ? GradientPrecision::single : GradientPrecision::full;
}

bool single_precision_suffices(const ChainBlock& block, Potential& u) {
  const Index dim = block.z.dim(), lanes = block.z.lanes();
  OwnedBatch full(dim, lanes), single(dim, lanes);
  std::vector<Status> status(static_cast<std::size_t>(lanes), Status::ok);
  u.use(GradientPrecision::full);
  u.gradient(block.z.q, block.direction, status, full);
  u.use(GradientPrecision::single);
  u.gradient(block.z.q, block.direction, status, single);
  for (Index lane = 0; lane < block.chains(); ++lane) {
    double size = 0.0, error = 0.0;
    for (Index j = 0; j < dim; ++j) {
      size += full(j, lane) * full(j, lane);
      error += (single(j, lane) - full(j, lane)) * (single(j, lane) - full(j, lane));
    }
    const double component = std::max(1.0, std::sqrt(size / static_cast<double>(dim)));
    if (!(std::sqrt(error) <= 0.01 * component)) return false;
  }
  return true;
}

}  // namespace darboux
