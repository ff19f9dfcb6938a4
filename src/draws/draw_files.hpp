#pragma once

#include <memory>
#include <vector>

#include "draws/stan_csv_sink.hpp"
#include "draws/zarr_sink.hpp"

namespace darboux {

/// The files of draws of a run, in one format or several.
class DrawFiles final : public DrawSink {
 public:
  /// Either may be none, not both.
  DrawFiles(std::unique_ptr<StanCsvSink> csv, std::unique_ptr<ZarrSink> zarr, Index chains)
      : csv_(std::move(csv)), zarr_(std::move(zarr)), chains_(chains) {}

  void draw(const Draw& draw) override;
  void end_warmup(const SampleResult& so_far) override;
  void flush();
  /// What is flushed survives a power cut then. Draws may come meanwhile, of other threads.
  void sync() const;
  /// Of a store alone, where there is one: files of Stan CSV do so themselves when they are finished.
  void sync_store() const;
  /// One that cannot be written is no reason to leave the other without an end.
  void finish(const SampleResult& result) override;

  [[nodiscard]] std::vector<StanCsvMark> csv_marks() const;
  [[nodiscard]] std::vector<ZarrMark> zarr_marks() const;
  /// As the manifest lists them: those of Stan CSV where there are any.
  [[nodiscard]] std::vector<DrawFile> files() const;
  /// None where there is no Zarr.
  [[nodiscard]] ZarrStore* zarr_store() noexcept { return zarr_ ? &zarr_->store() : nullptr; }

 private:
  std::unique_ptr<StanCsvSink> csv_;
  std::unique_ptr<ZarrSink> zarr_;
  Index chains_;
};

}  // namespace darboux
