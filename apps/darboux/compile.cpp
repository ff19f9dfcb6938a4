#include "stan/compile.hpp"

#include <fmt/format.h>

#include <darboux/core/error.hpp>

#include "command.hpp"
#include "compilation.hpp"

namespace darboux::cli {

Subcommand add_compile(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("compile", "compile a Stan program, without sampling");
  struct Options {
    std::string program, stan;
  };
  const auto options = std::make_shared<Options>();
  parser->add_option("PROGRAM", options->program, "a Stan program, NAME.stan")->required();
  parser->add_option("--stan", options->stan, "folder with the Stan to compile with; see darboux stan where")
      ->type_name("DIR");
  parser->footer(
      "Prints where the library is: it has BridgeStan's C interface, darboux sample takes it in the program's place, "
      "and so do "
      "clients of BridgeStan. darboux sample compiles by itself what is not compiled yet.\n"
      "\n"
      "Example:\n"
      "  darboux compile schools.stan");
  return {parser, [options] {
            if (!options->program.ends_with(".stan"))
              throw InputError(fmt::format("{}: must be a Stan program, NAME.stan{}", options->program,
                                           options->program.ends_with(".so") ? "; this one is compiled already" : ""));
            const CompiledProgram compiled =
                compile_stan(options->program, find_toolchain(options->stan), compilation_told());
            if (!compiled.notes.empty()) fmt::print(stderr, "{}", compiled.notes);
            fmt::print("{}\n", compiled.library.string());
            return 0;
          }};
}

}  // namespace darboux::cli
