#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

/// The subcommands of `darboux`: each file adds one to the parser and says what to do when it was chosen. They parse, plan,
/// call the library, and print; numerics are elsewhere.
namespace darboux::cli {

/// What a subcommand does once its options are parsed. Returns the exit status; throws InputError for bad input (exit 2) and
/// anything else for failures (exit 1).
using Action = std::function<int()>;

struct Subcommand {
  CLI::App* parser = nullptr;
  Action run;
  bool is_for_several = false;  ///< processes that a launcher started together; others are refused there
};

[[nodiscard]] Subcommand add_sample(CLI::App& root);
[[nodiscard]] Subcommand add_resume(CLI::App& root);
[[nodiscard]] Subcommand add_merge(CLI::App& root);
[[nodiscard]] Subcommand add_summary(CLI::App& root);
[[nodiscard]] Subcommand add_report(CLI::App& root);
[[nodiscard]] Subcommand add_convert(CLI::App& root);
[[nodiscard]] Subcommand add_structure(CLI::App& root);
[[nodiscard]] Subcommand add_check(CLI::App& root);
[[nodiscard]] Subcommand add_compare(CLI::App& root);
[[nodiscard]] Subcommand add_reproduce(CLI::App& root);
[[nodiscard]] Subcommand add_models(CLI::App& root);
[[nodiscard]] Subcommand add_compile(CLI::App& root);
[[nodiscard]] Subcommand add_stan(CLI::App& root);
/// These two describe all subcommands of `root`.
[[nodiscard]] Subcommand add_completions(CLI::App& root);
[[nodiscard]] Subcommand add_manual(CLI::App& root);

}  // namespace darboux::cli
