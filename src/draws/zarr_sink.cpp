#include "draws/zarr_sink.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "darboux/core/error.hpp"
#include "darboux/version.hpp"
#include "draws/draw_variables.hpp"
#include "draws/sampler_statistics.hpp"
#include "draws/stan_csv_parsing.hpp"
#include "draws/stan_csv_text.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

using nlohmann::ordered_json;

/// Files are many, and some file systems slow: writing those that are not full takes at most this share of a chain's time.
constexpr double largest_share = 0.02;

std::unique_ptr<ZarrRows> rows_of(ZarrStore& store, const ZarrContent& content, const std::vector<std::string>& columns,
                                  Index chains, const std::string& prefix) {
  const std::string posterior = prefix + "posterior", statistics = prefix + "sample_stats";
  std::vector<DrawVariable> variables =
      draw_variables(posterior, columns, content.names, content.axis, sampler_statistics.size());
  for (DrawVariable& variable : statistics_variables(statistics)) variables.push_back(std::move(variable));
  for (const std::string& group : {posterior, statistics}) store.add_group(group);
  return std::make_unique<ZarrRows>(store, std::move(variables), chains);
}

void add_data(ZarrStore& store, const std::vector<ModelData>& data) {
  for (const ModelData& array : data) {
    const std::string group = array.observed ? "observed_data" : "constant_data";
    store.add_group(group);
    std::vector<Dimension> dims;
    for (const ModelData::Axis& axis : array.axes)
      dims.push_back({.name = axis.name, .size = axis.size, .labels = axis.labels});
    store.add_data(group, stan_column_name(array.name), dims, array.values,
                   array.whole ? zarr_type::integer : zarr_type::real);
  }
}

std::span<const ZarrMark> of_phase(const std::vector<ZarrMark>& marks, Phase phase) {
  const std::size_t chains = marks.size() / 2;
  return std::span(marks).subspan(phase == Phase::warmup ? 0 : chains, chains);
}

}  // namespace

ZarrSink::ZarrSink(const std::filesystem::path& root, ZarrContent content, Index chains,
                   const std::vector<ZarrMark>& marks, const FlushPolicy& policy)
    : content_(std::move(content)),
      columns_(stan_column_names(content_.names)),
      policy_(policy),
      store_(root),
      chains_(at(chains)) {
  for (Chain& chain : chains_) chain.next_flush = Clock::now() + policy_.interval;
  describe(nullptr);
  sampling_ = rows_of(store_, content_, columns_, chains, "");
  if (content_.header.save_warmup) warmup_ = rows_of(store_, content_, columns_, chains, "warmup_");
  add_data(store_, content_.data);
  if (!marks.empty()) {
    if (warmup_) warmup_->go_on(of_phase(marks, Phase::warmup));
    sampling_->go_on(of_phase(marks, Phase::sampling));
  }
  store_.publish();  // once, of both: before anything goes that readers were told of
  if (marks.empty()) return;
  if (warmup_) warmup_->cut();
  sampling_->cut();
}

void ZarrSink::describe(const SampleResult* result) {
  ordered_json attributes{{"inference_library", "darboux"}, {"inference_library_version", version()}};
  attributes["created_at"] = content_.header.started;
  if (result != nullptr) {
    attributes["warmup_time"] = result->warmup_seconds;
    attributes["sampling_time"] = result->sampling_seconds;
    attributes["tuning_step_size"] = result->tuning.step_size;
  }
  std::istringstream lines(header_text(content_.header, "chain_1.csv"));
  ordered_json& settings = attributes["darboux_settings"] = ordered_json::array();
  for (std::string line; std::getline(lines, line);)
    if (const auto setting = setting_in(line)) settings.push_back({setting->first, setting->second});
  attributes["darboux_columns"] = columns_;
  if (content_.axis) attributes["darboux_axis"] = {content_.axis->array, content_.axis->axis};
  store_.add_group("", attributes.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void ZarrSink::draw(const Draw& draw) {
  Chain& chain = chains_[at(draw.chain)];
  ZarrRows* const rows = draw.phase == Phase::warmup ? warmup_.get() : sampling_.get();
  if (rows == nullptr) throw Error("Zarr: draws of warm-up come, and were not announced");
  chain.row.clear();
  for (const SamplerStatistic& statistic : sampler_statistics) chain.row.push_back(statistic.of(draw.transition));
  chain.row.insert(chain.row.end(), draw.values.begin(), draw.values.end());
  rows->add(draw.chain, chain.row);
  if (Clock::now() >= chain.next_flush) flush(draw.chain, *rows);
}

void ZarrSink::flush(Index chain, ZarrRows& rows) {
  const Clock::time_point begin = Clock::now();
  rows.flush(chain);
  {
    const std::scoped_lock lock(publishing_);
    (void)rows.publish();
  }
  const auto rest = (Clock::now() - begin) * (static_cast<double>(chains_.size()) / largest_share);
  chains_[at(chain)].next_flush =
      Clock::now() + std::max<Clock::duration>(policy_.interval, std::chrono::duration_cast<Clock::duration>(rest));
}

void ZarrSink::flush() {
  for (ZarrRows* rows : {warmup_.get(), sampling_.get()}) {
    if (rows == nullptr) continue;
    for (Index c = 0; c < std::ssize(chains_); ++c) rows->flush(c);
    (void)rows->publish();
  }
}

void ZarrSink::end_warmup(const SampleResult& /*so_far*/) { flush(); }

void ZarrSink::finish(const SampleResult& result) {
  std::int64_t kept = sampling_->rows(0), kept_of_warmup = warmup_ ? warmup_->rows(0) : 0;
  for (Index c = 0; c < std::ssize(chains_); ++c) kept = std::min(kept, sampling_->rows(c));
  // As Stan CSV has it: an interrupted run announces what there is.
  StanCsvHeader& header = content_.header;
  header.sampling_iterations = std::min(header.sampling_iterations, kept * header.thin);
  if (warmup_) header.warmup_iterations = std::min(header.warmup_iterations, kept_of_warmup * header.thin);
  flush();
  describe(&result);
  store_.publish();
}

std::vector<ZarrMark> ZarrSink::marks() const {
  std::vector<ZarrMark> marks;
  for (const ZarrRows* rows : {warmup_.get(), sampling_.get()})
    for (Index c = 0; c < std::ssize(chains_); ++c) marks.push_back(rows != nullptr ? rows->mark(c) : ZarrMark());
  return marks;
}

std::int64_t ZarrSink::rows(Index chain, Phase phase) const {
  const ZarrRows* const rows = phase == Phase::warmup ? warmup_.get() : sampling_.get();
  return rows != nullptr ? rows->rows(chain) : 0;
}

void require_zarr_marks(const std::filesystem::path& root, const std::vector<ZarrMark>& marks) {
  for (const Phase phase : {Phase::warmup, Phase::sampling}) {
    const auto of_chains = of_phase(marks, phase);
    for (std::size_t c = 0; c < of_chains.size(); ++c) require_mark(root, static_cast<Index>(c), of_chains[c]);
  }
}

}  // namespace darboux
