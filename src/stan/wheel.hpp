#pragma once

#include <filesystem>
#include <string_view>

#include "darboux/stan/stan_model.hpp"
#include "stan/toolchain.hpp"

namespace darboux {

/// The package of PyPI that carries all of Stan: translator, headers, SUNDIALS and TBB.
struct StanWheel {
  static constexpr std::string_view package = "httpstan";
  static constexpr std::string_view version = "4.17.0";
  static constexpr std::string_view python = "3.12";
  static constexpr std::string_view platform = "manylinux2014_x86_64";
  static constexpr std::string_view sha256 = "7f73e29a415718ddc45e4703c0253a9d4adc6a21aa7110ccf36821a0f94202cd";
  static constexpr std::string_view stan_version = "2.39.0";
};

/// Fetches it by pip, or takes the wheel that is given, checks it, and unpacks it into installed_toolchain_folder(): completely or
/// not at all. Says what is there where it is there already. Throws Error with what to do.
StanToolchain install_stan(const std::filesystem::path& wheel, const CompilationWatch& watch);

}  // namespace darboux
