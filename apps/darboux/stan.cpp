#include <fmt/format.h>

#include <darboux/core/error.hpp>

#include "command.hpp"
#include "compilation.hpp"
#include "stan/compile.hpp"
#include "stan/wheel.hpp"

namespace darboux::cli {

namespace {

struct Options {
  std::string action, wheel, stan;
  bool small = false;
};

int install(const Options& options) {
  const StanToolchain stan = install_stan(options.wheel, compilation_told());
  if (!options.small) precompile_headers(stan, compilation_told());
  fmt::print("Stan {} is in {}\n", stan.version, stan.root.string());
  return 0;
}

int show(const Options& options) {
  fmt::print("{}\n", find_toolchain(options.stan).root.string());
  return 0;
}

}  // namespace

Subcommand add_stan(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("stan", "get the Stan that compiles programs, or say where it is");
  const auto options = std::make_shared<Options>();
  parser->add_option(
      "install|where", options->action,
      "fetch Stan from PyPI (35 MB) and unpack it (150 MB); or print the folder of the Stan that is used");
  parser->add_option("--wheel", options->wheel, "of install: the package, fetched before; no network is needed then")
      ->type_name("FILE");
  parser->add_flag(
      "--small", options->small,
      "of install: do not compile Stan's headers ahead, which takes a minute and 0.8 GB of the cache and halves "
      "the time of every compilation");
  parser->add_option("--stan", options->stan, "of where: ask about this folder")->type_name("DIR");
  parser->footer(
      "Stan is looked for in this order: --stan DIR; DARBOUX_STAN; an installed BridgeStan (BRIDGESTAN, ~/.bridgestan) "
      "or "
      "CmdStan (CMDSTAN, ~/.cmdstan), built; what darboux stan install has left.\n"
      "\n"
      "Examples:\n"
      "  darboux stan install\n"
      "  darboux stan where");
  return {parser, [options] {
            if (options->action == "install") return install(*options);
            if (options->action == "where") return show(*options);
            throw InputError(fmt::format("stan: {}must be install or where",
                                         options->action.empty() ? "" : fmt::format("\"{}\": ", options->action)));
          }};
}

}  // namespace darboux::cli
