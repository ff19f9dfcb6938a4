#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace darboux {

/// What a run knows of each observation after all draws: `observations.json`. Either list may be empty, where it is not known.
struct ObservationSummary {
  std::vector<double> observed;    ///< y_i
  std::vector<double> likelihood;  ///< the posterior mean of p(y_i | draw), over all draws of all chains

  friend bool operator==(const ObservationSummary&, const ObservationSummary&) = default;
};

inline constexpr std::string_view observations_name = "observations.json";

/// All of it or nothing. Numbers keep every bit; those that JSON does not have are null.
void write_observation_summary(const ObservationSummary& summary, const std::filesystem::path& file);
/// Throws InputError naming the file and what is expected there.
[[nodiscard]] ObservationSummary read_observation_summary(const std::filesystem::path& file);

}  // namespace darboux
