#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "draws/run_manifest.hpp"

/// In what two runs differ, by their manifests.
namespace darboux {

/// What a setting decides, in the order in which a reader wants to know. The first three decide which distribution is drawn from.
enum class SettingKind { model, data, prior, phase_space, rule, other };
template <>
inline constexpr auto names_of<SettingKind> =
    std::to_array<Named<SettingKind>>({{SettingKind::model, "model"},
                                       {SettingKind::data, "data"},
                                       {SettingKind::prior, "prior"},
                                       {SettingKind::phase_space, "phase space"},
                                       {SettingKind::rule, "trajectories"},
                                       {SettingKind::other, "other settings"}});

[[nodiscard]] SettingKind kind_of_setting(std::string_view name);

struct RunDifference {
  SettingKind kind;
  std::string name;           ///< of the setting, as its flag
  std::string first, second;  ///< values; empty where a run has none
};

/// Settings in force that differ, by kind. What has no influence on draws is left out: names of folders and logs, threads. Files
/// count by their checksums, so that the same data under two names are the same. A dimension that nobody asked for follows from model
/// and data: where these differ, it is no difference of its own.
[[nodiscard]] std::vector<RunDifference> differences(const RunManifest& first, const RunManifest& second);

[[nodiscard]] bool differ_in(std::span<const RunDifference> differences, SettingKind kind);

/// What runs that draw from different distributions are of: "models", or else "data", "priors", "data and priors"; empty for others.
[[nodiscard]] std::string different_targets(std::span<const RunDifference> differences);
/// "prior-scale (1 and 2)", of those that decide which distribution is drawn from; empty where none does.
[[nodiscard]] std::string target_differences(std::span<const RunDifference> differences);

}  // namespace darboux
