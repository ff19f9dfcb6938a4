#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/run_config.hpp"

namespace darboux::cli {

/// The settings of a run as a subcommand was given them: a configuration file, and flags, which win.
struct Settings {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> given;  ///< name and value, in their order

  /// Everything that was said, each value validated; the rest at its defaults.
  [[nodiscard]] RunConfig gather() const;
  /// Whether there is a flag of that name.
  [[nodiscard]] bool gives(std::string_view name) const;
};

/// Prints notes on what earlier versions called otherwise to standard error.
void tell(const std::vector<std::string>& notes);

/// Adds --config and a flag for every setting under one of these headings (all, if none is named) or of one of these names.
std::shared_ptr<Settings> add_settings(CLI::App& parser,
                                       std::initializer_list<std::string_view> headings_or_names = {});

}  // namespace darboux::cli
