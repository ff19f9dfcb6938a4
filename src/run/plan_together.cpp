#include "run/plan_together.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "cluster/on_all.hpp"
#include "core/cpu.hpp"
#include "darboux/core/error.hpp"
#include "darboux/version.hpp"
#include "io/checksum.hpp"
#include "run/model_source.hpp"
#include "run/run_record.hpp"

namespace darboux {

namespace {

/// As run.json would have them.
std::string all_settings(const RunConfig& config) {
  std::string text = fmt::format("model = {}", config.model);
  for (const auto& field : run_fields())
    if (const auto value = field.get(config)) text += fmt::format(", {} = {}", field.name, text_of(*value));
  return text;
}

/// Starting points are found by each process. Machines that compute other numbers would draw other chains.
std::string in_words(const Starts& starts) {
  const auto q = starts.q.view();
  std::string bytes;
  for (Index j = 0; j < q.rows(); ++j)
    bytes.append(reinterpret_cast<const char*>(q.row(j)), at(q.lanes()) * sizeof(double));
  return fmt::format("those with the checksum {:08x}", checksum(bytes));
}

void require_same_inputs(Group& group, const RunConfig& config) {
  std::vector<std::pair<std::string, std::string>> checksums;
  on_all(group, [&] {
    refuse_pattern(config);
    for (const auto& [setting, file] : input_files(config))
      checksums.emplace_back(fmt::format("{} = {}", setting, file), checksum_of_file(file));
  });
  std::string all;
  for (const auto& [what, sum] : checksums) all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", what, sum);
  require_same(group, "files", all);
}

/// The processors that this process may run on: a mask.
std::string own_processors() {
  cpu_set_t allowed;
  std::string mask;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) mask += CPU_ISSET(cpu, &allowed) ? '1' : '0';
  return mask;
}

}  // namespace

void require_suited(Group& group, const RunConfig& config) {
  if (group.is_alone()) return;
  if (writes(config, DrawFormat::zarr))
    throw InputError(
        fmt::format("format = {}: several processes write csv, a file for each chain, and darboux convert --to zarr "
                    "makes a store of "
                    "the run; leave format out",
                    config.format));
  if (config.chains < group.size())
    throw InputError(
        fmt::format("chains = {}: must be at least {}, the number of processes, of which each draws some; start {} at "
                    "most, or give a new run more (--chains {})",
                    config.chains, group.size(), config.chains, group.size()));
}

int threads_of_process(Group& group) {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  const std::string mask = own_processors(), mine = host.data() + (" " + mask);
  const auto sharing = std::ranges::count(group.gather(mine), mine);
  return std::max(1, static_cast<int>(std::ranges::count(mask, '1') / sharing));
}

void use_common_kernels(Group& group) {
  if (group.is_alone()) return;
  const auto lowest = static_cast<CpuKind>(smallest(group, static_cast<double>(cpu_kind())));
  if (lowest != cpu_kind()) use_cpu_kind(lowest);
}

namespace {

RunPlan plan_of_several(Group& group, RunConfig config, const CompilationWatch& watch) {
  require_same(group, "version", std::string(version()));
  require_same(group, "settings", all_settings(config));
  require_suited(group, config);
  require_same_inputs(group, config);
  use_common_kernels(group);
  const auto asked_seed = config.seed;
  const auto asked_threads = config.threads;
  if (!config.seed) config.seed = std::stoull(of_first(group, fmt::to_string(std::random_device{}())));
  if (!config.threads) config.threads = threads_of_process(group);
  if (config.model.ends_with(".stan"))  // the first compiles it, and the others find it compiled
    on_all(group, [&] {
      if (group.is_first()) (void)open_model(config, watch);
    });
  RunPlan plan;
  on_all(group, [&] { plan = make_plan(std::move(config), group.is_first() ? watch : CompilationWatch()); });
  plan.config.seed = asked_seed;
  plan.config.threads = asked_threads;
  require_same(group, "starting points", in_words(plan.sample.starts));
  return plan;
}

}  // namespace

RunPlan plan_together(Group& group, RunConfig config, const CompilationWatch& watch) {
  if (group.is_alone()) return make_plan(std::move(config), watch);
  RunPlan plan;
  with_last_words(
      group, [&] { plan = plan_of_several(group, std::move(config), watch); },
      [](std::string& message) { message += nothing_is_lost; });
  return plan;
}

}  // namespace darboux
