#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "run/run_config.hpp"

namespace darboux {

/// The model that a run is told to sample from: a built-in one by name, or a Stan program by its file. Throws InputError, also for
/// settings that are not for this kind of model. Where rows are shared out, `lead` leads the processes that have them.
[[nodiscard]] std::shared_ptr<const Model> open_model(const RunConfig& config, const CompilationWatch& watch,
                                                      const Lead& lead = Lead(alone()));

/// Throws InputError where data are several files (part-*.csv.gz) that would be read as one.
void refuse_pattern(const RunConfig& config);

/// Whether it is a Stan program, compiled or not, rather than a name.
[[nodiscard]] bool is_stan(const std::string& model);

/// The files that a Stan program includes, and those that these include, by the names that they are included by: from the folder of
/// the program. Such that cannot be read are left out; Stan says so.
[[nodiscard]] std::map<std::string, std::filesystem::path> included_files(const std::filesystem::path& program);

/// What a model is called where files and folders get its name: schools.stan and schools_model.so are schools.
[[nodiscard]] std::string short_name(const std::string& model);

}  // namespace darboux
