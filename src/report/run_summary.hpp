#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "darboux/diagnose/summary.hpp"
#include "draws/stan_csv_reader.hpp"
#include "report/chain_facts.hpp"
#include "report/run_columns.hpp"
#include "report/run_warnings.hpp"

namespace darboux {

/// Two of several runs that draw from different distributions, as their manifests say.
struct MixedRuns {
  std::string first{}, second{};  ///< as they were named
  std::string kinds{};            ///< "data and priors"
  std::string settings{};         ///< "data (a.csv and b.csv), prior-scale (1 and 2)"
};

/// What there is of a run, or of several with the same columns.
struct RunInput {
  std::vector<StanCsvReader> draws{};  ///< one per chain
  /// The files of statistics (see StanCsvFiles) of the same chains where they have any; may be left empty.
  std::vector<std::optional<StanCsvReader>> statistics{};
  bool interrupted = false;                 ///< the manifest says that the run did not get to its end
  std::string integrator{};                 ///< as the manifest says; the files of draws may know better
  std::optional<std::int64_t> gradients{};  ///< of the sampling phase of all chains, as the manifest says
  std::string failure{};                    ///< why the run did not get to its end, if that is known
  std::optional<MixedRuns> mixed{};         ///< the first two of several runs that do not belong together
  std::vector<std::string> told{};          ///< what the run itself found, as its manifest says
};

struct SummaryOptions {
  std::vector<std::size_t> columns{};   ///< which of the file's; summarised_columns() if empty
  std::size_t memory = default_memory;  ///< bytes for draws, and for what is computed of them
  EssLimit ess_limit = EssLimit::antithetic;
  int threads = 0;  ///< all processors if 0; results do not depend on it
  SummaryExtras extras{};
};

/// One quantity.
struct SummaryRow {
  std::string name;  ///< as people write it: a[1,2]
  Summary values{};
  bool finite = true;     ///< all of its draws are
  bool constant = false;  ///< all of its draws are the same, but for rounding
};

/// Where divergent draws lie: the quantity whose values there differ most from those of all draws.
struct DivergenceContrast {
  std::string name;
  double mean_of_divergent = 0.0;
  double mean = 0.0;
  double sd = 0.0;
};

/// All that a table, a page or a program needs to judge a run.
struct RunSummary {
  std::vector<SummaryRow> rows{};
  SummaryExtras extras{};           ///< what rows have of it
  std::size_t columns_in_file = 0;  ///< of which rows could have been made
  /// In the order of the files; chains are numbered so, from 1. Those without any draws count for nothing else.
  std::vector<ChainFacts> chains{};
  std::vector<std::size_t> standing_chains{};  ///< numbers of those whose draws are all the same
  std::int64_t draws_per_chain = 0;            ///< that rows are made from: as many as the shortest chain has
  std::optional<DivergenceContrast> divergent_where{};
  bool interrupted = false;
  std::string failure{};
  std::string mixed{};              ///< in what settings the mixed runs of RunInput differ; empty where there are none
  std::vector<std::string> told{};  ///< as of RunInput
  std::string integrator{};
  std::optional<std::int64_t> gradients{};
  std::vector<Warning> warnings{};

  [[nodiscard]] std::size_t chains_with_draws() const;
  /// The names of the models that the files come from, where they name any.
  [[nodiscard]] std::vector<std::string> models() const;
  /// Whether all chains draw from the same distribution, as far as files and manifests tell: if not, comparing them says nothing.
  [[nodiscard]] bool is_of_one_model() const { return mixed.empty() && models().size() < 2; }
  [[nodiscard]] std::int64_t divergences() const;
};

/// Makes the rows of a summary whose chains are known, from one quantity after another.
class SummaryBuilder {
 public:
  explicit SummaryBuilder(RunSummary& summary, EssLimit limit = EssLimit::antithetic);

  /// What there is to know of a quantity.
  struct Look {
    SummaryRow row;
    std::vector<char> stands;  // chain by chain: whether it never moved
    double sum_of_divergent = 0.0, divergent = 0.0;
  };
  /// From the draws of all chains that have any; those of different lengths are cut to the shortest. Takes as long as it takes;
  /// several threads may look at quantities of their own.
  [[nodiscard]] Look look_at(const std::string& column, std::span<const std::span<const double>> chains) const;
  /// The next row.
  void add(const Look& look);
  /// What can be said when all are there: warnings, and chains that stand still.
  void finish();

 private:
  void compare_divergent(const Look& look);

  RunSummary& summary_;
  EssLimit limit_;
  std::vector<const ChainFacts*> with_draws_;
  std::vector<char> stands_;  // chain by chain, of those
  bool anything_varies_ = false;
  double largest_distance_ = 0.0;
};

/// Any table of numbers has columns and rows; Stan's has settings in comments at its top, or at least columns of the sampler.
[[nodiscard]] bool looks_like_stan_csv(const StanCsvReader& file);

/// The columns of a file that a summary is about: lp__ and all that are not the sampler's own (which end in __).
[[nodiscard]] std::vector<std::size_t> summarised_columns(const StanCsvReader& file);

/// Reads the files once; draws that do not fit into memory lie in a temporary file meanwhile. Chains of different lengths are cut
/// to the shortest. Throws InputError, with file and line or column, for files that are no Stan CSV, differ in their columns, or
/// have no draws at all; of runs of different models or data it says that.
[[nodiscard]] RunSummary summarise_run(const RunInput& input, const SummaryOptions& options = {});

/// The same, with what the figures of a report need from the same reading.
struct SummarisedRun {
  RunSummary summary;
  std::shared_ptr<const RunColumns> columns;
};
[[nodiscard]] SummarisedRun summarise_for_report(const RunInput& input, const SummaryOptions& options = {});

}  // namespace darboux
