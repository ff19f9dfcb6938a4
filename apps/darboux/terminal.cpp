#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace darboux::cli {

TableStyle style_of_output() {
  if (::isatty(STDOUT_FILENO) == 0) return {};
  TableStyle style;
  if (winsize size{}; ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool wanted = no_colour == nullptr || *no_colour == '\0';
  style.colours = wanted && terminal != nullptr && std::string_view(terminal) != "dumb";
  return style;
}

}  // namespace darboux::cli
