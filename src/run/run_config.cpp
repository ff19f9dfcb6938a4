#include "run/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "run/chain_ids.hpp"
#include "run/structure_choice.hpp"

namespace darboux {

namespace {

using C = RunConfig;
using Fields = std::vector<Field<C>>;
using namespace field;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t big = 1'000'000'000;
constexpr std::int64_t largest_seed = std::numeric_limits<std::int64_t>::max();
constexpr RealRange positive{.least = 0.0, .most = infinity, .open = true};

Fields model_fields() {
  return {
      text<C>(
          {"data", "FILE",
           "CSV file with a header, plain or gzipped; for a Stan program a JSON file. With shard = rows also a pattern "
           "in quotes, 'part-*.csv.gz', of files with the same columns"},
          &C::data),
      text<C>(
          {"response", "COLUMN", "column with the outcome, of two values; y, or else the first column, when absent"},
          &C::response),
      text<C>({"positive", "VALUE",
               "the outcome to predict; when absent 1 of 0 and 1, yes of no and yes, true of false and true"},
              &C::positive),
      on_off<C>({"no-intercept", "", "leave the intercept out of the regression"}, &C::no_intercept),
      real<C>({"prior-scale", "S", "standard deviation of each coefficient's normal prior, predictors standardised; 1"},
              &C::prior_scale, positive),
      real<C>({"prior-intercept", "S", "that of the intercept's, at the mean of the predictors; 10"},
              &C::prior_intercept, positive),
      choice<C>("standardise",
                "what predictors are divided by, for their prior. numbers: numbers by their standard deviation, "
                "columns with two "
                "values and indicators of categories by how far these are apart; all: all by their standard deviation. "
                "numbers when "
                "absent",
                &C::standardise),
      list<C>({"columns", "NAMES", "predictors, between commas; all columns but the outcome when absent"}, &C::columns),
      list<C>({"drop", "NAMES", "columns that are no predictors, between commas; they are not read"}, &C::drop),
      list<C>({"category", "NAMES", "columns of numbers that are levels of a category, between commas"}, &C::category),
      list<C>(
          {"reference", "COLUMN=LEVEL",
           "the level of a category that others are compared with; may be given again. The first in order when absent"},
          &C::reference),
      choice<C>("na", "rows with missing values: refuse says where they are, drop leaves them out. refuse when absent",
                &C::na),
      choice<C>("separator", "what is between columns; when absent, what the header has most of", &C::separator),
      choice<C>("decimal", "what is before decimals: 1.5 or 1,5; point when absent", &C::decimal),
      integer<C>({"dimension", "N", "dimension of a synthetic target"}, &C::dimension, 1, 100'000),
      choice<C>(
          "shard",
          "what is shared out to the processes that mpirun or srun starts, where the model is logistic. rows: each "
          "reads a part of the table, for tables that are too large or take too long for one. Draws do not depend "
          "on how many processes there are. none when absent",
          &C::shard),
      text<C>({"stan", "DIR",
               "folder with the Stan that compiles programs; looked for when absent, see darboux stan where"},
              &C::stan)};
}

/// As many chains as there are ids.
Field<C> chain_ids_field() {
  Field<C> made =
      text<C>({"chain-ids", "FIRST-LAST",
               "draw these chains only, as 5-8, of a run in parts: each part with the same seed and tuning, "
               "which darboux merge puts together; as many chains then"},
              &C::chain_ids);
  made.set = [](C& c, std::string_view value) {
    const std::vector<Index> ids = parse_chain_ids("chain-ids", value);
    c.chain_ids = value;
    c.chains = std::ssize(ids);
    c.first_chain = ids.front() - 1;
  };
  return made;
}

Fields chain_fields() {
  return {
      integer<C>({"chains", "N", "number of chains"}, &C::chains, 1, 1'000'000),
      chain_ids_field(),
      integer<C>({"warmup", "N",
                  "iterations of warm-up; 0 needs a step size or a tuning. When absent 500 with init = paths, "
                  "otherwise 1000, with a tuning 100"},
                 &C::warmup, 0, big),
      integer<C>({"draws", "N", "iterations after warm-up, for each chain; with target-ess the least, but 1000"},
                 &C::draws, 1, big),
      real<C>({"target-ess", "N", "go on until the smallest bulk ESS of the draws that are kept is N"}, &C::target_ess,
              positive),
      integer<C>({"max-draws", "N", "of target-ess: the most iterations, for each chain; 100 times draws"},
                 &C::max_draws, 1, big),
      real<C>({"max-seconds", "S",
               "end warm-up and sampling after this time, with what was drawn. How many draws there are then "
               "depends on the machine and its load, whatever the seed"},
              &C::max_seconds, positive),
      integer<C>({"thin", "N", "keep one draw of N"}, &C::thin, 1, big),
      on_off<C>({"save-warmup", "", "write warm-up draws too"}, &C::save_warmup),
      integer<C>({"seed", "N", "same seed, same draws; from the system when absent"}, &C::seed, 0, largest_seed),
      integer<C>({"threads", "N", "threads; all cores when absent. Draws do not depend on it"}, &C::threads, 1, 4096),
      text<C>({"init", joined(all_names<StartMethod>(), "|") + "|FILE",
               "starting points; a JSON file has them by name. The model's own when absent"},
              &C::init)};
}

Fields phase_space_fields() {
  return {
      text<C>({"structure", "NAME|FILE",
               joined(structure_names(), ", ") + ", or a JSON file; auto goes by kept measurements of other targets"},
              &C::structure_source),
      real<C>({"strength", "S", "spectral norm of a named structure's random blocks, in whitened coordinates; 0.5"},
              &C::strength, {.least = 0.0, .most = 1e6}),
      real<C>({"k", "K", "or their divisor: (M - M')/K with M standard normal"}, &C::k, positive),
      integer<C>({"structure-seed", "N", "seed of the random blocks; 1"}, &C::structure_seed, 0, largest_seed)};
}

Fields integrator_fields() {
  return {
      choice<C>("integrator", "by the structure when absent. explicit is APPROXIMATE", &C::integrator),
      one_of<C>({"order", "2|4", "of the integrator; 4 by composition"}, &C::order, {2, 4}),
      integer<C>({"stages", "S",
                  "of a step of leapfrog, magnetic-leapfrog or split-midpoint: 1, 2 or 3, each with one kick and one "
                  "gradient; more allow steps longer by more than that. Chosen in warm-up when absent"},
                 &C::stages, 1, 3),
      choice<C>(
          "motion",
          "microcanonical: the momentum keeps its length, and gradients only turn it; with leapfrog on the "
          "canonical structure, in two or more dimensions. When absent hamiltonian, unless warm-up finds that log "
          "densities scatter by much more than a Gaussian's",
          &C::motion),
      choice<C>(
          "gradient-precision",
          "of logistic. single: gradients in float; proposals are accepted in double, so there is no bias. mixed: "
          "implicit solves begin in float and end in double. When absent, the fastest that the integrator allows "
          "and that is accurate enough",
          &C::gradient_precision),
      real<C>({"tolerance", "T", "of implicit solves; 1e-10"}, &C::tolerance, {.least = 1e-14, .most = 1e-2}),
      real<C>({"binding", "OMEGA", "binding strength of explicit; 1"}, &C::binding, {.least = 0.0, .most = 1e6}),
      real<C>({"angle", "THETA", "or its angle per step"}, &C::angle, {.least = 0.0, .most = 3.14}),
      real<C>({"copy-spread", "SIGMA", "spread of the copies of doubled, where warm-up does not tune it; 0.2"},
              &C::copy_spread, positive),
      real<C>({"reverse-check", "RATE",
               "share of transitions whose implicit steps are also solved backward. Below 1 is APPROXIMATE"},
              &C::reverse_check, {.least = 0.0, .most = 1.0})};
}

Fields tuning_fields() {
  return {
      choice<C>("metric",
                "preconditioner found in warm-up; when absent dense up to 200 dimensions, then low-rank, a "
                "diagonal and a few directions",
                &C::metric),
      choice<C>(
          "map",
          "bends the preconditioner's coordinates one by one, so that draws look Gaussian; none never, "
          "sinh-arcsinh all of them. When absent, warm-up bends those whose draws get likelier by it, with leapfrog on "
          "the canonical structure",
          &C::map),
      real<C>(
          {"step-size", "E", "step size without warm-up; with it but a first guess, from which warm-up finds its own"},
          &C::step_size, positive),
      integer<C>({"steps", "N", "steps of every trajectory; by trajectory-time when absent"}, &C::steps, 1, 1'000'000),
      choice<C>(
          "trajectory",
          "length: jittered around a given mean, tuned in warm-up, or each until it turns back; jittered with a dense "
          "metric, otherwise chees",
          &C::trajectory),
      integer<C>({"max-depth", "N", "of nuts: at most 2^N steps; 10"}, &C::max_depth, 1, 30),
      real<C>({"trajectory-time", "T", "mean length of a trajectory, in whitened coordinates; 1.5"},
              &C::trajectory_time, positive),
      real<C>({"target-acceptance", "P",
               "acceptance that the step size aims at; 0.8, or 0.9 where not log-concave; doubled 0.7. When absent it "
               "may rise halfway to 1"},
              &C::target_acceptance, {.least = 0.0, .most = 1.0, .open = true}),
      choice<C>("direction",
                "of time: kept until a rejection, drawn anew, or turned by every acceptance, which goes to and fro: "
                "for comparison only",
                &C::direction),
      formerly("refresh", real<C>({"momentum-kept", "ALPHA",
                                   "share of the momentum kept from one iteration to the next: 0 none (drawn anew), "
                                   "towards 1 almost all; chosen "
                                   "in warm-up when absent"},
                                  &C::momentum_kept, {.least = 0.0, .most = 1.0}))};
}

Fields observation_fields() {
  return {on_off<C>({"log-likelihood", "",
                     "write the log likelihood of every observation at every draw that is kept, for cross-validation "
                     "(loo); of models that tell, as logistic does"},
                    &C::log_likelihood),
          integer<C>({"posterior-predictive", "N",
                      "write data that might have been observed, one set for each of N draws of each chain, spread "
                      "evenly over it; for all where there are fewer"},
                     &C::posterior_predictive, 1, big)};
}

/// The names themselves, each of which must be one.
std::string parse_formats(std::string_view field, std::string_view text) {
  for (std::string_view rest = parse_text(field, text).empty() ? "" : text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    (void)from_name<DrawFormat>(field, rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return std::string(text);
}

Fields output_fields() {
  return {
      text<C>({"tuning", "FILE", "tuning.json of an earlier run: nothing is adapted then, and warm-up is a burn-in"},
              &C::tuning_file),
      text<C>({"out", "DIR", "folder to create for the draws; darboux-MODEL-SEED when absent"}, &C::out),
      of_member<C>({"format", "NAMES",
                    fmt::format("of draws: {}, or both between commas; csv when absent. ArviZ opens zarr, also while "
                                "the run goes on",
                                joined(all_names<DrawFormat>(), " or "))},
                   &C::format, parse_formats),
      real<C>(
          {"checkpoint-seconds", "S",
           "leave a checkpoint for darboux resume every so often; 3, or more where that would take time; 0 leaves one "
           "wherever it can"},
          &C::checkpoint_seconds, {.least = 0.0, .most = 1e9}),
      text<C>(
          {"log", "FILE", "append progress to this file, as JSON lines; - writes it to standard output, with --quiet"},
          &C::log),
      on_off<C>({"quiet", "", "no progress, no summary"}, &C::quiet)};
}

}  // namespace

bool writes(const RunConfig& config, DrawFormat format) {
  const std::string names = "," + (config.format.empty() ? std::string(name(DrawFormat::csv)) : config.format) + ",";
  return names.find(fmt::format(",{},", name(format))) != std::string::npos;
}

const std::vector<Field<RunConfig>>& run_fields() {
  static const Fields fields = [] {
    Fields table;
    add_group(table, groups::model, model_fields());
    add_group(table, groups::chains, chain_fields());
    add_group(table, groups::phase_space, phase_space_fields());
    add_group(table, groups::integrator, integrator_fields());
    add_group(table, groups::tuning, tuning_fields());
    add_group(table, groups::observations, observation_fields());
    add_group(table, groups::output, output_fields());
    return table;
  }();
  return fields;
}

std::vector<Renamed> set_field(RunConfig& config, std::string_view name, std::string_view value) {
  if (name == "model") {
    config.model = parse_text(name, value);
    return {};
  }
  std::vector<std::string_view> known{"model"};
  for (const auto& field : run_fields()) {
    if (field.is_called(name)) {
      field.set(config, value);
      if (std::ranges::find(config.given, field.name) == config.given.end()) config.given.push_back(field.name);
      return field.renamed(name, value);
    }
    known.push_back(field.name);
  }
  throw InputError(unknown_name("setting", name, known));
}

RunConfig config_of(const RunManifest& manifest) {
  RunConfig config;
  if (const auto* entries = std::get_if<ValueTree::Entries>(&manifest.asked.value()))
    for (const auto& [key, value] : *entries) {
      if (key == "model")
        config.model = text_of(value);
      else
        set_field(config, key, text_of(value));
    }
  config.seed = manifest.seed;
  config.given.clear();
  if (const auto* names = std::get_if<ValueTree::List>(&manifest.given.value()))
    for (const ValueTree& name : *names) config.given.push_back(text_of(name));
  // Runs of earlier versions had one prior for all coefficients, the intercept's too, and said nothing of it.
  if (config.model == "logistic" && manifest.prior == ValueTree()) {
    if (!config.no_intercept)
      config.prior_intercept = config.prior_intercept.value_or(config.prior_scale.value_or(1.0));
    config.standardise = config.standardise.value_or(Standardising::all);
  }
  // Manifests of earlier versions have these of every run, asked for or not.
  if (config.warmup == 0 || !config.tuning_file.empty()) config.metric.reset();
  if (!config.trajectory || !traits_of(*config.trajectory).takes_depth) config.max_depth.reset();
  if (!has_random_blocks(config.structure_source)) config.structure_seed.reset();
  return config;
}

}  // namespace darboux
