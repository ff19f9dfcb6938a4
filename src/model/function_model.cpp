#include "darboux/model/function_model.hpp"

#include "checks.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

FunctionModel::FunctionModel(Index dim, LogDensityFunction f, FunctionModelOptions options)
    : dim_(dim), f_(std::move(f)), options_(std::move(options)) {
  check::dimension("dimension", dim);
  if (!f_) throw InputError("f: an empty function, must be a log density");
  if (!options_.names.empty()) check::size("names", std::ssize(options_.names), dim);
}

std::vector<std::string> FunctionModel::names() const {
  return options_.names.empty() ? Model::names() : options_.names;
}

std::unique_ptr<Evaluator> FunctionModel::make_evaluator() const { return evaluate_by_lane(dim_, f_); }

}  // namespace darboux
