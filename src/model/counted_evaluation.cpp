#include "model/counted_evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace darboux {

std::vector<double> point_of(ConstBatch q, Index lane) {
  std::vector<double> out;
  out.reserve(at(q.rows()));
  for (Index j = 0; j < q.rows(); ++j) out.push_back(q(j, lane));
  return out;
}

void set_point(std::span<const double> from, Index lane, Batch to) {
  for (Index j = 0; j < to.rows(); ++j) to(j, lane) = from[at(j)];
}

std::vector<double> CountedEvaluation::log_densities(ConstBatch q) {
  std::vector<double> out(at(q.lanes()));
  std::vector<Status> status(out.size(), Status::ok);
  evaluator_->evaluate({.q = q, .active = {}, .gradient = false},
                       {.log_density = out, .gradient = {}, .status = status});
  densities_ += q.lanes();
  for (std::size_t l = 0; l < out.size(); ++l)
    if (status[l] != Status::ok || !std::isfinite(out[l])) out[l] = -std::numeric_limits<double>::infinity();
  return out;
}

std::vector<Waypoint> CountedEvaluation::waypoints(ConstBatch q) {
  OwnedBatch gradient(q.rows(), q.lanes());
  std::vector<double> log_density(at(q.lanes()));
  std::vector<Status> status(log_density.size(), Status::ok);
  evaluator_->evaluate({.q = q, .active = {}}, {.log_density = log_density, .gradient = gradient, .status = status});
  gradients_ += q.lanes();
  std::vector<Waypoint> out;
  for (Index l = 0; l < q.lanes(); ++l) {
    Waypoint one{.q = point_of(q, l), .gradient = point_of(gradient, l), .log_density = log_density[at(l)]};
    if (status[at(l)] == Status::ok && std::isfinite(one.log_density) &&
        std::all_of(one.gradient.begin(), one.gradient.end(), [](double g) { return std::isfinite(g); }))
      out.push_back(std::move(one));
  }
  return out;
}

}  // namespace darboux
