#include "sample/density_scatter.hpp"

namespace darboux {

void DensityScatter::observe(std::span<const double> log_densities) {
  for (std::size_t i = 0; i < log_densities.size(); ++i) {
    Moments& of = chains_[i % chains_.size()];
    const double change = log_densities[i] - of.mean;
    of.count += 1.0;
    of.mean += change / of.count;
    of.squares += change * (log_densities[i] - of.mean);
  }
}

double DensityScatter::over_gaussian(const Stragglers& stragglers) const {
  constexpr double fewest = 50.0;  // draws of a chain
  double sum = 0.0, count = 0.0;
  for (Index c = 0; c < std::ssize(chains_); ++c) {
    const Moments& of = chains_[at(c)];
    if (stragglers.is_late(c) || of.count < fewest) continue;
    sum += of.squares / (of.count - 1.0);
    count += 1.0;
  }
  return count == 0.0 ? 0.0 : sum / (count * of_gaussian_);
}

}  // namespace darboux
