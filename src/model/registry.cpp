#include "darboux/model/registry.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "model/banana.hpp"
#include "model/eight_schools.hpp"
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
  return shared(logistic_from_file(o.data, logistic_data_options(o)));
}

std::shared_ptr<const Model> make_fitzhugh_nagumo(const ModelOptions& o) {
  return o.data.empty() ? shared(FitzHughNagumo()) : shared(FitzHughNagumo(fitzhugh_nagumo_data(read_csv(o.data))));
}

/// One entry per model: this table is all that a new one needs to be known to the command line.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> table{
      {{"logistic", "Bayesian logistic regression of a column with two values on the other columns of a CSV file",
        "data response positive no-intercept prior-scale prior-intercept standardise columns drop category reference "
        "na separator decimal",
        ""},
       make_logistic},
      {{"fitzhugh-nagumo",
        "an oscillating neuron: a, b, c of a differential equation (simulated data, or columns t, V, R)", "data",
        "a gradient that costs the solution of an equation, and modes of which most are wrong"},
       make_fitzhugh_nagumo},
      {{"eight-schools", "a hierarchical model of eight studies of coaching: mu, tau, theta, non-centred", "",
        "the usual hierarchical posterior, in coordinates in which it is easy: theta = mu + tau eta"},
       [](const ModelOptions&) { return shared(EightSchools(EightSchools::Form::non_centred)); }},
      {{"eight-schools-centred", "the same posterior, sampled in mu, log tau and theta themselves", "",
        "a neck where tau is small: divergences, slow energies and few effective draws, for which a higher "
        "--target-acceptance is no remedy; the other form is"},
       [](const ModelOptions&) { return shared(EightSchools(EightSchools::Form::centred)); }},
      {{"gaussian", "standard normal", "dimension", "how the cost of a draw grows with dimension"},
       [](const ModelOptions& o) { return shared(Gaussian::standard(o.dimension.value_or(10))); }},
      {{"mixture", "two Gaussians in the plane, at (2.5, -2.5) and (-2.5, 2.5)", "",
        "two modes: whether chains go from one to the other, and what R-hat says if they do not"},
       [](const ModelOptions&) { return shared(Mixture()); }},
      {{"banana", "a bent Gaussian", "dimension", "a curved ridge, which no linear preconditioner straightens"},
       [](const ModelOptions& o) { return shared(Banana(o.dimension.value_or(2))); }},
      {{"funnel", "Neal's funnel, non-centred", "dimension",
        "what a change of coordinates does: to the sampler it is a standard normal, and draws are those of the funnel"},
       [](const ModelOptions& o) { return shared(Funnel(o.dimension.value_or(10), Funnel::Form::non_centred)); }},
      {{"funnel-centred", "the same funnel in its own coordinates", "dimension",
        "a scale that changes by e^9 from mouth to neck: no step suits both, and the diagnostics say so"},
       [](const ModelOptions& o) { return shared(Funnel(o.dimension.value_or(10), Funnel::Form::centred)); }},
      {{"student-t", "multivariate Student t with 5 degrees of freedom", "dimension", "heavy tails"},
       [](const ModelOptions& o) { return shared(StudentT(o.dimension.value_or(2), 5.0)); }},
      {{"skewed", "U = sum of exp(q) - q, whose moments are known", "dimension",
        "skewness, and coordinates that warm-up bends for it"},
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
  check("positive", !o.positive.empty());
  check("no-intercept", o.intercept.has_value());
  check("prior-scale", o.prior_scale.has_value());
  check("prior-intercept", o.prior_intercept.has_value());
  check("standardise", o.standardise.has_value());
  check("columns", !o.columns.empty());
  check("drop", !o.drop.empty());
  check("category", !o.category.empty());
  check("reference", !o.reference.empty());
  check("na", o.na.has_value());
  check("separator", o.separator.has_value());
  check("decimal", o.decimal.has_value());
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
