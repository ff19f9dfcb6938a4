#include "run/model_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "darboux/model/registry.hpp"
#include "io/file.hpp"
#include "model/logistic_data.hpp"
#include "model/table_pieces.hpp"

namespace darboux {

namespace {

void refuse_settings_of_built_in_models(const RunConfig& c) {
  const auto check = [&](std::string_view field, bool given) {
    if (given)
      throw InputError(fmt::format("{} is given, but {} is a Stan program and does not take it; it takes data, stan",
                                   field, c.model));
  };
  check("response", !c.response.empty());
  check("positive", !c.positive.empty());
  check("no-intercept", c.no_intercept);
  check("prior-scale", c.prior_scale.has_value());
  check("prior-intercept", c.prior_intercept.has_value());
  check("standardise", c.standardise.has_value());
  check("columns", !c.columns.empty());
  check("drop", !c.drop.empty());
  check("category", !c.category.empty());
  check("reference", !c.reference.empty());
  check("na", c.na.has_value());
  check("separator", c.separator.has_value());
  check("decimal", c.decimal.has_value());
  check("dimension", c.dimension.has_value());
  check("shard", c.shard.has_value());
}

/// Whoever asks for it does not see the rows.
void refuse_what_needs_all_rows(const RunConfig& c) {
  if (c.model != "logistic")
    throw InputError(fmt::format("shard = rows: is for model logistic, but the model is {}: leave it out", c.model));
  const auto check = [&](std::string_view field, bool given) {
    if (given)
      throw InputError(
          fmt::format("{} is given, but shard = rows: what concerns single rows is not gathered from the processes "
                      "that have them; leave one of them out",
                      field));
  };
  check("log-likelihood", c.log_likelihood);
  check("posterior-predictive", c.posterior_predictive.has_value());
}

void refuse_unknown(const std::string& model) {
  std::vector<std::string_view> known;
  for (const BuiltInModel& built_in : built_in_models()) known.push_back(built_in.name);
  if (std::ranges::find(known, model) != known.end()) return;
  const std::string program = model + ".stan";
  throw InputError(unknown_name("model", model, known) +
                   (std::filesystem::exists(program) ? fmt::format(". There is {0} here: give it as {0}", program)
                                                     : "; or a Stan program, as NAME.stan"));
}

/// `#include a.stan`, `#include <a.stan>` or `#include "a.stan"`, for each line that is one.
std::vector<std::string> names_included(const std::string& program) {
  std::vector<std::string> names;
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string directive, name;
    if (!(words >> directive >> name) || directive != "#include") continue;
    std::erase_if(name, [](char c) { return c == '"' || c == '<' || c == '>'; });
    names.push_back(name);
  }
  return names;
}

void add_included(const std::filesystem::path& folder, const std::filesystem::path& program,
                  std::map<std::string, std::filesystem::path>& found) {
  if (!std::filesystem::is_regular_file(program)) return;
  for (const std::string& name : names_included(read_text(program)))
    if (const auto file = folder / name; std::filesystem::is_regular_file(file) && found.emplace(name, file).second)
      add_included(folder, file, found);
}

ModelOptions options_of(const RunConfig& c) {
  return {.data = c.data,
          .response = c.response,
          .positive = c.positive,
          .intercept = c.no_intercept ? std::optional(false) : std::nullopt,
          .prior_scale = c.prior_scale,
          .prior_intercept = c.prior_intercept,
          .standardise = c.standardise,
          .columns = c.columns,
          .drop = c.drop,
          .category = c.category,
          .reference = c.reference,
          .na = c.na,
          .separator = c.separator,
          .decimal = c.decimal,
          .dimension = c.dimension};
}

}  // namespace

void refuse_pattern(const RunConfig& c) {
  if (shards_rows(c) || c.model != "logistic") return;
  if (const auto files = files_of_pattern(c.data); !files.empty())
    throw InputError(
        fmt::format("data = {}: is a pattern, which matches {} ({} is the first): must be one file; --shard rows "
                    "reads all of them, by any number of processes, one as well",
                    c.data, counted(std::ssize(files), "file", "files"), files.front()));
}

std::map<std::string, std::filesystem::path> included_files(const std::filesystem::path& program) {
  std::map<std::string, std::filesystem::path> found;
  add_included(program.parent_path(), program, found);
  return found;
}

bool is_stan(const std::string& model) { return model.ends_with(".stan") || model.ends_with(".so"); }

std::shared_ptr<const Model> open_model(const RunConfig& c, const CompilationWatch& watch, const Lead& lead) {
  if (is_stan(c.model)) {
    refuse_settings_of_built_in_models(c);
    if (c.model.ends_with(".so") && !c.stan.empty())
      throw InputError(fmt::format("stan is given, but {} is compiled already: leave it out", c.model));
    return stan_model(c.model, {.data = c.data, .seed = c.seed.value_or(0), .toolchain = c.stan, .watch = watch});
  }
  if (!c.stan.empty())
    throw InputError(fmt::format("stan is given, but model {} is no Stan program (NAME.stan): leave it out", c.model));
  refuse_unknown(c.model);
  refuse_pattern(c);
  if (!shards_rows(c)) return make_model(c.model, options_of(c));
  refuse_what_needs_all_rows(c);
  const int threads = c.threads.value_or(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  return lead.open_logistic(c.data, logistic_data_options(options_of(c)), threads);
}

std::string short_name(const std::string& model) {
  if (!is_stan(model)) return model;
  std::string name = std::filesystem::path(model).stem().string();
  constexpr std::string_view ending = "_model";
  if (model.ends_with(".so") && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

}  // namespace darboux
