#include "model/finite_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr std::uint64_t most_attempts = 100;

}  // namespace

FiniteDraws seek_finite(const Model& model, const FiniteRequest& request, const StartDraw& draw) {
  const Index n = model.dim();
  const auto lanes = static_cast<std::size_t>(request.lanes);
  FiniteDraws found{.q = OwnedBatch(n, request.lanes), .open = std::vector<std::uint8_t>(lanes, 1)};
  OwnedBatch gradient(n, request.lanes);
  std::vector<double> log_density(lanes), candidate(static_cast<std::size_t>(n));
  std::vector<Status> status(lanes, Status::ok);
  const auto evaluator = model.make_evaluator();
  const auto first_chain = static_cast<std::uint64_t>(request.first_chain);
  for (std::uint64_t attempt = 0; attempt < most_attempts; ++attempt) {
    for (std::size_t l = 0; l < lanes; ++l) {
      if (found.open[l] == 0) continue;
      draw({.seed = request.seed,
            .purpose = Purpose::start,
            .chain = first_chain + l,
            .iteration = request.first_iteration + attempt},
           candidate);
      for (Index j = 0; j < n; ++j) found.q(j, static_cast<Index>(l)) = candidate[static_cast<std::size_t>(j)];
    }
    found.gradients += std::count(found.open.begin(), found.open.end(), 1);
    evaluator->evaluate({.q = found.q, .active = found.open},
                        {.log_density = log_density, .gradient = gradient, .status = status});
    for (std::size_t l = 0; l < lanes; ++l) {
      if (found.open[l] == 0) continue;
      bool good =
          status[l] == Status::ok && std::isfinite(log_density[l]) && log_density[l] >= request.least_log_density;
      for (Index j = 0; j < n; ++j) good = good && std::isfinite(gradient(j, static_cast<Index>(l)));
      if (good) found.open[l] = 0;
    }
    if (std::find(found.open.begin(), found.open.end(), 1) == found.open.end()) break;
  }
  return found;
}

void require_found(const Model& model, const FiniteDraws& found, std::string_view what, Index first_chain) {
  const auto chain = std::find(found.open.begin(), found.open.end(), 1) - found.open.begin();
  if (chain < std::ssize(found.open))
    throw InputError(
        fmt::format("no starting point for chain {}: at none of {} {} are the log density and its gradient finite; "
                    "give starting values with init, or check the model there{}",
                    first_chain + chain + 1, most_attempts, what, reasons_of(model)));
}

std::string reasons_of(const Model& model) {
  std::string reasons;
  for (const std::string& remark : model.remarks()) reasons += ". " + remark;
  return reasons;
}

FiniteDraws draw_until_finite(const Model& model, const FiniteRequest& request, std::string_view what,
                              const StartDraw& draw) {
  FiniteDraws found = seek_finite(model, request, draw);
  require_found(model, found, what, request.first_chain);
  return found;
}

StartLaw uniform_law() {
  return {"points drawn uniformly from (−2, 2)", [](const RandomKey& key, std::span<double> q) {
            RandomStream random(key);
            for (double& x : q) x = 4.0 * random.uniform() - 2.0;
          }};
}

StartLaw prior_law(const Model& model) {
  return {
      "draws from the prior", [&model](const RandomKey& key, std::span<double> q) {
        if (!model.draw_prior(key, q))
          throw InputError("init = prior: the model has no prior to draw from; must be uniform, mode, paths or a file");
      }};
}

StartLaw widest_law(const Model& model) {
  std::vector<double> q(static_cast<std::size_t>(model.dim()));
  return model.draw_prior({}, q) ? prior_law(model) : uniform_law();
}

}  // namespace darboux
