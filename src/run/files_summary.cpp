#include "run/files_summary.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "draws/chain_readers.hpp"

namespace darboux {

RunSummary summarise_files(const std::filesystem::path& folder, const RunManifest& manifest, int threads) {
  RunInput input{.interrupted = manifest.status != RunStatus::complete,
                 .gradients = manifest.sampling.gradients,
                 .told = manifest.told};
  if (const ValueTree* integrator = manifest.decided.find("integrator"))
    input.integrator = std::get<std::string>(integrator->value());
  for (const DrawFile& file : manifest.files) {
    ChainReaders chain = open_chain(folder, file);
    input.draws.push_back(std::move(chain.draws));
    input.statistics.push_back(std::move(chain.statistics));
  }
  return summarise_run(input, {.threads = threads});
}

void add_extremes(const RunSummary& summary, RunManifest& manifest) {
  const auto note = [](std::optional<double>& worst, double value, bool larger_is_worse) {
    if (std::isnan(value)) return;
    if (!worst || (larger_is_worse ? value > *worst : value < *worst)) worst = value;
  };
  for (const SummaryRow& row : summary.rows) {
    note(manifest.min_bulk_ess, row.values.ess_bulk, false);
    note(manifest.min_tail_ess, row.values.ess_tail, false);
    const bool is_undefined = std::isnan(row.values.rhat) && !row.constant;  // which is no sign of agreement
    note(manifest.max_rhat, is_undefined ? std::numeric_limits<double>::infinity() : row.values.rhat, true);
  }
  for (const Warning& warning : summary.warnings)
    if (warning.concern != Concern::told) manifest.warnings.push_back(warning.text());
}

}  // namespace darboux
