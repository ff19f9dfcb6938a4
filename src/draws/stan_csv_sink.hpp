#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/group.hpp"
#include "darboux/sample/draw_sink.hpp"
#include "draws/run_directory.hpp"

namespace darboux {

/// Stan's inverse metric is the covariance estimate, L Lᵀ here, in the shape that the header announced: a short warm-up may
/// have found a simpler one, and of one of low rank, for which Stan has no name, it is the diagonal.
[[nodiscard]] Adaptation adaptation_of(const Tuning& tuning, MetricShape shape);

/// The draw files of a run: chain_1.csv, … in Stan's layout, and beside them statistics/chain_1.csv, … with what Stan's
/// readers do not expect. Draws stream to disk as they come.
class StanCsvSink final : public DrawSink {
 public:
  /// Creates the files of these chains, whose headers differ in the number of the chain, counted on from the one given, or, with a mark
  /// for each chain of the run, goes on with them.
  /// Throws InputError for names that no reader could live with, Error where a file cannot be written.
  StanCsvSink(RunDirectory& directory, StanCsvHeader header, Share chains, const std::vector<std::string>& names,
              const std::vector<StanCsvMark>& marks = {});

  void draw(const Draw& draw) override;
  void end_warmup(const SampleResult& so_far) override;
  /// Makes what was given so far visible to other processes.
  void flush();
  /// What is flushed survives a power cut then. Draws may come meanwhile.
  void sync() const;
  /// One file that cannot be written is no reason to leave the others without an end.
  void finish(const SampleResult& result) override;

  /// How far the files are, chain by chain.
  [[nodiscard]] std::vector<StanCsvMark> marks() const;
  /// As the manifest lists them.
  [[nodiscard]] std::vector<DrawFile> files() const;

 private:
  MetricShape metric_;  // as the headers announce it
  Index first_;         // of the chains in the run
  int first_id_;        // as files have it
  std::vector<std::unique_ptr<StanCsvWriter>> writers_;
  std::vector<std::filesystem::path> paths_;  // of all that they write
};

}  // namespace darboux
