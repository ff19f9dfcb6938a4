#include "compilation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace darboux::cli {

CompilationWatch compilation_told() {
  if (::isatty(STDERR_FILENO) == 0)
    return [](const CompilationNews& news) {
      if (news.done)
        fmt::print(stderr, "{}: {:.0f} s\n", news.what, news.seconds);
      else if (news.seconds == 0.0)
        fmt::print(stderr, "{} …\n", news.what);
    };
  return [](const CompilationNews& news) {
    fmt::print(stderr, "\r{} … {:.0f} s{}", news.what, news.seconds, news.done ? "\n" : "");
    (void)std::fflush(stderr);
  };
}

}  // namespace darboux::cli
