#include "darboux/model/function_model.hpp"

#include <algorithm>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "model/tape_evaluator.hpp"

namespace darboux {

FunctionModel::FunctionModel(Index dim, FunctionModelOptions options) : dim_(dim), options_(std::move(options)) {
  check::dimension("dimension", dim);
  if (!options_.names.empty()) check::size("names", std::ssize(options_.names), dim);
  if (!options_.coordinates) return;
  check::size("coordinates", options_.coordinates->dim(), dim);
  if (!options_.names.empty()) throw InputError("names: must be left out, for the coordinates have names of their own");
}

FunctionModel::FunctionModel(Index dim, LogDensityFunction f, FunctionModelOptions options)
    : FunctionModel(dim, std::move(options)) {
  f_ = std::move(f);
  if (!f_) throw InputError("f: an empty function, must be a log density");
}

FunctionModel FunctionModel::recorded(Index dim, RecordableFunction f, LogDensityFunction forward,
                                      FunctionModelOptions options) {
  constexpr Index largest_forward_dimension = 64;  // beyond, a recording is cheaper than that many dual numbers
  constexpr Index least_lanes = 4;                 // fewer cost as much
  if (!f) throw InputError("f: an empty function, must be a log density");
  FunctionModel model(dim, std::move(options));
  const auto tapes = std::make_shared<TapeLibrary>();
  if (forward && dim <= largest_forward_dimension && !keeps_to_few_paths(dim, f, *tapes)) {
    model.f_ = std::move(forward);
    return model;
  }
  model.recordable_ = std::make_shared<const RecordableFunction>(std::move(f));
  model.tapes_ = tapes;
  model.options_.traits.least_lanes = std::max(model.options_.traits.least_lanes, least_lanes);
  return model;
}

std::vector<std::string> FunctionModel::names() const {
  if (options_.coordinates) return options_.coordinates->names();
  return options_.names.empty() ? Model::names() : options_.names;
}

Index FunctionModel::natural_size() const { return options_.coordinates ? std::ssize(names()) : dim_; }

void FunctionModel::constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const {
  options_.coordinates ? options_.coordinates->constrain(q, out) : Model::constrain(q, key, out);
}

void FunctionModel::unconstrain(std::span<const double> natural, std::span<double> q) const {
  options_.coordinates ? options_.coordinates->unconstrain(natural, q) : Model::unconstrain(natural, q);
}

std::unique_ptr<Evaluator> FunctionModel::make_evaluator() const {
  return recordable_ ? make_tape_evaluator(dim_, recordable_, tapes_) : evaluate_by_lane(dim_, f_);
}

}  // namespace darboux
