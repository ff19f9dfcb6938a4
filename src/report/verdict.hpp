#pragma once

#include <string>

#include "report/report.hpp"
#include "report/run_summary.hpp"

namespace darboux {

/// Did it work? In a sentence, with the number that decides.
struct Verdict {
  Mood mood = Mood::none;
  std::string title;
};
[[nodiscard]] Verdict verdict_on(const RunSummary& summary);

[[nodiscard]] bool has(const RunSummary& summary, Concern concern);

/// The quantity with the largest R̂, or with the smallest effective size; null if no quantity has any.
[[nodiscard]] const SummaryRow* largest_rhat(const RunSummary& summary);
[[nodiscard]] const SummaryRow* smallest_ess(const RunSummary& summary);

}  // namespace darboux
