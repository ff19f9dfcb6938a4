#include "render_figures.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "installed.hpp"

namespace darboux::cli {

std::optional<std::string> render_figures(const std::filesystem::path& folder) {
  std::string program = "node", script = installed("render.mjs").string(), where = folder.string();
  if (!std::filesystem::exists(script)) return fmt::format("{} is missing, darboux was built without Node.js", script);
  const std::array<char*, 4> arguments{program.data(), script.data(), where.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0)
    return "Node.js is not here (install nodejs)";
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) return fmt::format("node {} {} failed", script, where);
  return std::nullopt;
}

}  // namespace darboux::cli
