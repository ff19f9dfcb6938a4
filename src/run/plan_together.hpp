#pragma once

#include "cluster/group.hpp"
#include "run/run_config.hpp"

namespace darboux {

/// make_plan for a run that several processes draw together, each from its own copy of files and settings. Throws InputError, on all of
/// them, for what cannot be done by several, and where files, settings or machines differ, naming the process. A seed that nobody gave is the
/// first one's, processors are shared out among the processes that may use them, and the kernels are those that all machines have.
[[nodiscard]] RunPlan plan_together(Group& group, RunConfig config, const CompilationWatch& watch = {});

/// What several processes cannot do, and what to do instead.
void require_suited(Group& group, const RunConfig& config);
/// How many threads a process should have: its part of the processors that it may use.
[[nodiscard]] int threads_of_process(Group& group);
/// Makes the lowest kind of kernels that a process can run that of all.
void use_common_kernels(Group& group);

}  // namespace darboux
