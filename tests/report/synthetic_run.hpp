#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "draws/temporary_folder.hpp"
#include "report/run_summary.hpp"

namespace darboux::testing {

/// A number in (0, 1) that depends on its place only.
inline double scattered(std::uint64_t i) {
  i = (i + 1) * 0x9E3779B97F4A7C15U;
  i = (i ^ (i >> 30U)) * 0xBF58476D1CE4E5B9U;
  i = (i ^ (i >> 27U)) * 0x94D049BB133111EBU;
  return (static_cast<double>((i ^ (i >> 31U)) >> 11U) + 0.5) / 9007199254740992.0;
}

/// One chain to be written as CmdStan would: two quantities, theta = 10 + noise and w.1 = ±noise, nearly independent draws.
struct SyntheticChain {
  std::uint64_t number = 1;
  int draws = 400;
  int announced = 0;   ///< 0: as many as there are
  double shift = 0.0;  ///< of theta
  bool stands = false;
  bool energy_wanders = false;
  std::set<int> divergent{};      ///< these draws, counted from 1
  bool divergent_are_low = true;  ///< in theta, by 3
  std::set<int> deep{};
  int nan_at = 0;
  bool constant_w = false;
  std::string model = "synthetic";
  std::string settings{};   ///< more lines for the top
  std::string last_line{};  ///< without its end
};

inline std::string stan_csv(const SyntheticChain& chain) {
  std::ostringstream text;
  text.precision(17);
  text << "# model = " << chain.model << "\n# method = sample (Default)\n#     num_samples = "
       << (chain.announced == 0 ? chain.draws : chain.announced)
       << "\n#     num_warmup = 100\n#     save_warmup = 0 (Default)\n#     thin = 1 (Default)\n"
          "#             max_depth = 10 (Default)\n"
       << chain.settings
       << "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,theta,w.1\n"
          "# Adaptation terminated\n";
  for (int i = 1; i <= chain.draws; ++i) {
    const auto at = [&](std::uint64_t what) {
      return scattered(((chain.number * 8 + what) << 20U) + (chain.stands ? 0 : static_cast<std::uint64_t>(i))) - 0.5;
    };
    const bool diverged = chain.divergent.count(i) > 0;
    double theta = i == chain.nan_at ? NAN : 10.0 + chain.shift + at(1);
    if (diverged && chain.divergent_are_low) theta -= 3.0;
    const double energy = chain.energy_wanders ? 20.0 * std::sin(0.05 * i) + at(3) : 5.0 + at(3);
    text << -3.0 + at(0) << ",0.75,0.5," << (chain.deep.count(i) > 0 ? 10 : 2) << ",3," << diverged << "," << energy
         << "," << theta << "," << (chain.constant_w ? 1.0 : at(2)) << "\n";
  }
  text << chain.last_line;
  return text.str();
}

/// A test that writes such chains and looks at the summary.
class WithRuns : public WithFolder {
 protected:
  /// Four good chains; the last ones may be replaced by others.
  static std::vector<SyntheticChain> good_chains() {
    return {{.number = 1}, {.number = 2}, {.number = 3}, {.number = 4}};
  }
  [[nodiscard]] RunInput written(const std::vector<SyntheticChain>& chains) const {
    RunInput input;
    for (std::size_t i = 0; i < chains.size(); ++i)
      input.draws.emplace_back(file("chain_" + std::to_string(i + 1) + ".csv", stan_csv(chains[i])));
    return input;
  }
  [[nodiscard]] RunSummary summarised(const std::vector<SyntheticChain>& chains) const {
    return summarise_run(written(chains));
  }
};

/// The concerns of a summary by name, in order.
inline std::vector<std::string> concerns(const RunSummary& summary) {
  std::vector<std::string> names;
  for (const Warning& warning : summary.warnings) names.emplace_back(name(warning.concern));
  return names;
}

}  // namespace darboux::testing
