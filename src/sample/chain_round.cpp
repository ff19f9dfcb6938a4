#include "sample/chain_round.hpp"

#include <algorithm>

namespace darboux {

namespace {

/// One point after the other.
void put_apart(ConstBatch points, std::vector<double>& out) {
  const std::size_t dim = at(points.rows()), count = at(points.lanes());
  if (out.size() < dim * count) out.resize(dim * count);
  for (std::size_t j = 0; j < dim; ++j) {
    const double* const row = points.row(static_cast<Index>(j));
    for (std::size_t i = 0; i < count; ++i) out[i * dim + j] = row[i];
  }
}

Batch first_lanes(const Batch& batch, Index count) { return {batch.row(0), batch.rows(), count, batch.stride()}; }

void copy_lane(ConstBatch from, Index lane, Batch to, std::size_t place) {
  for (Index j = 0; j < from.rows(); ++j) to(j, static_cast<Index>(place)) = from(j, lane);
}

}  // namespace

void ChainRound::begin(Iterations todo, Index dim, Index chains, bool with_gradients) {
  first_iteration_ = todo.first;
  dim_ = dim;
  with_gradients_ = with_gradients;
  iterations_.assign(at(chains), 0);
  const std::size_t places = place(todo.count, 0);
  if (places > made_.size()) made_.resize(places);
  white_ = white_memory_.get(dim, static_cast<Index>(places));
  if (with_gradients) white_gradients_ = white_gradients_memory_.get(dim, static_cast<Index>(places));
}

void ChainRound::add(Index lane, const Made& made, ConstBatch q, ConstBatch gradient) {
  const std::size_t here = place(iterations_[at(lane)]++, lane);
  made_[here] = made;
  copy_lane(q, lane, white_, here);
  if (with_gradients_) copy_lane(gradient, lane, white_gradients_, here);
}

void ChainRound::end(const Whitened& whitened) {
  const auto count = static_cast<Index>(place(iterations(), 0));
  if (count == 0) return;
  const Batch white = first_lanes(white_, count), inner = inner_memory_.get(dim_, count);
  whitened.to_inner(white, inner);
  put_apart(inner, positions_);
  jacobians_.resize(at(count));
  whitened.log_jacobian(white, jacobians_);
  for (std::size_t here = 0; here < jacobians_.size(); ++here) {
    made_[here].transition.log_density -= jacobians_[here];
    made_[here].transition.energy += jacobians_[here];
  }
  if (!with_gradients_) return;
  whitened.potential_gradient_to_inner(white, first_lanes(white_gradients_, count), inner);
  put_apart(inner, gradients_);
}

int ChainRound::iterations() const { return std::ranges::min(iterations_); }

}  // namespace darboux
