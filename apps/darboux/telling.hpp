#pragma once

#include <functional>
#include <string>

#include "run/file_run.hpp"

namespace darboux::cli {

struct Telling {
  std::string folder;  ///< as the user calls it
  std::string log{};
  bool quiet = false;
  int done = 0;             ///< iterations of each chain that there are already
  Group* group = &alone();  ///< of which the first process tells
};

/// What a model made of its data, in lines: rows, the outcome and how it is coded, predictors, the prior.
void print_facts(const Model& model);

/// Says what a run is about to do, shows how it gets on and what came of it, and ends it in good order on a signal. Returns the
/// exit status.
[[nodiscard]] int run_and_tell(const RunPlan& plan, const Telling& telling,
                               const std::function<FileRun(const RunWatch&)>& run);

}  // namespace darboux::cli
