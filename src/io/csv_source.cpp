#include "csv_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

[[noreturn]] void read_failed(const std::filesystem::path& file, std::string_view why) {
  throw InputError(fmt::format("cannot read {}: {}", file.string(), why));
}

struct CloseGzip {
  void operator()(gzFile file) const noexcept { (void)gzclose_r(file); }
};
using Gzip = std::unique_ptr<gzFile_s, CloseGzip>;

/// zlib reads files that are not compressed as they are.
class GzipReader {
 public:
  explicit GzipReader(std::filesystem::path file) : path_(std::move(file)) {
    std::error_code error;
    if (std::filesystem::is_directory(path_, error)) read_failed(path_, "it is a directory");
    errno = 0;
    file_.reset(gzopen(path_.c_str(), "rbe"));
    if (!file_) read_failed(path_, std::generic_category().message(errno == 0 ? ENOMEM : errno));
    (void)gzbuffer(file_.get(), 1U << 18U);
  }

  std::size_t read(std::span<char> out) {
    const auto most = static_cast<unsigned>(std::min(out.size(), std::size_t{1} << 30U));
    const int got = gzread(file_.get(), out.data(), most);
    int code = Z_OK;
    std::string_view why = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) read_failed(path_, std::generic_category().message(errno));
    if (code == Z_BUF_ERROR) read_failed(path_, "the compressed file ends too early");
    if (got < 0) {  // zlib's message begins with the file's name too
      const std::string name = path_.string() + ": ";
      if (why.starts_with(name)) why.remove_prefix(name.size());
      read_failed(path_, why);
    }
    return static_cast<std::size_t>(got);
  }

 private:
  std::filesystem::path path_;
  Gzip file_;
};

}  // namespace

ByteSource file_source(const std::filesystem::path& file) {
  return [reader = std::make_shared<GzipReader>(file)](std::span<char> out) { return reader->read(out); };
}

}  // namespace darboux
