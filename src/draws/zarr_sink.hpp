#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/model/model.hpp"
#include "darboux/sample/draw_sink.hpp"
#include "draws/flush_policy.hpp"
#include "draws/stan_csv_writer.hpp"
#include "draws/zarr_rows.hpp"

namespace darboux {

inline constexpr std::string_view zarr_name = "draws.zarr";

/// What the arrays of a run are, beside its draws.
struct ZarrContent {
  StanCsvHeader header;            ///< the settings, as Stan CSV has them, in the attributes of the store
  std::vector<std::string> names;  ///< of quantities, as the model has them
  std::optional<NamedAxis> axis{};
  std::vector<ModelData> data{};
};

/// The draws of a run as a Zarr store that ArviZ opens, with the groups posterior and sample_stats, warmup_… where warm-up is saved,
/// observed_data and constant_data where the model has any. They can be opened at any time while the run goes on.
class ZarrSink final : public DrawSink {
 public:
  /// Creates the store, or, with the marks of warm-up and of sampling of each chain, goes on with it.
  ZarrSink(const std::filesystem::path& root, ZarrContent content, Index chains,
           const std::vector<ZarrMark>& marks = {}, const FlushPolicy& policy = {});

  void draw(const Draw& draw) override;
  void end_warmup(const SampleResult& so_far) override;
  void flush();
  void finish(const SampleResult& result) override;

  [[nodiscard]] std::vector<ZarrMark> marks() const;
  [[nodiscard]] std::int64_t rows(Index chain, Phase phase) const;
  /// For further groups, when the run is finished.
  [[nodiscard]] ZarrStore& store() noexcept { return store_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct alignas(cache_line) Chain {
    std::vector<double> row;
    Clock::time_point next_flush;
  };

  void describe(const SampleResult* result);
  void flush(Index chain, ZarrRows& rows);

  ZarrContent content_;
  std::vector<std::string> columns_;
  FlushPolicy policy_;
  ZarrStore store_;
  std::unique_ptr<ZarrRows> warmup_, sampling_;  // the first may be none
  std::vector<Chain> chains_;
  std::mutex publishing_;
};

/// Throws Error, saying what is wrong, where the arrays of a store are not what they were at the marks.
void require_zarr_marks(const std::filesystem::path& root, const std::vector<ZarrMark>& marks);

}  // namespace darboux
