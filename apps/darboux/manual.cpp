#include <fmt/format.h>

#include <algorithm>
#include <darboux/version.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "output_file.hpp"

namespace darboux::cli {

namespace {

/// What both forms of the manual are made of.
struct Entry {
  std::string flag;     ///< "--chains N", or the name of an argument
  std::string meaning;  ///< with its default
};
struct Section {
  std::string title;
  std::vector<Entry> entries;
};

Entry describe(const CLI::Option& option) {
  Entry entry{.flag = option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front(),
              .meaning = option.get_description()};
  if (!option.get_positional() && option.get_type_size() > 0 && !option.get_type_name().empty())
    entry.flag += " " + option.get_type_name();
  if (!option.get_default_str().empty()) entry.meaning += fmt::format(" (default {})", option.get_default_str());
  return entry;
}

/// The options of a subcommand under their headings, in their order; --help is the same everywhere and left out.
std::vector<Section> sections(const CLI::App& command) {
  std::vector<Section> all;
  for (const CLI::Option* option : command.get_options()) {
    const std::string& title = option->get_group();
    if (option == command.get_help_ptr() || title.empty()) continue;  // without a heading: not to be listed
    auto section = std::find_if(all.begin(), all.end(), [&](const Section& s) { return s.title == title; });
    if (section == all.end()) section = all.insert(all.end(), Section{title, {}});
    section->entries.push_back(describe(*option));
  }
  return all;
}

std::string usage(const CLI::App& command) {
  std::string text = "darboux " + command.get_name();
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) text += " " + option->get_name(true);
  return text + " [OPTIONS]";
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// Text as troff takes it: a backslash or a hyphen means something there, and so does a dot or quote at a line's beginning.
std::string troff(const std::string& text) {
  std::string safe = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  safe = replaced(replaced(safe, "\n.", "\n\\&."), "\n'", "\n\\&'");
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string man_page(const CLI::App& root) {
  std::string page = fmt::format(
      ".TH DARBOUX 1 \"\" \"darboux {}\"\n.SH NAME\ndarboux \\- {}\n.SH SYNOPSIS\n.B darboux\nCOMMAND [OPTIONS]\n",
      version(), troff(root.get_description()));
  for (const CLI::App* command : root.get_subcommands({})) {
    page += fmt::format(".SH \"DARBOUX {}\"\n.B {}\n.PP\n{}\n", troff(command->get_name()), troff(usage(*command)),
                        troff(command->get_description()));
    for (const Section& section : sections(*command)) {
      page += fmt::format(".SS {}\n", troff(section.title));
      for (const Entry& entry : section.entries)
        page += fmt::format(".TP\n.B {}\n{}\n", troff(entry.flag), troff(entry.meaning));
    }
    if (!command->get_footer().empty()) page += fmt::format(".PP\n.nf\n{}\n.fi\n", troff(command->get_footer()));
  }
  return page;
}

std::string markdown(const CLI::App& root) {
  const auto cell = [](const std::string& text) { return replaced(text, "|", "\\|"); };
  std::string page =
      "# The command line\n\nMade by `darboux manual --markdown` from the tables that `--help`, configuration files "
      "and validation use.\nA setting of `darboux sample` is a key in a TOML file, too: `--chains 8` is `chains = "
      "8`,\nand a path means the same in both, from the working directory.\n";
  for (const CLI::App* command : root.get_subcommands({})) {
    page +=
        fmt::format("\n## darboux {}\n\n`{}`: {}\n", command->get_name(), usage(*command), command->get_description());
    for (const Section& section : sections(*command)) {
      page += fmt::format("\n| {} | |\n|---|---|\n", section.title);
      for (const Entry& entry : section.entries)
        page += fmt::format("| `{}` | {} |\n", cell(entry.flag), cell(entry.meaning));
    }
    if (!command->get_footer().empty()) page += fmt::format("\n```text\n{}\n```\n", command->get_footer());
  }
  return page;
}

}  // namespace

Subcommand add_manual(CLI::App& root) {
  struct Flags {
    bool markdown = false;
    std::string out = "-";
  };
  CLI::App* parser = root.add_subcommand("manual", "print all of this as a manual page, or as Markdown");
  const auto flags = std::make_shared<Flags>();
  parser->add_flag("--markdown", flags->markdown, "Markdown instead of a page for man");
  parser->add_option("--out", flags->out, "write it to this file")->type_name("FILE");
  parser->footer("Example:\n  darboux manual | man -l -");
  return {parser, [&root, flags] {
            const std::string text = flags->markdown ? markdown(root) : man_page(root);
            require_writable("--out", flags->out, flags->markdown ? "manual in Markdown" : "manual page",
                             std::string_view(text).substr(0, text.find('\n')));
            write_output(flags->out, text);
            return 0;
          }};
}

}  // namespace darboux::cli
