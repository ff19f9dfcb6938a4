#pragma once

#include "integrate/potential.hpp"
#include "sample/kernel.hpp"
#include "sample/sampler_settings.hpp"

namespace darboux {

/// The precision that is asked for, or the lowest that leaves draws exact.
[[nodiscard]] GradientPrecision lowest_precision(const SamplerSettings& settings, const PoissonStructure& structure,
                                                 const ModelTraits& model);

/// Whether gradients in single precision are within a hundredth of a component's size, in the coordinates of the chains and where
/// these are. An error δ of the gradients changes the energy by about ε √L δ in L steps of ε, so that δ = 0.01 changes ΔH of a
/// proposal, which is of order 1, by a hundredth or so.
[[nodiscard]] bool single_precision_suffices(const ChainBlock& block, Potential& u);

}  // namespace darboux
