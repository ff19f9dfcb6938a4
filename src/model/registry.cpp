#include "darboux/model/registry.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "model/banana.hpp"
#include "model/fitzhugh_nagumo.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/logistic_data.hpp"
#include "model/mixture.hpp"
#include "model/skewed.hpp"
#include "model/student_t.hpp"

namespace darboux {

namespace {

template <class T>
std::shared_ptr<const Model> shared(T model) {
  return std::make_shared<const T>(std::move(model));
}

struct Entry {
  BuiltInModel about;
  std::shared_ptr<const Model> (*make)(const ModelOptions&);
};

std::shared_ptr<const Model> make_logistic(const ModelOptions& o) {
  if (o.data.empty()) throw InputError("model logistic needs data: give a CSV file with --data FILE");
  return shared(logistic_from_table(
      read_csv(o.data),
      {.response = o.response, .intercept = o.intercept.value_or(true), .prior_scale = o.prior_scale.value_or(1.0)}));
}

std::shared_ptr<const Model> make_fitzhugh_nagumo(const ModelOptions& o) {
  return o.data.empty() ? shared(FitzHughNagumo()) : shared(FitzHughNagumo(fitzhugh_nagumo_data(read_csv(o.data))));
}

/// One line per model: this table is all that a new one needs to be known to the command line.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> table{
      {{"logistic", "Bayesian logistic regression of a 0/1 column on the other columns of a CSV file",
        "data response no-intercept prior-scale"},
       make_logistic},
      {{"fitzhugh-nagumo",
        "an oscillating neuron: a, b, c of a differential equation (simulated data, or columns t, V, R)", "data"},
       make_fitzhugh_nagumo},
      {{"gaussian", "standard normal", "dimension"},
       [](const ModelOptions& o) { return shared(Gaussian::standard(o.dimension.value_or(10))); }},
      {{"mixture", "two Gaussians in the plane, at (2.5, -2.5) and (-2.5, 2.5)", ""},
       [](const ModelOptions&) { return shared(Mixture()); }},
      {{"banana", "a bent Gaussian", "dimension"},
       [](const ModelOptions& o) { return shared(Banana(o.dimension.value_or(2))); }},
      {{"funnel", "Neal's funnel, non-centred", "dimension"},
       [](const ModelOptions& o) { return shared(Funnel(o.dimension.value_or(10), Funnel::Form::non_centred)); }},
      {{"student-t", "multivariate Student t with 5 degrees of freedom", "dimension"},
       [](const ModelOptions& o) { return shared(StudentT(o.dimension.value_or(2), 5.0)); }},
      {{"skewed", "U = sum of exp(q) - q, whose moments are known", "dimension"},
       [](const ModelOptions& o) { return shared(Skewed(o.dimension.value_or(2))); }}};
  return table;
}

void refuse_unused(const BuiltInModel& model, const ModelOptions& o) {
  const auto check = [&](std::string_view option, bool given) {
    const std::string padded = fmt::format(" {} ", model.options);
    if (given && padded.find(fmt::format(" {} ", option)) == std::string::npos)
      throw InputError(fmt::format("{} is given, but model {} does not take it{}{}", option, model.name,
                                   model.options.empty() ? "" : "; it takes ", model.options));
  };
  check("data", !o.data.empty());
  check("response", !o.response.empty());
  check("no-intercept", o.intercept.has_value());
  check("prior-scale", o.prior_scale.has_value());
  check("dimension", o.dimension.has_value());
}

}  // namespace

std::span<const BuiltInModel> built_in_models() {
  static const std::vector<BuiltInModel> models = [] {
    std::vector<BuiltInModel> list;
    for (const Entry& entry : entries()) list.push_back(entry.about);
    return list;
  }();
  return models;
}

std::shared_ptr<const Model> make_model(std::string_view name, const ModelOptions& options) {
  std::vector<std::string_view> known;
  for (const Entry& entry : entries()) {
    known.push_back(entry.about.name);
    if (entry.about.name != name) continue;
    refuse_unused(entry.about, options);
    return entry.make(options);
  }
  throw InputError(unknown_name("model", name, known));
}

}  // namespace darboux
