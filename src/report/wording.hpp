#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/spelling.hpp"
#include "report/run_summary.hpp"

/// What the sentences of warnings share.
namespace darboux {

inline Warning warn(Concern concern, std::string finding, std::string advice) {
  return {.concern = concern, .finding = std::move(finding), .advice = std::move(advice)};
}

/// "a, b and 3 more".
inline std::string some_of(const std::vector<std::string>& all) {
  constexpr std::size_t most_examples = 5;
  const std::size_t shown = all.size() == most_examples + 1 ? all.size() : std::min(all.size(), most_examples);
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = fmt::format("{}", fmt::join(all.begin(), end, ", "));
  return shown == all.size() ? text : fmt::format("{} and {} more", text, all.size() - shown);
}

/// "2.5 %", with two significant digits.
inline std::string percent(std::int64_t part, std::int64_t whole) {
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, whole));
  return share < 99.5 ? fmt::format("{:.2g} %", share) : fmt::format("{:.0f} %", share);
}

inline std::int64_t all_draws(const RunSummary& run) {
  std::int64_t sum = 0;
  for (const ChainFacts& chain : run.chains) sum += chain.draws;
  return sum;
}

}  // namespace darboux
