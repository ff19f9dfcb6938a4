#pragma once

#include <string>
#include <vector>

#include "darboux/stan/stan_model.hpp"
#include "io/process.hpp"

namespace darboux {

/// Runs a program that takes a while; whoever watches is told what is going on, and when it is done.
[[nodiscard]] ProgramEnd watched(const std::vector<std::string>& program_and_arguments, const std::string& what,
                                 const CompilationWatch& watch);

}  // namespace darboux
