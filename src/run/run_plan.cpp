#include <fmt/format.h>

#include <new>
#include <random>
#include <utility>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "model/start.hpp"
#include "run/chain_ids.hpp"
#include "run/model_source.hpp"
#include "run/observation_pass.hpp"
#include "run/structure_choice.hpp"
#include "run/tuning_file.hpp"
#include "structure/structure_json.hpp"

namespace darboux {

namespace {

[[noreturn]] void refuse_name(std::string_view field, const std::string& value, std::string_view why) {
  throw InputError(fmt::format("{} = {}: {}; or a file whose name ends in .json", field, value, why));
}

/// What `init` means, unless it is a file.
StartMethod start_called(const std::string& value) {
  try {
    return from_name<StartMethod>("way to start", value);
  } catch (const InputError& e) {
    refuse_name("init", value, e.what());
  }
}

/// What `structure` means, unless it is a file.
Recipe recipe_called(const std::string& value) {
  if (value == automatic_structure) return choose_structure().recipe;
  const auto recipe = find_name<Recipe>(value);
  if (!recipe) refuse_name("structure", value, unknown_name("recipe", value, structure_names()));
  return *recipe;
}

bool is_file(const std::string& source) { return source.ends_with(".json"); }

/// Parts of a run are told apart by ids that follow each other, and from other runs by what they have in common.
void check_chain_ids(const RunConfig& c) {
  if (c.chain_ids.empty()) return;
  const std::vector<Index> ids = parse_chain_ids("chain-ids", c.chain_ids);
  if (ids.back() - ids.front() + 1 != std::ssize(ids))
    throw InputError(
        fmt::format("chain-ids = {}: must be one range, FIRST-LAST; draw others in a part of their own", c.chain_ids));
  if (std::ssize(ids) != c.chains)
    throw InputError(
        fmt::format("chains = {}, but chain-ids = {}: give one of them; the number of ids is that of the chains",
                    c.chains, c.chain_ids));
  if (writes(c, DrawFormat::zarr))
    throw InputError(
        fmt::format("format = {}: parts of a run are drawn as csv, and darboux convert --to zarr makes a "
                    "store of the merged run; leave format or chain-ids out",
                    c.format));
}

/// A program may take a minute to compile: what is missing or misspelt is told before.
void check_before_compiling(const RunConfig& c) {
  check_ranges(c);
  check_chain_ids(c);
  for (const std::string& file : {c.init, c.structure_source, c.tuning_file})
    if (is_file(file)) (void)read_text(file);
  if (!is_file(c.structure_source)) (void)recipe_called(c.structure_source);
  if (!c.init.empty() && !is_file(c.init)) (void)start_called(c.init);
}

/// What names and files stand for, for a model that is there.
RunPlan planned(RunConfig c, const std::shared_ptr<const Model>& model, StartsAre starts = StartsAre::wanted) {
  require_observations(c, *model);
  require_room(c, model->dim(), c.structure_source, has_random_blocks(c.structure_source));
  if (!c.structure) c.structure = plan_structure(c, model->dim());
  if (!c.tuning_file.empty()) c.tuning = read_tuning(c.tuning_file, {.name = short_name(c.model), .dim = model->dim()});
  if (is_file(c.init))
    c.starts = read_starts(*model, c.init, c.chains);
  else if (!c.init.empty())
    c.start = start_called(c.init);
  SamplePlan sample = plan_sampling(model, c, starts);
  return {.config = std::move(c), .sample = std::move(sample)};
}

RunPlan planned(RunConfig c, const CompilationWatch& watch, StartsAre starts, const Lead& lead) {
  const auto asked_seed = c.seed;
  check_before_compiling(c);
  if (!c.seed) c.seed = std::random_device{}();  // a Stan program may want it for its data
  const auto model = open_model(c, watch, lead);
  RunPlan plan = planned(std::move(c), model, starts);
  plan.rows = &lead.group();
  plan.config.seed = asked_seed;
  if (plan.config.out.empty())
    plan.config.out = fmt::format("darboux-{}-{}", short_name(plan.config.model), plan.sample.asked.seed.value());
  return plan;
}

}  // namespace

PoissonStructure plan_structure(const RunConfig& c, Index dim) {
  if (is_file(c.structure_source)) {
    if (c.strength || c.k || c.structure_seed)
      throw InputError("strength, k and structure-seed are for named structures, but structure is a file");
    PoissonStructure structure = read_structure(c.structure_source);
    if (structure.dim() != dim)
      throw InputError(fmt::format("{}: the structure has dimension {}: must be {}, as the model {}",
                                   c.structure_source, structure.dim(), dim, c.model));
    return structure;
  }
  if (c.strength && c.k) throw InputError("strength and k are two ways to say one thing: give one of them");
  const Recipe recipe = recipe_called(c.structure_source);
  if (recipe == Recipe::canonical && (c.strength || c.k || c.structure_seed))
    throw InputError(fmt::format(
        "strength, k and structure-seed have no meaning for the canonical structure{}: choose another with --structure",
        c.structure_source == automatic_structure ? ", which structure = auto stands for" : ""));
  BlockSize size = SpectralStrength{c.strength.value_or(0.5)};
  if (c.k) size = Divisor{*c.k};
  return make_structure(recipe, dim, {.size = size, .seed = c.structure_seed.value_or(1), .A = {}});
}

SamplePlan plan_with_model(const RunConfig& c, const std::shared_ptr<const Model>& model) {
  check_before_compiling(c);
  return planned(c, model).sample;
}

RunPlan make_plan(RunConfig c, const CompilationWatch& watch, StartsAre starts, const Lead& lead) {
  const std::string message =
      fmt::format("not enough memory for {} chains of model {}{}: must be fewer, or smaller", c.chains, c.model,
                  c.dimension ? fmt::format(" with dimension {}", *c.dimension) : "");
  try {
    return planned(std::move(c), watch, starts, lead);
  } catch (const std::bad_alloc&) {
    throw InputError(message);
  }
}

}  // namespace darboux
