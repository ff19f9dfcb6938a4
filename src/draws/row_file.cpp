#include "draws/row_file.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "darboux/core/error.hpp"
#include "draws/stan_csv_text.hpp"

namespace darboux {

namespace fs = std::filesystem;

RowFile::RowFile(fs::path temporary, fs::path target, std::string head)
    : temporary_(std::move(temporary)), target_(std::move(target)) {
  std::error_code ignored;  // of a process that was killed
  fs::remove(temporary_, ignored);
  lines_.emplace(temporary_, std::move(head), FlushPolicy());
}

RowFile::~RowFile() {
  lines_.reset();
  std::error_code ignored;  // after finish() there is none
  fs::remove(temporary_, ignored);
}

void RowFile::add(std::span<const double> row) {
  std::string& line = lines_->pending();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    append_number(line, row[i]);
  }
  line += '\n';
  lines_->end_line();
}

void RowFile::finish() {
  lines_->close();
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) throw Error(fmt::format("cannot write {}: {}", target_.string(), error.message()));
}

}  // namespace darboux
