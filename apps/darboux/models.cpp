#include <fmt/format.h>

#include <darboux/model/registry.hpp>

#include "command.hpp"

namespace darboux::cli {

Subcommand add_models(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("models", "list the built-in models and the settings each takes");
  return {parser, [] {
            for (const BuiltInModel& model : built_in_models()) {
              fmt::print("{:<21} {}\n", model.name, model.description);
              if (!model.shows.empty()) fmt::print("{:<21}   shows: {}\n", "", model.shows);
              if (!model.options.empty()) fmt::print("{:<21}   takes: {}\n", "", model.options);
            }
            fmt::print("{:<21} {}\n", "NAME.stan", "a Stan program, or NAME.so, one that is compiled");
            fmt::print("{:<21}   takes: data stan\n", "");
            return 0;
          }};
}

}  // namespace darboux::cli
