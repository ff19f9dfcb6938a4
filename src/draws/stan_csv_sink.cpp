#include "draws/stan_csv_sink.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <exception>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "linalg/dense.hpp"

namespace darboux {

Adaptation adaptation_of(const Tuning& tuning, MetricShape shape) {
  Adaptation a{.step_size = tuning.step_size, .metric = shape, .inverse_metric = {}};
  const Index n = tuning.factor.dim();
  if (shape == MetricShape::diagonal && tuning.factor.kind() == StructuredMatrix::Kind::low_rank)
    a.inverse_metric = tuning.factor.low_rank().variances();
  else if (shape == MetricShape::diagonal)
    for (Index i = 0; i < n; ++i) a.inverse_metric.push_back(tuning.factor(i, i) * tuning.factor(i, i));
  if (shape == MetricShape::dense) {
    const Matrix l = tuning.factor.matrix();
    const Matrix covariance = l * l.transposed();
    a.inverse_metric.assign(covariance.data(), covariance.data() + n * n);
  }
  return a;
}

namespace {

/// Every chain keeps two files open. Asks the system for as many, as far as it allows.
void require_open_files(Index chains) {
  constexpr rlim_t others = 32;
  const rlim_t wanted = 2 * static_cast<rlim_t>(chains) + others;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  if (limit.rlim_max < wanted)
    throw InputError(fmt::format(
        "chains = {}: each keeps two files open, and a process may open {} here (ulimit -Hn): must be at most {}",
        chains, limit.rlim_max, limit.rlim_max > others ? (limit.rlim_max - others) / 2 : 0));
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

StanCsvSink::StanCsvSink(RunDirectory& directory, StanCsvHeader header, Share chains,
                         const std::vector<std::string>& names, const std::vector<StanCsvMark>& marks)
    : metric_(header.metric), first_(chains.first), first_id_(header.chain + static_cast<int>(chains.first)) {
  require_open_files(chains.count);
  header.chain = first_id_;
  for (Index c = first_; c < first_ + chains.count; ++c, ++header.chain) {
    const StanCsvFiles files = directory.chain_files(header.chain);
    paths_.insert(paths_.end(), {files.draws, files.statistics});
    writers_.push_back(marks.empty() ? std::make_unique<StanCsvWriter>(files, header, names)
                                     : std::make_unique<StanCsvWriter>(files, header, names, marks[at(c)]));
  }
}

void StanCsvSink::draw(const Draw& draw) { writers_[at(draw.chain - first_)]->draw(draw.values, draw.transition); }

void StanCsvSink::end_warmup(const SampleResult& so_far) {
  const Adaptation found = adaptation_of(so_far.tuning, metric_);
  for (const auto& writer : writers_) writer->end_warmup(found);
}

void StanCsvSink::flush() {
  for (const auto& writer : writers_) writer->flush();
}

void StanCsvSink::sync() const { flush_to_disk(paths_); }

void StanCsvSink::finish(const SampleResult& result) {
  std::exception_ptr failure;
  for (const auto& writer : writers_) {
    try {
      writer->finish({.warmup = result.warmup_seconds, .sampling = result.sampling_seconds});
    } catch (const std::exception&) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::vector<StanCsvMark> StanCsvSink::marks() const {
  std::vector<StanCsvMark> marks;
  for (const auto& writer : writers_) marks.push_back(writer->mark());
  return marks;
}

std::vector<DrawFile> StanCsvSink::files() const {
  std::vector<DrawFile> files;
  for (std::size_t c = 0; c < writers_.size(); ++c)
    files.push_back(draw_file_entry(first_id_ + static_cast<int>(c), *writers_[c]));
  return files;
}

}  // namespace darboux
