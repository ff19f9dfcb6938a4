// The extension module: models from Python, a run in the background, and its draws as arrays. Everything else is Python.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.hpp"
#include "darboux/core/error.hpp"
#include "darboux/stan/stan_model.hpp"
#include "darboux/version.hpp"
#include "docstrings.hpp"
#include "draws/sampler_statistics.hpp"
#include "io/file.hpp"
#include "model/gradient_check.hpp"
#include "python_model.hpp"
#include "regression.hpp"
#include "report/parameter_selection.hpp"
#include "report/summary_text.hpp"
#include "result.hpp"
#include "run/draws_content.hpp"
#include "run/draws_report.hpp"
#include "run/draws_summary.hpp"
#include "run/observation_pass.hpp"
#include "run/tuning_file.hpp"
#include "sampling.hpp"
#include "settings.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace darboux::python {

namespace {

/// Blocks that are absent are 0 (E and G) and the identity (A).
PoissonStructure structure_of(const nb::object& E, const nb::object& A, const nb::object& G) {
  std::optional<Index> dim;
  const auto block = [&](const char* what, const nb::object& given) {
    std::optional<Matrix> matrix;
    if (!given.is_none()) matrix = matrix_of(what, given);
    if (matrix && !dim) dim = matrix->rows();
    return matrix;
  };
  auto e = block("E", E), a = block("A", A), g = block("G", G);
  if (!dim) throw InputError("which structure? Give at least one of E, A and G, or name one: structure=\"coupled\"");
  const auto or_zero = [&](std::optional<Matrix>& given) { return given ? std::move(*given) : Matrix(*dim, *dim); };
  return PoissonStructure::from_blocks(or_zero(e), a ? std::move(*a) : Matrix::identity(*dim), or_zero(g));
}

std::shared_ptr<Model> built_in(const std::string& name, std::optional<Index> dimension) {
  ModelOptions options;
  options.dimension = dimension;
  return std::const_pointer_cast<Model>(make_model(name, options));
}

std::shared_ptr<Model> stan(const std::string& program, const std::string& data, std::uint64_t seed,
                            const std::string& toolchain, const std::string& last_toolchain,
                            std::optional<nb::callable> watch) {
  StanOptions options{
      .data = data, .seed = seed, .toolchain = toolchain, .last_toolchain = last_toolchain, .watch = {}};
  if (watch)
    options.watch = [&](const CompilationNews& news) {
      const nb::gil_scoped_acquire lock;
      (*watch)(news.what, news.seconds, news.done);
    };
  const nb::gil_scoped_release unlocked;
  return std::const_pointer_cast<Model>(stan_model(program, options));
}

/// The page of a run's report, filled in.
std::string report_page(const Draws& draws, const Config& config, const std::string& page) {
  const std::string call = rerun_call(config, draws.content().plan.asked.seed.value());
  return fill_page(read_text(page), page, report_of(draws, config, call));
}

/// The table and what is below it, and the warnings alone.
std::pair<std::string, std::vector<std::string>> summary_of(const Draws& draws, const DrawsSummaryOptions& options,
                                                            RowOrder order, std::size_t max_rows) {
  RunSummary run = run_summary(draws, options);
  sort_rows(run.rows, order);
  std::pair<std::string, std::vector<std::string>> out;
  for (Warning& warning : run.warnings) {
    warning.finding = message_in_python(warning.finding);
    warning.advice = message_in_python(warning.advice);
    out.second.push_back(warning.text());
  }
  out.first =
      summary_text(run, {.max_rows = max_rows,
                         .to_see_fewer = "summary(sort=\"ess\", max_rows=20) (the smallest effective sizes), or "
                                         "summary(parameters=\"beta*,sigma\")"});
  return out;
}

/// Draws of all quantities, [quantity, chain, draw].
nb::ndarray<nb::numpy, double> values_of(const Draws& draws, Phase phase) {
  std::vector<double> numbers;
  std::size_t length = 0;
  for (const std::string& name : draws.names()) {
    const ChainDraws quantity = phase == Phase::warmup ? draws.warmup(name) : draws[name];
    for (const std::span<const double> chain : quantity) {
      length = chain.size();
      if (numbers.empty()) numbers.reserve(draws.names().size() * at(draws.chains()) * length);
      numbers.insert(numbers.end(), chain.begin(), chain.end());
    }
  }
  return array_of(std::move(numbers), {draws.names().size(), at(draws.chains()), length});
}

/// What the model says of its observations, [chain, draw, observation]: of(chain) is a matrix. Other threads go on meanwhile.
template <class Of>
nb::ndarray<nb::numpy, double> by_chain(const Draws& draws, const Of& of) {
  std::vector<double> numbers;
  std::vector<std::size_t> shape{at(draws.chains()), 0, 0};
  {
    const nb::gil_scoped_release unlocked;
    for (Index c = 0; c < draws.chains(); ++c) {
      const Matrix rows = of(c);
      shape[1] = at(rows.rows());
      shape[2] = at(rows.cols());
      numbers.insert(numbers.end(), rows.data(), rows.data() + rows.rows() * rows.cols());
    }
  }
  return array_of(std::move(numbers), shape);
}

/// What the sampler says, [chain, draw] each, by the names that ArviZ uses.
ByName statistics_of(const Draws& draws, Phase phase) {
  nb::dict out;
  const std::vector<std::size_t> shape{at(draws.chains()), draws.transitions(0, phase).size()};
  const auto add = [&]<class T>(T /*kind*/, const SamplerStatistic& statistic) {
    std::vector<T> numbers;
    for (Index c = 0; c < draws.chains(); ++c)
      for (const Transition& t : draws.transitions(c, phase)) numbers.push_back(static_cast<T>(statistic.of(t)));
    out[std::string(statistic.name).c_str()] = array_of(std::move(numbers), shape);
  };
  for (const SamplerStatistic& statistic : sampler_statistics) {
    using Kind = SamplerStatistic::Kind;
    if (statistic.kind == Kind::real) add(double(), statistic);
    if (statistic.kind == Kind::whole) add(std::int64_t(), statistic);
    if (statistic.kind == Kind::truth) add(std::uint8_t(), statistic);
  }
  return out;
}

GradientCheck gradient_check(const std::shared_ptr<Model>& model, std::uint64_t seed) {
  RunConfig config;
  config.seed = seed;
  config.start = StartMethod::uniform;
  const auto sized = for_chains(model, config.chains);
  return check_gradient(*sized, plan_with_model(config, sized).starts.q);
}

void translate(const std::exception_ptr& exception, void* /*unused*/) {
  try {
    std::rethrow_exception(exception);
  } catch (const InputError& e) {
    PyErr_SetString(PyExc_ValueError, message_in_python(e.what()).c_str());
  } catch (const Error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

/// Models, and whether their gradients are right.
void add_models(nb::module_& m) {
  nb::class_<Model>(m, "Model", nb::dynamic_attr(), model_doc)
      .def_prop_ro("dim", &Model::dim, "Number of coordinates.")
      .def_prop_ro("names", &Model::names, "Of the quantities that it draws.")
      .def_prop_ro("remarks", &Model::remarks,
                   "What it has to say: points that it refused, and why; what is odd about its data.")
      .def_prop_ro(
          "facts",
          [](const Model& model) {
            nb::dict out;
            for (const ModelFact& fact : model.describe()) out[fact.key.c_str()] = object_of(fact.value);
            return ByName(out);
          },
          "What it is made of, as run.json has it: of a regression `data` and `prior`, and settings in force.");
  m.def(
      "from_function",
      [](nb::callable f, Index dim, std::vector<std::string> names, Index lanes) {
        return model_from_function(std::move(f), {.dim = dim, .names = std::move(names), .lanes = lanes});
      },
      "f"_a, "dim"_a, "names"_a, "lanes"_a);
  m.def(
      "from_addresses",
      [](std::uintptr_t address, Index dim, std::uintptr_t expand, std::uintptr_t user, std::vector<std::string> names,
         nb::object keep, nb::object examine) {
        return model_from_addresses({.dim = dim,
                                     .log_density = address,
                                     .expand = expand,
                                     .user = user,
                                     .names = std::move(names),
                                     .keep = std::move(keep),
                                     .examine = std::move(examine)});
      },
      "address"_a, "dim"_a, "expand"_a, "user"_a, "names"_a, "keep"_a.none(), "examine"_a.none() = nb::none());
  m.def("stan", &stan, "program"_a, "data"_a, "seed"_a, "toolchain"_a, "last_toolchain"_a, "watch"_a.none());
  m.def("logistic", &logistic, "columns"_a, "response"_a, "names"_a, "settings"_a, "reference"_a,
        nb::sig("def logistic(columns: list[numpy.ndarray | list[str | None]], response: numpy.ndarray | list[str | "
                "None], names: list[str], settings: dict[str, str], reference: list[str]) -> Model"));
  m.def("kept_data", &kept_data, "model"_a);
  m.def("built_in", &built_in, "name"_a, "dimension"_a.none());
  m.def("settings", &settings);
  m.attr("all_chains") = all_chains;
  nb::class_<GradientComponent>(m, "GradientComponent")
      .def_ro("point", &GradientComponent::point)
      .def_ro("coordinate", &GradientComponent::coordinate)
      .def_ro("gradient", &GradientComponent::gradient)
      .def_ro("differences", &GradientComponent::differences)
      .def_ro("uncertainty", &GradientComponent::uncertainty);
  nb::class_<GradientCheck>(m, "GradientCheck")
      .def_prop_ro("passed", &GradientCheck::passed)
      .def_ro("components", &GradientCheck::components)
      .def_ro("refused", &GradientCheck::refused)
      .def_ro("wrong", &GradientCheck::wrong);
  m.def("check", &gradient_check, "model"_a, "seed"_a, nb::call_guard<nb::gil_scoped_release>());
}

/// What a run can be given as a value.
void add_values(nb::module_& m) {
  nb::class_<PoissonStructure>(m, "Structure", structure_doc)
      .def(
          "__init__",
          [](PoissonStructure* self, const nb::object& E, const nb::object& A, const nb::object& G) {
            new (self) PoissonStructure(structure_of(E, A, G));
          },
          nb::kw_only(), "E"_a.none() = nb::none(), "A"_a.none() = nb::none(), "G"_a.none() = nb::none(),
          nb::sig("def __init__(self, *, E: numpy.typing.ArrayLike | None = None, A: numpy.typing.ArrayLike | None = "
                  "None, G: numpy.typing.ArrayLike | None = None) -> None"))
      .def_prop_ro("dim", &PoissonStructure::dim, "Of the positions.");
  nb::class_<Tuning>(m, "Tuning", tuning_doc)
      .def_ro("step_size", &Tuning::step_size, "Of the integrator.")
      .def_ro("steps", &Tuning::steps, "Of a trajectory, on average.")
      .def_ro("metric_draws", &Tuning::metric_draws, "Draws that the metric was estimated from.")
      .def_ro("stages", &Tuning::stages, "Kicks of a step.")
      .def_ro("step_spread", &Tuning::step_spread, "Step sizes vary by this share; 0: numbers of steps do instead.")
      .def_ro("momentum_kept", &Tuning::momentum_kept, "The share of the momentum that a trajectory begins with.")
      .def_prop_ro(
          "motion", [](const Tuning& tuning) { return std::string(name(tuning.motion)); }, "Of trajectories.")
      .def_prop_ro(
          "metric", [](const Tuning& tuning) { return std::string(name(metric_of(tuning.factor))); }, "Its kind.")
      .def("__repr__", &repr_of)
      .def("__getstate__",
           [](const Tuning& tuning) {
             const Index dim = std::ssize(tuning.center);
             return std::pair(dim, tuning_text(tuning, {.name = {}, .dim = dim}));
           })
      .def("__setstate__", [](Tuning& self, const std::pair<Index, std::string>& state) {
        new (&self) Tuning(parse_tuning(state.second, "tuning", {.name = {}, .dim = state.first}));
      });
}

void add_runs(nb::module_& m) {
  nb::class_<ChainProgress>(m, "ChainProgress")
      .def_ro("warmup", &ChainProgress::warmup)
      .def_ro("draws", &ChainProgress::draws)
      .def_ro("divergences", &ChainProgress::divergences)
      .def_ro("gradients", &ChainProgress::gradients)
      .def_ro("step_size", &ChainProgress::step_size);
  nb::class_<Iterations>(m, "Iterations")
      .def_ro("warmup", &Iterations::warmup)
      .def_ro("draws", &Iterations::draws)
      .def_ro("open_ended", &Iterations::open_ended);
  nb::class_<Config>(m, "Config")
      .def(
          "__init__",
          [](Config* self, const std::string& model, const nb::typed<nb::dict, nb::str, nb::str>& given,
             const std::vector<std::string>& others, const std::optional<PoissonStructure>& structure,
             const std::optional<Tuning>& tuning, const std::optional<FloatMatrix>& starts,
             const std::vector<double>& initial_point) {
            new (self) Config(config_of(model, given, others, structure, tuning, starts, initial_point));
          },
          "model"_a, "settings"_a, "others"_a, "structure"_a.none(), "tuning"_a.none(), "starts"_a.none(),
          "initial_point"_a);
  nb::class_<Sampling>(m, "Sampling")
      .def(nb::init<std::shared_ptr<Model>, Config>(), "model"_a, "config"_a)
      .def("wait", &Sampling::wait, "seconds"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &Sampling::stop)
      .def("pause", &Sampling::pause)
      .def("resume", &Sampling::resume)
      .def("progress", &Sampling::progress)
      .def("planned", &Sampling::planned)
      .def("so_far", &Sampling::so_far, nb::call_guard<nb::gil_scoped_release>())
      .def("draws", &Sampling::draws, nb::call_guard<nb::gil_scoped_release>());
}

void add_draws(nb::module_& m) {
  nb::class_<Draws>(m, "Draws")
      .def_prop_ro("names", &Draws::names)
      .def_prop_ro("chains", &Draws::chains)
      .def_prop_ro("size", &Draws::size)
      .def_prop_ro("tuning", [](const Draws& draws) { return draws.result().tuning; })
      .def_prop_ro("facts", &facts_of)
      .def_prop_ro("how", &how_of)
      .def(
          "values", [](const Draws& d, bool warmup) { return values_of(d, warmup ? Phase::warmup : Phase::sampling); },
          "warmup"_a)
      .def(
          "statistics",
          [](const Draws& d, bool warmup) { return statistics_of(d, warmup ? Phase::warmup : Phase::sampling); },
          "warmup"_a)
      .def("log_likelihood",
           [](const Draws& d) { return by_chain(d, [&](Index chain) { return d.log_likelihood(chain); }); })
      .def(
          "posterior_predictive",
          [](const Draws& d, Index count) {
            return by_chain(d, [&](Index chain) { return d.posterior_predictive(chain, count); });
          },
          "count"_a)
      .def(
          "predicted",
          [](const Draws& d, Index count) {
            std::vector<Index> places;
            for (Index k = 0; k < std::min(count, d.size()); ++k)
              places.push_back(spread(k, std::min(count, d.size()), d.size()));
            return places;
          },
          "count"_a)
      .def(
          "summary",
          [](const Draws& d, std::vector<std::string> names, std::vector<double> quantiles, std::optional<double> hdi,
             bool above_zero, bool odds_ratios, std::string parameters, const std::string& sort, std::size_t max_rows) {
            const nb::gil_scoped_release unlocked;
            return summary_of(d,
                              {.extras = {.quantiles = std::move(quantiles),
                                          .hdi = hdi,
                                          .above_zero = above_zero,
                                          .odds_ratios = odds_ratios},
                               .parameters = std::move(parameters),
                               .names = std::move(names)},
                              from_name<RowOrder>("sort", sort), max_rows);
          },
          "names"_a, "quantiles"_a, "hdi"_a.none(), "above_zero"_a, "odds_ratios"_a, "parameters"_a, "sort"_a,
          "max_rows"_a)
      .def(
          "with_quantities",
          [](const Draws& d, std::vector<std::string> names, const Floats& values) {
            return with_quantities(d, std::move(names), {values.data(), values.size()});
          },
          "names"_a, "values"_a)
      .def("report", &report_page, "config"_a, "page"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // models may hold what holds them, and all goes when the interpreter does
  nb::register_exception_translator(&translate, nullptr);
  m.attr("version") = std::string(version());
  add_models(m);
  add_values(m);
  add_draws(m);
  add_runs(m);
}

}  // namespace darboux::python
