#pragma once

#include "run/run_config.hpp"

namespace darboux {

/// Adds every setting in force that is not in `asked`, by its flag's name with _ for -. What warm-up is left to choose is "in warm-up":
/// what it chose is in the manifest's `tuning`. Settings that have no meaning in the run are not there.
void add_settings_in_force(const RunPlan& plan, const ValueTree& asked, ValueTree& decided);

}  // namespace darboux
