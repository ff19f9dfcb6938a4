#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "darboux/stan/stan_model.hpp"
#include "io/process.hpp"

namespace darboux {

/// Runs a program that takes a while; whoever watches is told what is going on, and when it is done.
[[nodiscard]] ProgramEnd watched(const std::vector<std::string>& program_and_arguments, const std::string& what,
                                 const CompilationWatch& watch);

/// A new folder beside what is being made, so that what is finished can be renamed; it goes with its owner.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& beside);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace darboux
