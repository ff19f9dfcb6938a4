#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/types.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/process.hpp"

namespace darboux::testing {

/// What the build says of MPI: nothing where it was made without.
#ifdef DARBOUX_MPIRUN
inline constexpr const char* mpirun_program = DARBOUX_MPIRUN;
inline constexpr const char* mpi_module_path = DARBOUX_MPI_MODULE;
#else
inline constexpr const char* mpirun_program = "";
inline constexpr const char* mpi_module_path = "";
#endif

[[nodiscard]] inline std::string mpirun() { return mpirun_program; }
[[nodiscard]] inline std::string mpi_module_file() { return mpi_module_path; }

/// MPICH's launcher kills all processes at once where one dies, so that none of them says anything; Open MPI's gives them a second.
[[nodiscard]] inline bool launcher_spares_others() {
  static const std::string version = run_program({mpirun(), "--version"}).output;
  return version.find("Open MPI") != std::string::npos || version.find("OpenRTE") != std::string::npos;
}

/// Skips a test where there is no MPI. With it, mpirun starts as many processes as it is told, whoever asks for them and wherever; what leaks in
/// MPI itself is no finding of ours.
inline void need_mpi() {
  if (mpirun().empty()) GTEST_SKIP() << "this build has no MPI (DARBOUX_MPI=ON)";
  for (const char* variable :
       {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe",
        "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
    ::setenv(variable, "1", 1);
  const char* const asan = std::getenv("ASAN_OPTIONS");
  ::setenv("ASAN_OPTIONS", (std::string(asan == nullptr ? "" : asan) + ":detect_leaks=0").c_str(), 1);
}

/// The processes that a launcher started, by itself or by way of a helper.
[[nodiscard]] inline std::vector<pid_t> children_of(pid_t launcher) {
  const auto parent_of = [](const std::string& process) {
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("PPid:")) return std::stoi(line.substr(5));
    return 0;
  };
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string process = entry.path().filename().string();
    if (process.find_first_not_of("0123456789") != std::string::npos || parent_of(process) != launcher) continue;
    const std::vector<pid_t> theirs = children_of(std::stoi(process));
    if (theirs.empty()) children.push_back(std::stoi(process));
    children.insert(children.end(), theirs.begin(), theirs.end());
  }
  return children;
}

}  // namespace darboux::testing
