#include <fmt/format.h>

#include <darboux/core/error.hpp>

#include "command.hpp"
#include "core/field_table.hpp"
#include "integrate/integrator.hpp"
#include "output_file.hpp"
#include "rerun.hpp"
#include "run/structure_choice.hpp"
#include "settings.hpp"
#include "structure/structure_facts.hpp"
#include "structure/structure_json.hpp"

namespace darboux::cli {

namespace {

struct Flags {
  std::string structure, write;
};

/// Of a file the dimension is its own; a named structure needs to be told.
PoissonStructure choose(const RunConfig& config) {
  if (!config.structure_source.ends_with(".json")) return plan_structure(config, config.dimension.value_or(2));
  if (config.dimension) throw InputError("dimension is for named structures: that of a file is its own");
  return plan_structure(config, read_structure(config.structure_source).dim());
}

void print_block(std::string_view letter, const StructureFacts::Block& block) {
  fmt::print("  {}  {:<9} norm {:.4g}\n", letter, name(block.kind), block.norm);
}

/// All of a short list, the ends of a long one.
std::string listed(const std::vector<double>& values) {
  constexpr std::size_t most = 12, head = 8, tail = 3;
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.size() > most && i == head) {
      text += fmt::format(" … {} more …", values.size() - head - tail);
      i = values.size() - tail;
    }
    text += fmt::format(" {:.4g}", values[i]);
  }
  return text;
}

void print_bases(const StructureFacts& facts) {
  if (!facts.invertible) return;
  if (!*facts.invertible) {
    fmt::print(
        "\nThe Poisson matrix is singular: no Darboux basis exists, so explicit and doubled cannot be used.\n"
        "midpoint and split-midpoint can.\n");
    return;
  }
  fmt::print("\nDarboux bases          norm of B   residual\n");
  for (const StructureFacts::Basis& basis : facts.bases)
    fmt::print("  {:<18} {:>11.4g}   {:.0e}\n", name(basis.method), basis.norm, basis.residual);
}

/// Those on two copies ask for a Darboux basis and for nothing else, others for which of E and G are 0: a small structure tells as well.
bool suits(IntegratorKind kind, const PoissonStructure& structure, const StructureFacts& facts) {
  if (traits_of(kind).doubled_space) return facts.invertible.value_or(false);
  const Matrix zero(2, 2), skew{{0.0, 0.5}, {-0.5, 0.0}};
  const auto like = [&](const StructuredMatrix& block) { return block.is_zero() ? zero : skew; };
  try {
    (void)Integrator(kind, PoissonStructure::from_blocks(like(structure.E()), Matrix::identity(2), like(structure.G())),
                     {});
    return true;
  } catch (const StructureError&) {
    return false;
  }
}

void print_integrators(const PoissonStructure& structure, const StructureFacts& facts) {
  std::string usable;
  for (const IntegratorKind kind : all_values<IntegratorKind>()) {
    if (!suits(kind, structure, facts)) continue;
    usable += fmt::format("{}{}{}", usable.empty() ? "" : ", ", name(kind),
                          traits_of(kind).exactness == Exactness::approximate ? " (APPROXIMATE)" : "");
  }
  fmt::print("\nIntegrators that can use it: {}{}. Chosen by default: {}.\n", usable,
             facts.invertible ? "" : "; explicit and doubled, if it has a Darboux basis",
             name(cheapest_exact_integrator(structure)));
}

int inspect(const Settings& settings, const Flags& flags) {
  RunConfig config = settings.gather();
  if (!flags.structure.empty()) {
    if (settings.gives("structure"))
      throw InputError(fmt::format("{} and --structure {} both name the structure: must be one", flags.structure,
                                   config.structure_source));
    config.structure_source = flags.structure;
  }
  require_new("--write", flags.write);
  const PoissonStructure structure = choose(config);
  const StructureFacts facts = facts_of(structure);
  if (config.structure_source == automatic_structure) {
    const ChosenStructure chosen = choose_structure();
    fmt::print("auto is {}: {}.\n\n", name(chosen.recipe), chosen.reason);
  }
  fmt::print("Poisson matrix [[E, A], [-A', G]] of {} positions and as many momenta\n\n", structure.dim());
  print_block("E", facts.E);
  print_block("A", facts.A);
  print_block("G", facts.G);
  if (!facts.rates.empty()) fmt::print("\nEigenvalues ±i times{}\n", listed(facts.rates));
  print_bases(facts);
  for (const std::string& what : facts.not_computed) fmt::print("\nNot computed: {}.\n", what);
  print_integrators(structure, facts);
  if (flags.write == "-") {
    fmt::print("\n{}\n", structure_to_json(structure));
  } else if (!flags.write.empty()) {
    write_structure(structure, flags.write);
    fmt::print("\nWritten to {}: darboux sample … --structure {}\n", flags.write, quoted(flags.write));
  }
  return 0;
}

}  // namespace

Subcommand add_structure(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("structure", "inspect a phase space: eigenvalues, Darboux bases, integrators");
  const auto flags = std::make_shared<Flags>();
  parser->add_option("STRUCTURE", flags->structure, joined(structure_names(), ", ") + ", or a JSON file");
  const auto settings = add_settings(*parser, {"dimension", groups::phase_space});
  parser->add_option("--write", flags->write, "also write it as JSON to a new file, for --structure; - prints it")
      ->type_name("FILE");
  parser->footer(
      "Examples:\n"
      "  darboux structure coupled --dimension 5 --strength 1\n"
      "  darboux structure magnetic-momentum --dimension 20 --k 2 --structure-seed 3 --write mine.json\n"
      "  darboux structure mine.json");
  return {parser, [settings, flags] { return inspect(*settings, *flags); }};
}

}  // namespace darboux::cli
