#include "run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "darboux/core/error.hpp"
#include "draws/chain_readers.hpp"
#include "draws/observation_file.hpp"
#include "draws/run_directory.hpp"
#include "draws/zarr_sink.hpp"
#include "io/file.hpp"
#include "model/sharded_logistic.hpp"
#include "run/chain_ids.hpp"
#include "run/files_summary.hpp"
#include "run/run_config.hpp"
#include "run/run_record.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

constexpr const char* tuning_name = "tuning.json";

struct Part {
  fs::path folder;
  RunManifest manifest;
};

struct Chain {
  const Part* part;
  DrawFile file;
};

/// What parts may be told differently: which chains they are, how and where they are drawn, and until when. How many draws there are
/// is seen in the files.
bool may_differ(std::string_view setting) {
  static const std::set<std::string_view> free{"chains",      "chain-ids", "out",  "threads", "log",
                                               "quiet",       "format",    "stan", "draws",   "checkpoint-seconds",
                                               "max-seconds", "tuning"};
  return free.contains(setting);
}

Part open_part(const fs::path& folder) {
  if (!fs::exists(folder / manifest_name))
    throw InputError(
        fmt::format("{}: there is no {} here: give the folders that darboux sample made, one for each part of the run",
                    folder.string(), manifest_name));
  Part part{.folder = folder, .manifest = read_manifest(folder / manifest_name)};
  if (part.manifest.status != RunStatus::complete)
    throw InputError(
        fmt::format("{0}: its status is \"{1}\": must be complete; go on with it first (darboux resume {0})",
                    folder.string(), name(part.manifest.status)));
  for (const DrawFile& file : part.manifest.files)
    if (file.file == zarr_name)
      throw InputError(
          fmt::format("{}: its draws are in a Zarr store alone: must be in Stan CSV files, as --format csv writes them",
                      folder.string()));
  return part;
}

std::string shown_setting(const ValueTree* value) { return value == nullptr ? "not given" : text_of(*value); }

[[noreturn]] void refuse(const Part& one, const Part& other, std::string_view what, std::string_view here,
                         std::string_view there) {
  throw InputError(fmt::format(
      "{0}: {1} = {2}, and in {3} it is {4}: must be the same in all parts of a run; leave out the part that "
      "does not belong to it, or draw it anew",
      other.folder.string(), what, there, one.folder.string(), here));
}

/// Of a table that nobody has read as a whole there is no checksum, but what it is made of tells it from others.
const ValueTree* fingerprint_of(const Part& part) { return part.manifest.data.find(fingerprint_key); }

/// Files are what is in them, wherever they are.
void require_same(const Part& one, const Part& other) {
  const RunManifest& a = one.manifest;
  const RunManifest& b = other.manifest;
  std::set<std::string> names;
  const auto collect = [&](const ValueTree& tree) {
    if (const auto* entries = std::get_if<ValueTree::Entries>(&tree.value()))
      for (const auto& [key, value] : *entries) names.insert(key);
  };
  for (const ValueTree* tree : {&a.asked, &b.asked, &a.inputs, &b.inputs}) collect(*tree);
  if (a.seed != b.seed) refuse(one, other, "seed", fmt::to_string(a.seed), fmt::to_string(b.seed));
  for (const std::string& setting : names) {
    const ValueTree *here = a.inputs.find(setting), *there = b.inputs.find(setting);
    if (here != nullptr && there != nullptr) {
      if (setting != "tuning" && *here != *there)
        refuse(one, other, fmt::format("the checksum of {}", setting), text_of(*here), text_of(*there));
      continue;
    }
    here = a.asked.find(setting), there = b.asked.find(setting);
    const bool same = here == nullptr || there == nullptr ? here == there : *here == *there;
    if (!may_differ(setting) && !same) refuse(one, other, setting, shown_setting(here), shown_setting(there));
  }
  if (const ValueTree *here = fingerprint_of(one), *there = fingerprint_of(other); here != nullptr && there != nullptr)
    if (*here != *there) refuse(one, other, "the fingerprint of data", text_of(*here), text_of(*there));
  for (const fs::path& folder : {one.folder, other.folder})
    if (!fs::exists(folder / tuning_name))
      throw InputError(
          fmt::format("{}: there is no {} here, by which parts of a run are told", folder.string(), tuning_name));
  if (read_text(one.folder / tuning_name) != read_text(other.folder / tuning_name))
    throw InputError(
        fmt::format("{}: its {} is not that of {}: parts of a run have their tuning in common; draw all of them with "
                    "--tuning and the same file",
                    other.folder.string(), tuning_name, one.folder.string()));
}

/// By their ids. What a reader would stumble over is found before anything is written.
std::vector<Chain> chains_of(const std::vector<Part>& parts) {
  std::map<int, Chain> chains;
  for (const Part& part : parts)
    for (const DrawFile& file : part.manifest.files) {
      const auto [place, is_new] = chains.emplace(file.chain, Chain{.part = &part, .file = file});
      if (!is_new)
        throw InputError(fmt::format(
            "chain {} is in {} and in {}: must be there once, or its draws would count twice; give every part ids of "
            "its own with --chain-ids",
            file.chain, place->second.part->folder.string(), part.folder.string()));
    }
  std::vector<Chain> out;
  for (auto& [id, chain] : chains) out.push_back(std::move(chain));
  const DrawFile& first = out.front().file;
  for (const auto& [part, file] : out) {
    const fs::path path = part->folder / file.file;
    const StanCsvPass found = open_chain(part->folder, file).draws.count_rows();
    if (found.warmup_rows != file.warmup_rows || found.sampling_rows != file.rows)
      throw InputError(fmt::format("{}: has {} + {} rows (warm-up + draws): must be {} + {}, as the {} beside it says",
                                   path.string(), found.warmup_rows, found.sampling_rows, file.warmup_rows, file.rows,
                                   manifest_name));
    if (file.rows != first.rows || file.warmup_rows != first.warmup_rows)
      throw InputError(
          fmt::format("{}: has {} draws, and chain {} has {}: must be as many in all chains; darboux resume {} --draws "
                      "N draws more",
                      path.string(), file.rows, first.chain, first.rows,
                      (file.rows < first.rows ? part : out.front().part)->folder.string()));
  }
  return out;
}

void add(const PhaseCost& part, PhaseCost& all) {
  all.seconds = std::max(all.seconds, part.seconds);
  all.cpu_seconds += part.cpu_seconds;
  all.gradients += part.gradients;
}

/// Ids that begin with 1 and have no gaps are those that a run in one go has.
RunManifest manifest_of(const std::vector<Part>& parts, const std::vector<Chain>& chains, const fs::path& out) {
  RunManifest all = parts.front().manifest;
  all.status = RunStatus::running;
  all.warnings.clear();
  all.told.clear();
  all.min_bulk_ess = all.min_tail_ess = all.max_rhat = std::nullopt;
  all.warmup = all.sampling = {};
  all.cluster = {};  // each part has its own
  all.files.clear();
  ValueTree::List folders;
  for (const Part& part : parts) {
    all.started = std::min(all.started, part.manifest.started);
    add(part.manifest.warmup, all.warmup);
    add(part.manifest.sampling, all.sampling);
    folders.emplace_back(part.folder.string());
    for (const std::string& words : part.manifest.told)
      if (std::ranges::find(all.told, words) == all.told.end()) all.told.push_back(words);
    for (const auto& [what, first, other] : compare_bits(all, part.manifest))
      all.warnings.push_back(
          fmt::format("{} was drawn with {} {}, and {} with {}: draws are as good, but their last "
                      "bits may differ from those of a run in one go.",
                      part.folder.string(), what, other, parts.front().folder.string(), first));
  }
  all.warnings.insert(all.warnings.end(), all.told.begin(), all.told.end());
  std::vector<Index> ids;
  for (const Chain& chain : chains) ids.push_back(chain.file.chain);
  RunConfig config = config_of(all);
  config.out = out.string();
  config.chain_ids = ids.back() == std::ssize(ids) ? "" : chain_ids_text(ids);
  config.chains = std::ssize(ids);
  ValueTree asked;
  asked.set("model", config.model);
  for (const auto& field : run_fields())
    if (auto value = field.get(config); value && (field.name != "seed" || all.asked.find("seed") != nullptr))
      asked.set(field.name, *std::move(value));
  all.asked = std::move(asked);
  if (const auto* names = std::get_if<ValueTree::List>(&all.given.value());
      names != nullptr && config.chain_ids.empty()) {
    ValueTree::List given = *names;
    std::ranges::replace(given, ValueTree("chain-ids"), ValueTree("chains"));
    all.given = std::move(given);
  }
  all.decided.set(merged_key, std::move(folders));
  return all;
}

/// Each file in the place that it had, in the folder of all.
void copy_files(const std::vector<Chain>& chains, RunDirectory& directory) {
  for (const auto& [part, file] : chains) {
    for (const std::string& name : {file.file, file.statistics, file.log_likelihood, file.posterior_predictive}) {
      if (name.empty()) continue;
      const fs::path folder = fs::path(name).parent_path();
      if (!folder.empty()) (void)directory.chain_file(folder.string(), file.chain);
      try {
        fs::copy_file(part->folder / name, directory.path() / name);
      } catch (const fs::filesystem_error& e) {
        throw Error(fmt::format("cannot copy {} to {}: {}", (part->folder / name).string(), directory.path().string(),
                                e.code().message()));
      }
    }
  }
}

/// The mean over all draws, of means over those of each part.
void merge_observations(const std::vector<Part>& parts, RunDirectory& directory) {
  if (!fs::exists(parts.front().folder / observations_name)) return;
  ObservationSummary all;
  double draws = 0.0;
  for (const Part& part : parts) {
    const ObservationSummary own = read_observation_summary(part.folder / observations_name);
    double rows = 0.0;
    for (const DrawFile& file : part.manifest.files) rows += static_cast<double>(file.rows);
    all.observed = own.observed;
    all.likelihood.resize(own.likelihood.size(), 0.0);
    for (std::size_t i = 0; i < own.likelihood.size(); ++i) all.likelihood[i] += rows * own.likelihood[i];
    draws += rows;
  }
  for (double& sum : all.likelihood) sum /= draws;
  write_observation_summary(all, directory.file(observations_name));
}

}  // namespace

MergedRun merge_runs(std::span<const fs::path> folders, const fs::path& out, int threads) {
  if (folders.size() < 2) throw InputError("there is nothing to merge: give the folders of two parts or more");
  RunDirectory directory(out);
  std::vector<Part> parts;
  for (const fs::path& folder : folders) parts.push_back(open_part(folder));
  for (std::size_t i = 1; i < parts.size(); ++i) require_same(parts.front(), parts[i]);
  const std::vector<Chain> chains = chains_of(parts);
  MergedRun run{.manifest = manifest_of(parts, chains, out), .summary = {}};
  directory.write(run.manifest);
  try {
    copy_files(chains, directory);
    write_text(directory.file(tuning_name), read_text(parts.front().folder / tuning_name));
    merge_observations(parts, directory);
    for (const Chain& chain : chains) run.manifest.files.push_back(chain.file);
    run.manifest.status = RunStatus::complete;
    run.summary = summarise_files(directory.path(), run.manifest, threads);
    add_extremes(run.summary, run.manifest);
    directory.write(run.manifest);
  } catch (const std::exception& e) {  // the parts are as they were
    throw Error(fmt::format("{}. {} is not whole: remove it, and merge again", e.what(), out.string()));
  }
  return run;
}

}  // namespace darboux
