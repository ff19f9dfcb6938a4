#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/core/value_tree.hpp"

namespace darboux {

enum class RunStatus {
  running,  ///< or killed: nobody was left to write how it ended
  complete,
  interrupted,  ///< by the user; what was drawn is there
  failed        ///< by an error; what was drawn is there
};
template <>
inline constexpr auto names_of<RunStatus> = std::to_array<Named<RunStatus>>({{RunStatus::running, "running"},
                                                                             {RunStatus::complete, "complete"},
                                                                             {RunStatus::interrupted, "interrupted"},
                                                                             {RunStatus::failed, "failed"}});

/// The rule that ended a run.
enum class StoppedBy {
  draws,       ///< all were made
  target_ess,  ///< there were enough effective ones
  max_draws,   ///< there were not, but as many draws as allowed
  max_seconds
};
template <>
inline constexpr auto names_of<StoppedBy> = std::to_array<Named<StoppedBy>>({{StoppedBy::draws, "draws"},
                                                                             {StoppedBy::target_ess, "target-ess"},
                                                                             {StoppedBy::max_draws, "max-draws"},
                                                                             {StoppedBy::max_seconds, "max-seconds"}});

/// The value, in `decided`, of a setting that warm-up is left to choose.
inline constexpr std::string_view left_to_warmup = "in warm-up";

/// What one phase of a run cost, all chains together.
struct PhaseCost {
  double seconds = 0.0;
  double cpu_seconds = 0.0;  ///< of all threads; 0 in manifests of earlier versions
  std::int64_t gradients = 0;
  friend bool operator==(const PhaseCost&, const PhaseCost&) = default;
};

// Each {} lets designated initialisers leave the member out without a warning.
// NOLINTBEGIN(readability-redundant-member-init)

/// A file of draws. Paths are relative to the folder of the manifest.
struct DrawFile {
  std::string file{};
  std::string statistics{};  ///< may be empty
  int chain = 1;
  std::int64_t warmup_rows = 0;
  std::int64_t rows = 0;               ///< after warm-up
  std::string log_likelihood{};        ///< of each observation, row by row; may be empty
  std::string posterior_predictive{};  ///< what might have been observed; may be empty

  template <class Archive>
  void archive(Archive& fields) {
    fields(file, statistics, chain, warmup_rows, rows, log_likelihood, posterior_predictive);
  }
  friend bool operator==(const DrawFile&, const DrawFile&) = default;
};

/// All there is to know about a run besides its draws: `run.json`.
struct RunManifest {
  RunStatus status = RunStatus::running;
  std::string message{};                  ///< why it failed
  std::optional<StoppedBy> stopped_by{};  ///< where a rule ended it
  std::string started{};                  ///< "2030-01-31 12:00:00 UTC"
  std::uint64_t seed = 0;
  std::string darboux_version{}, compiler{}, cpu_class{};
  ValueTree asked{};    ///< every setting, as it was given or by default: what it takes to run it again
  ValueTree given{};    ///< a list: which of these somebody gave; the others are defaults
  ValueTree decided{};  ///< every other setting in force: what was chosen where nothing was asked
  ValueTree data{};     ///< what the model says of its data: rows, outcome, predictors and their scales
  ValueTree prior{};    ///< and of its prior, parameter by parameter
  ValueTree inputs{};   ///< checksums of the files that settings name, by setting
  ValueTree tuning{};   ///< what warm-up settled on
  ValueTree cluster{};  ///< where several processes drew the run: how many, and what they told each other
  PhaseCost warmup{}, sampling{};
  std::optional<double> min_bulk_ess{}, min_tail_ess{}, max_rhat{};  ///< over all quantities; none where unknown
  std::vector<std::string> warnings{};
  std::vector<std::string> told{};  ///< those that draws may not show
  std::vector<DrawFile> files{};
  friend bool operator==(const RunManifest&, const RunManifest&) = default;
};

// NOLINTEND(readability-redundant-member-init)

inline constexpr std::string_view run_schema = "darboux-run/2";
inline constexpr std::string_view manifest_name = "run.json";

/// A manifest with what is known about this program and this machine filled in.
[[nodiscard]] RunManifest new_manifest();

/// JSON, with "schema": "darboux-run/2" first. Numbers keep every bit. As JSON has no infinite numbers, those are written as
/// the strings "nan", "inf" and "-inf"; within `asked`, `decided`, `data`, `prior` and `tuning` they also come back as strings.
[[nodiscard]] std::string manifest_to_json(const RunManifest& manifest);
/// Throws InputError naming the source, the field and what is expected there. Fields that are not known are passed over: a
/// later version may have added them. A schema that is not known is an error; the first one, which kept what was asked and what
/// was decided together, is read too.
[[nodiscard]] RunManifest manifest_from_json(std::string_view text, std::string_view source);

[[nodiscard]] RunManifest read_manifest(const std::filesystem::path& file);
/// All of it or nothing: a reader never sees half a manifest.
void write_manifest(const RunManifest& manifest, const std::filesystem::path& file);

}  // namespace darboux
