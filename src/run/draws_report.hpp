#pragma once

#include "darboux/run/draws.hpp"
#include "report/report.hpp"
#include "run/run_config.hpp"

namespace darboux {

/// The page that `darboux report` would make had the run been one of the command line: its draws go to files of a folder that is
/// removed again. `config` is what was asked, with the model's name; `rerun` is what draws the same again.
[[nodiscard]] Report report_of(const Draws& draws, RunConfig config, const std::string& rerun);

}  // namespace darboux
