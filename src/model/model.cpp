#include "darboux/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "darboux/core/error.hpp"

namespace darboux {

void check_shapes(Index dim, const Query& query, const Answer& answer) {
  const auto require = [](std::string_view what, Index is, Index wanted) {
    if (is != wanted) throw InputError(fmt::format("a model's {}: {} instead of {}", what, is, wanted));
  };
  const Index lanes = query.q.lanes();
  require("dimension, rows of q", query.q.rows(), dim);
  if (!query.active.empty()) require("mask of active lanes, size", std::ssize(query.active), lanes);
  if (query.value) require("log density, size", std::ssize(answer.log_density), lanes);
  if (query.gradient) {
    require("gradient, rows", answer.gradient.rows(), dim);
    require("gradient, lanes", answer.gradient.lanes(), lanes);
  }
  require("status, size", std::ssize(answer.status), lanes);
}

void set_ok(LaneMask active, std::span<Status> status) {
  for (Index lane = 0; lane < std::ssize(status); ++lane)
    if (is_on(active, lane)) status[static_cast<std::size_t>(lane)] = Status::ok;
}

std::vector<std::string> Model::names() const {
  std::vector<std::string> out;
  for (Index i = 1; i <= dim(); ++i) out.push_back(fmt::format("q[{}]", i));
  return out;
}

void Model::constrain(std::span<const double> q, const DrawKey& /*key*/, std::span<double> out) const {
  std::copy(q.begin(), q.end(), out.begin());
}

void Model::unconstrain(std::span<const double> natural, std::span<double> q) const {
  std::copy(natural.begin(), natural.end(), q.begin());
}

bool Model::draw_prior(const RandomKey& /*key*/, std::span<double> /*q*/) const { return false; }

}  // namespace darboux
