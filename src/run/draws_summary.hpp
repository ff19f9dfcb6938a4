#pragma once

#include <string>
#include <vector>

#include "darboux/run/draws.hpp"
#include "report/run_summary.hpp"

namespace darboux {

struct DrawsSummaryOptions {
  SummaryExtras extras{};
  std::string parameters{};          ///< only these, lp__ among them, as of select_names(); all if empty
  std::vector<std::string> names{};  ///< what quantities are called, for people; if empty, as the draws have them
};

/// What `darboux summary` would find of these draws. Throws InputError for options that make no sense, and where there are none.
[[nodiscard]] RunSummary run_summary(const Draws& draws, const DrawsSummaryOptions& options = {});

}  // namespace darboux
