#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cell.hpp"
#include "darboux/core/enumeration.hpp"
#include "report/report.hpp"

namespace darboux {

namespace experiments {
/// What becomes of a claim of the paper.
enum class Verdict { confirmed, not_confirmed, not_testable };
}  // namespace experiments
template <>
inline constexpr auto names_of<experiments::Verdict> =
    std::to_array<Named<experiments::Verdict>>({{experiments::Verdict::confirmed, "confirmed"},
                                                {experiments::Verdict::not_confirmed, "not confirmed"},
                                                {experiments::Verdict::not_testable, "not testable"}});

}  // namespace darboux

namespace darboux::experiments {

[[nodiscard]] constexpr Verdict verdict_of(bool holds) noexcept {
  return holds ? Verdict::confirmed : Verdict::not_confirmed;
}

struct Claim {
  std::string where;      ///< in the paper
  std::string statement;  ///< in our words
  Verdict verdict = Verdict::not_testable;
  std::string evidence;  ///< the numbers that say so
  /// Where there are many of them: the same in short, and a table for each comparison.
  std::string brief{};
  std::vector<ReportTable> numbers{};
};

/// For the section that shows them.
[[nodiscard]] std::vector<ReportContrast> contrasts_of(const std::vector<Claim>& claims);

/// What an experiment found. Figures' ids, and so their files, are that of their section and a number.
struct Findings {
  std::vector<ReportSection> sections;
  std::vector<Claim> claims;
};

/// How much is to be done.
struct Scale {
  bool quick = false;  ///< smaller runs, to see that all works: not to be cited
  int runs = 10;
  std::uint64_t seed = 1;
  std::filesystem::path data;  ///< folder of the data sets
};

/// A list of configurations and a reduction of their results, which depends on nothing else.
struct Experiment {
  std::string name;
  std::string title;
  std::vector<Cell> cells;
  std::function<Findings(const Tables&)> reduce;
};

[[nodiscard]] Experiment logistic_experiment(const Scale& scale);
[[nodiscard]] Experiment fitzhugh_nagumo_experiment(const Scale& scale);
[[nodiscard]] Experiment binding_experiment(const Scale& scale);
[[nodiscard]] Experiment trajectories_experiment(const Scale& scale);
[[nodiscard]] Experiment beyond_experiment(const Scale& scale);

/// In the order in which `all` runs them.
[[nodiscard]] std::vector<std::string_view> experiment_names();
/// Throws InputError for an unknown name, with a suggestion.
[[nodiscard]] Experiment make_experiment(std::string_view name, const Scale& scale);

}  // namespace darboux::experiments
