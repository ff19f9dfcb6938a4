#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace darboux {

/// What it takes to make a library from a Stan program: a translator, headers, and libraries to link with.
struct StanToolchain {
  std::filesystem::path root;
  std::filesystem::path stanc;
  std::vector<std::filesystem::path> include;    ///< folders
  std::vector<std::filesystem::path> libraries;  ///< files; a shared one is looked for where it lies when programs run
  std::string version;                           ///< such as 2.39.0

  friend bool operator==(const StanToolchain&, const StanToolchain&) = default;
};

/// The toolchain in a folder: what `darboux stan install` leaves, or the sources of CmdStan or BridgeStan, built. Nothing where
/// the folder is none of these.
[[nodiscard]] std::optional<StanToolchain> toolchain_in(const std::filesystem::path& folder);

/// Where `darboux stan install` puts Stan.
[[nodiscard]] std::filesystem::path installed_toolchain_folder();

/// The one to use: in `asked`, or where that is empty in the folder that DARBOUX_STAN names; else an installed BridgeStan
/// (BRIDGESTAN, ~/.bridgestan) or CmdStan (CMDSTAN, ~/.cmdstan), the newest; else what `darboux stan install` left; else the `last`
/// folder. Throws InputError that says how to get one.
[[nodiscard]] StanToolchain find_toolchain(const std::filesystem::path& asked, const std::filesystem::path& last = {});

}  // namespace darboux
