#include "stan/toolchain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <regex>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "stan/user_folders.hpp"
#include "stan/wheel.hpp"

namespace darboux {

namespace {

namespace fs = std::filesystem;

/// The numbers in a name, so that cmdstan-2.9.0 comes before cmdstan-2.38.0.
std::vector<int> numbers_in(const std::string& name) {
  std::vector<int> numbers;
  for (const char* at = name.data(); at != name.data() + name.size();) {
    int number = 0;
    const auto [end, error] = std::from_chars(at, name.data() + name.size(), number);
    if (error == std::errc() && number >= 0) numbers.push_back(number);
    at = error == std::errc() ? end : at + 1;
  }
  return numbers;
}

/// The entries of a folder whose names begin so, the newest version first.
std::vector<fs::path> entries(const fs::path& folder, std::string_view beginning) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().starts_with(beginning)) found.push_back(entry.path());
  std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
    return numbers_in(a.filename().string()) > numbers_in(b.filename().string());
  });
  return found;
}

fs::path first_entry(const fs::path& folder, std::string_view beginning) {
  const auto found = entries(folder, beginning);
  return found.empty() ? folder / beginning : found.front();
}

constexpr std::array sundials{"libsundials_kinsol.a", "libsundials_cvodes.a", "libsundials_idas.a",
                              "libsundials_nvecserial.a"};
constexpr auto tbb = "libtbb.so.2";

/// What `darboux stan install` unpacks: everything side by side.
StanToolchain as_installed(const fs::path& root) {
  StanToolchain found{
      .root = root, .stanc = root / "stanc", .include = {root / "include"}, .libraries = {}, .version = {}};
  for (const char* library : sundials) found.libraries.push_back(root / "lib" / library);
  found.libraries.push_back(root / "lib" / tbb);
  return found;
}

/// CmdStan and BridgeStan: Stan's repositories inside each other, with their own copies of libraries.
StanToolchain as_sources(const fs::path& root) {
  const fs::path stan = root / "stan", math = stan / "lib/stan_math", parts = math / "lib";
  const fs::path solvers = first_entry(parts, "sundials_");
  StanToolchain found{
      .root = root,
      .stanc = root / "bin/stanc",
      .include = {stan / "src", math, first_entry(stan / "lib", "rapidjson_"), first_entry(parts, "eigen_"),
                  first_entry(parts, "boost_"), first_entry(parts, "tbb_") / "include", solvers / "include",
                  solvers / "src/sundials"},
      .libraries = {},
      .version = {}};
  for (const char* library : sundials) found.libraries.push_back(solvers / "lib" / library);
  found.libraries.push_back(parts / "tbb" / tbb);
  return found;
}

/// From Stan's own header.
std::optional<std::string> version_of(const StanToolchain& toolchain) {
  const fs::path header = toolchain.include.front() / "stan/version.hpp";
  std::error_code none;
  if (!fs::is_regular_file(header, none)) return std::nullopt;
  const std::string text = read_text(header);
  std::string version;
  for (const char* part : {"MAJOR", "MINOR", "PATCH"}) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(fmt::format(R"(#define STAN_{} (\d+))", part)))) return std::nullopt;
    version += (version.empty() ? "" : ".") + match[1].str();
  }
  return version;
}

std::vector<fs::path> candidates() {
  std::vector<fs::path> folders;
  const auto add_variable = [&](const char* name) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') folders.emplace_back(value);
  };
  const auto add_below_home = [&](const char* folder, std::string_view beginning) {
    if (const char* home = std::getenv("HOME"); home != nullptr)
      for (const fs::path& found : entries(fs::path(home) / folder, beginning)) folders.push_back(found);
  };
  add_variable("BRIDGESTAN");
  add_below_home(".bridgestan", "bridgestan-");
  add_variable("CMDSTAN");
  add_below_home(".cmdstan", "cmdstan-");
  folders.push_back(installed_toolchain_folder());
  return folders;
}

}  // namespace

std::optional<StanToolchain> toolchain_in(const fs::path& folder) {
  std::error_code none;
  const fs::path root = fs::absolute(folder);
  for (StanToolchain found : {as_installed(root), as_sources(root)}) {
    const bool whole =
        fs::is_regular_file(found.stanc, none) &&
        std::ranges::all_of(found.libraries, [&](const fs::path& file) { return fs::exists(file, none); });
    const auto version = whole ? version_of(found) : std::nullopt;
    if (!version) continue;
    found.version = *version;
    return found;
  }
  return std::nullopt;
}

fs::path installed_toolchain_folder() { return user_data_folder() / fmt::format("stan-{}", StanWheel::stan_version); }

StanToolchain find_toolchain(const fs::path& asked, const fs::path& last) {
  const char* variable = std::getenv("DARBOUX_STAN");
  const bool by_variable = asked.empty() && variable != nullptr && *variable != '\0';
  if (const fs::path given = by_variable ? fs::path(variable) : asked; !given.empty()) {
    if (auto found = toolchain_in(given)) return *std::move(found);
    throw InputError(fmt::format(
        "{} = {}: no Stan there: must be a folder that darboux stan install has made, or one with CmdStan or "
        "BridgeStan, built (its bin/stanc and libtbb.so.2 are looked for)",
        by_variable ? "DARBOUX_STAN" : "stan", given.string()));
  }
  for (const fs::path& folder : candidates())
    if (auto found = toolchain_in(folder)) return *std::move(found);
  if (auto found = last.empty() ? std::nullopt : toolchain_in(last)) return *std::move(found);
  throw InputError(
      "there is no Stan here to compile programs with. To get it once: darboux stan install (35 MB from PyPI). An "
      "installed CmdStan or BridgeStan serves as well: --stan DIR");
}

}  // namespace darboux
