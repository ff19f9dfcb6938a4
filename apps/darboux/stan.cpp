#include <fmt/format.h>

#include "command.hpp"
#include "compilation.hpp"
#include "stan/compile.hpp"
#include "stan/wheel.hpp"

namespace darboux::cli {

namespace {

struct Options {
  std::string wheel, stan;
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
  CLI::App* install_parser = parser->add_subcommand("install", "fetch Stan from PyPI, 35 MB, and unpack it, 150 MB");
  install_parser->add_option("--wheel", options->wheel, "the package, fetched before: no network is needed then")
      ->type_name("FILE");
  install_parser->add_flag(
      "--small", options->small,
      "without compiling Stan's headers ahead, which takes a minute and 0.8 GB of the cache and halves "
      "the time of every compilation");
  CLI::App* where_parser = parser->add_subcommand("where", "print the folder of the Stan that is used");
  where_parser->add_option("--stan", options->stan, "ask about this folder")->type_name("DIR");
  parser->require_subcommand(1);
  parser->footer(
      "Stan is looked for in this order: --stan DIR; DARBOUX_STAN; an installed BridgeStan (BRIDGESTAN, ~/.bridgestan) "
      "or "
      "CmdStan (CMDSTAN, ~/.cmdstan), built; what darboux stan install has left.\n"
      "\n"
      "Examples:\n"
      "  darboux stan install\n"
      "  darboux stan where");
  return {parser, [options, install_parser] { return install_parser->parsed() ? install(*options) : show(*options); }};
}

}  // namespace darboux::cli
