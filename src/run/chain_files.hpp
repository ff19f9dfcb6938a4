#pragma once

#include <memory>
#include <vector>

#include "draws/run_directory.hpp"
#include "run/run_config.hpp"

namespace darboux {

/// The draw files of a run: chain_1.csv, … in Stan's layout, and beside them statistics/chain_1.csv, … with what Stan's
/// readers do not expect. Draws stream to disk as they come; thinning happens here.
class ChainFiles {
 public:
  /// Creates the files. Throws InputError for names that no reader could live with, Error where a file cannot be written.
  ChainFiles(RunDirectory& directory, const RunConfig& config, const RunPlan& plan);

  /// As Sampler's observers want them.
  void draw(const Draw& draw);
  void end_warmup(const Tuning& tuning);
  void finish(const SampleResult& result);
  /// Hands over to the system what is in memory, for readers.
  void flush();

  /// As the manifest lists them.
  [[nodiscard]] std::vector<DrawFile> files() const;

 private:
  int thin_;
  int warmup_;
  bool save_warmup_;
  MetricShape metric_;  // as the headers announce it
  std::vector<std::unique_ptr<StanCsvWriter>> writers_;
};

}  // namespace darboux
