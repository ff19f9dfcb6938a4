#pragma once

#include "model/start.hpp"

namespace darboux {

/// Starting points that are spread by weight over the Gaussians N_1, …, N_C that several optimisation paths find
/// (pathfinder.hpp): 8 paths, 4 for one or two chains and beyond 1000 dimensions, 2 where the model is log-concave.
///
/// Draws x of all Gaussians get weights p(x)/(C⁻¹ Σ N_c(x)), so that the weights in a mode add up to its mass however many
/// paths ended there. Gaussians get chains by what their draws weigh (systematic resampling), and each of those chains a draw
/// of its own, by weight, to the largest power that leaves twice as many effective draws as there are chains for them. So no
/// chain starts where another does, even where one draw has all the weight. Where fewer than five draws have it all, as in
/// many dimensions, weights do not tell masses, and Gaussians get chains by their lower bounds E[log p − log C⁻¹ Σ N_c]:
/// by exp(bound/T) with T the bounds' standard error where that is more than 1, and none where the best is higher by 20.
///
/// Where the model refuses a point, narrower and narrower ones around the waypoint of its Gaussian follow, which are finite in
/// the end. The shape has the mean and covariance of the mixture of all Gaussians by weight, with a dense factor up to 200
/// dimensions.
///
/// The points are a function of the seed and of how many chains there are. For 4 chains it takes 40 to 250 gradients
/// and 130 to 700 log densities beside them on targets of 2 to 21 dimensions, two gradients more for each dimension beyond (up
/// to 200), and 1000 of both on a funnel, where all paths go on to their end.
[[nodiscard]] Starts path_starts(const Model& model, const StartOptions& options);

/// New points for chains that are far from where others are, one for each lane of `from`: a draw from the Gaussian that the path
/// from there finds, so that a chain stays in its own mode, if that matters. Where the best of the Gaussians that paths from
/// `others` find has a lower bound that is higher by 20, it does not, and the draw is from that one; where nothing is found at
/// all, the point stays.
[[nodiscard]] Starts follow_paths(const Model& model, ConstBatch from, ConstBatch others, std::uint64_t seed);

}  // namespace darboux
