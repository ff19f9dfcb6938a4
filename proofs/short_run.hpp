#pragma once

#include <darboux/sample/sample_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "known_law.hpp"

namespace darboux::proofs {

/// A way to run, as users ask for it.
struct Way {
  std::string name{};
  std::string laws{};  ///< on which law; all when empty
  SampleOptions options{};
  bool uses_tuning = false;  ///< of an earlier run
  bool is_resumed = false;   ///< at half of its draws
};
[[nodiscard]] std::vector<Way> ways_to_run();

/// Of every chain of a run the first draw after warm-up and the last one, in the model's coordinates, and the means of all draws.
struct ShortRun {
  std::vector<std::vector<double>> first, last;
  std::vector<double> means;     ///< of the law's quantities, over all chains and draws
  double draws = 0.0;            ///< of each chain
  bool clock_was_first = false;  ///< time was up before the first draw
};
/// Whether draws or the clock decide how many draws there are.
[[nodiscard]] inline bool ends_by_itself(const Way& way) {
  return way.options.target_ess.has_value() || way.options.max_seconds.has_value();
}
/// A run that the clock ends before its first draw is gone on with until it has that one: where such runs were left out, those
/// that are left would begin with draws that are quickly made. Chains begin with exact draws; nothing but the clock makes two runs of one seed differ.
[[nodiscard]] ShortRun short_run(const KnownLaw& law, const Way& way, const std::optional<Tuning>& tuning,
                                 std::uint64_t seed);
/// What an earlier run found.
[[nodiscard]] Tuning earlier_tuning(const KnownLaw& law, const Way& way, std::uint64_t seed);

}  // namespace darboux::proofs
