#include "draws/draw_files.hpp"

#include <exception>

#include "io/file.hpp"

namespace darboux {

void DrawFiles::draw(const Draw& draw) {
  if (csv_) csv_->draw(draw);
  if (zarr_) zarr_->draw(draw);
}

void DrawFiles::end_warmup(const SampleResult& so_far) {
  if (csv_) csv_->end_warmup(so_far);
  if (zarr_) zarr_->end_warmup(so_far);
}

void DrawFiles::flush() {
  if (csv_) csv_->flush();
  if (zarr_) zarr_->flush();
}

void DrawFiles::sync() const {
  if (zarr_)
    sync_store();  // and all else beside it
  else
    csv_->sync();
}

void DrawFiles::sync_store() const {
  if (zarr_) flush_file_system(zarr_->store().root());
}

void DrawFiles::finish(const SampleResult& result) {
  std::exception_ptr failure;
  if (csv_) try {
      csv_->finish(result);
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  if (zarr_) zarr_->finish(result);
  sync_store();
  if (failure) std::rethrow_exception(failure);
}

std::vector<StanCsvMark> DrawFiles::csv_marks() const { return csv_ ? csv_->marks() : std::vector<StanCsvMark>(); }
std::vector<ZarrMark> DrawFiles::zarr_marks() const { return zarr_ ? zarr_->marks() : std::vector<ZarrMark>(); }

std::vector<DrawFile> DrawFiles::files() const {
  if (csv_) return csv_->files();
  std::vector<DrawFile> files;
  for (Index c = 0; c < chains_; ++c)
    files.push_back({.file = std::string(zarr_name),
                     .chain = static_cast<int>(c + 1),
                     .warmup_rows = zarr_->rows(c, Phase::warmup),
                     .rows = zarr_->rows(c, Phase::sampling)});
  return files;
}

}  // namespace darboux
