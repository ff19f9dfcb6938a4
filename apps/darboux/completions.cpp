#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <darboux/core/enumeration.hpp>
#include <darboux/core/error.hpp>
#include <darboux/model/registry.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "experiments/experiment.hpp"
#include "output_file.hpp"
#include "rerun.hpp"
#include "run/structure_choice.hpp"

namespace darboux::cli {

namespace {

/// What a shell can offer in a value's place: nothing, where that is a number or a name of the user's own.
struct Candidates {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;  ///< files that are folders, where `files` is not set
};
struct Flag {
  std::string name;     ///< without its dashes
  std::string meaning;  ///< in few words
  std::string value;    ///< as --help calls it, "static|chees|nuts" or "FILE"; empty for a switch
};
struct Command {
  std::string name;
  std::string meaning;
  std::vector<Flag> flags;
  std::string operand;  ///< "MODEL", "DIR|CSV", or empty
  bool takes_many = false;
};
struct Program {
  std::vector<Flag> flags;
  std::vector<Command> commands;
};

/// The names that a word in capitals stands for, in the help.
std::vector<std::string> named(std::string_view placeholder) {
  std::vector<std::string> names;
  if (placeholder == "MODEL")
    for (const BuiltInModel& model : built_in_models()) names.emplace_back(model.name);
  if (placeholder == "STRUCTURE" || placeholder == "NAME")
    for (const std::string_view structure : structure_names()) names.emplace_back(structure);
  if (placeholder == "WHAT") {
    for (const std::string_view experiment : experiments::experiment_names()) names.emplace_back(experiment);
    names.emplace_back("all");
  }
  return names;
}

/// Of "uniform|prior|mode|FILE": words as they are, and what the capitals mean.
Candidates candidates(const std::string& value) {
  Candidates all;
  for (const std::string& part : CLI::detail::split(value, '|')) {
    if (part == "FILE" || part == "CSV" || part == "STRUCTURE") all.files = true;
    if (part == "DIR") all.folders = true;
    if (!part.empty() && std::isupper(static_cast<unsigned char>(part.front())) == 0) all.words.push_back(part);
    for (std::string& name : named(part)) all.words.push_back(std::move(name));
  }
  return all;
}

Command describe(const CLI::App& parser) {
  Command command{.name = parser.get_name(), .meaning = parser.get_description(), .flags = {}, .operand = {}};
  for (const CLI::Option* option : parser.get_options()) {
    if (option->get_positional()) {
      command.operand = option->get_name(true);
      command.takes_many = option->get_expected_max() > 1;
    } else if (!option->get_group().empty()) {  // without a heading: not to be listed
      const std::string& all = option->get_description();
      command.flags.push_back({.name = option->get_lnames().front(),
                               .meaning = all.substr(0, std::min(all.find("; "), all.find(". "))),
                               .value = option->get_type_size() > 0 ? option->get_type_name() : ""});
    }
  }
  return command;
}

Program describe_all(const CLI::App& root) {
  Program program{.flags = describe(root).flags, .commands = {}};
  for (const CLI::App* subcommand : root.get_subcommands({})) program.commands.push_back(describe(*subcommand));
  return program;
}

std::string escaped(const std::string& text, std::string_view characters) {
  std::string safe;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

// ---------------------------------------------------------------------------------------------------------------- bash

constexpr std::string_view bash_beginning = R"bash(# Completions of darboux for bash, made by: darboux completions bash
_darboux() {
  local command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local flags='' words='' files='' i
  ((COMP_CWORD > 1)) || command=''
  if [[ $word == '=' ]]; then word=''  # of --flag=value, which bash takes for three words
  elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  case $command in
)bash";
constexpr std::string_view bash_middle = R"bash(  esac
  for ((i = 2; i < COMP_CWORD; i++)); do  # one of them is enough
    [[ " $words " != *" ${COMP_WORDS[i]} "* ]] || words='' files=''
  done
  case "$command $before" in
)bash";
constexpr std::string_view bash_end = R"bash(  esac
  [[ $word != -* && -n $words$files ]] || words=$flags files=''
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ -z $files ]] || compopt -o "$files" 2>/dev/null  # files or folders, as readline finds them, where no word fits
}
complete -F _darboux darboux
)bash";

std::string bash_values(const Candidates& values) {
  return fmt::format("words='{}' files={}", fmt::join(values.words, " "),
                     values.files     ? "default"
                     : values.folders ? "dirnames"
                                      : "''");
}

std::string bash_command(const std::string& name, const std::vector<Flag>& flags, const Candidates& operands) {
  std::string all;
  for (const Flag& flag : flags) all += fmt::format(" --{}", flag.name);
  return fmt::format("    '{}') flags='{}' {} ;;\n", name, all, bash_values(operands));
}

std::string bash(const Program& program) {
  Candidates names;
  for (const Command& command : program.commands) names.words.push_back(command.name);
  std::string script = std::string(bash_beginning) + bash_command("", program.flags, names);
  for (const Command& command : program.commands)
    script += bash_command(command.name, command.flags, candidates(command.operand));
  script += bash_middle;
  for (const Command& command : program.commands)
    for (const Flag& flag : command.flags)
      if (!flag.value.empty())
        script += fmt::format("    '{} --{}') flags='' {} ;;\n", command.name, flag.name,
                              bash_values(candidates(flag.value)));
  return script += bash_end;
}

// ----------------------------------------------------------------------------------------------------------------- zsh

constexpr std::string_view zsh_beginning = R"zsh(#compdef darboux
# Made by: darboux completions zsh
_darboux_or_files() { _alternative "words:word:($*)" 'files:file:_files' }
_darboux() {
  local -a line commands
  local state
  commands=(
)zsh";
constexpr std::string_view zsh_middle = R"zsh( '1:command:->command' '*::word:->words'
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $line[1] in
)zsh";
constexpr std::string_view zsh_end = R"zsh(  esac
}
if [[ $funcstack[1] == _darboux ]]; then _darboux "$@"; else compdef _darboux darboux; fi
)zsh";

/// The message and the action of _arguments for a value.
std::string zsh_value(const std::string& value) {
  const Candidates values = candidates(value);
  const std::string words = fmt::format("{}", fmt::join(values.words, " "));
  std::string action = " ";  // shows the message only
  if (values.files)
    action = words.empty() ? "_files" : " _darboux_or_files " + words;
  else if (values.folders)
    action = "_files -/";
  else if (!words.empty())
    action = "(" + words + ")";
  return fmt::format(":{}:{}", value, action);
}

/// A line of the arguments of _arguments.
std::string zsh_line(const std::string& argument) { return " \\\n      " + quoted(argument); }

std::string zsh_flags(const std::vector<Flag>& flags) {
  std::string lines;
  for (const Flag& flag : flags)
    lines += zsh_line(fmt::format("--{}{}[{}]{}", flag.name, flag.value.empty() ? "" : "=",
                                  escaped(flag.meaning, "[]:\\"), flag.value.empty() ? "" : zsh_value(flag.value)));
  return lines;
}

std::string zsh(const Program& program) {
  std::string script(zsh_beginning);
  for (const Command& command : program.commands)
    script += fmt::format("    {}\n", quoted(fmt::format("{}:{}", command.name, escaped(command.meaning, ":\\"))));
  script += "  )\n  _arguments -C" + zsh_flags(program.flags);
  script += zsh_middle;
  for (const Command& command : program.commands) {
    script += fmt::format("    {}) _arguments{}", command.name, zsh_flags(command.flags));
    if (!command.operand.empty()) script += zsh_line((command.takes_many ? "*" : "1") + zsh_value(command.operand));
    script += " ;;\n";
  }
  return script += zsh_end;
}

// ---------------------------------------------------------------------------------------------------------------- fish

std::string fish_quoted(const std::string& text) { return "'" + escaped(text, "\\'") + "'"; }

std::string fish_values(const Candidates& values) {
  std::string offered = fmt::format("{}", fmt::join(values.words, " "));
  if (!values.files && values.folders) offered += "(__fish_complete_directories)";
  return (values.files ? " --force-files" : " --no-files") + (offered.empty() ? "" : " -a " + fish_quoted(offered));
}

/// What fish completes where `condition` holds.
std::string fish_line(const std::string& condition, const std::string& what) {
  return fmt::format("complete -c darboux -n {}{}\n", fish_quoted(condition), what);
}

std::string fish_flags(const std::string& condition, const std::vector<Flag>& flags) {
  std::string lines;
  for (const Flag& flag : flags)
    lines += fish_line(condition, fmt::format(" -l {}{} -d {}", flag.name,
                                              flag.value.empty() ? "" : " -r" + fish_values(candidates(flag.value)),
                                              fish_quoted(flag.meaning)));
  return lines;
}

std::string fish(const Program& program) {
  const std::string before_command = "__fish_use_subcommand";
  std::string script = "# Completions of darboux for fish, made by: darboux completions fish\ncomplete -c darboux -f\n";
  script += fish_flags(before_command, program.flags);
  for (const Command& command : program.commands) {
    script += fish_line(before_command, fmt::format(" -a {} -d {}", command.name, fish_quoted(command.meaning)));
    std::string chosen = "__fish_seen_subcommand_from " + command.name;
    script += fish_flags(chosen, command.flags);
    if (command.operand.empty()) continue;
    const Candidates operands = candidates(command.operand);
    if (!operands.words.empty())  // one of them is enough
      chosen += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(operands.words, " "));
    script += fish_line(chosen, fish_values(operands));
  }
  return script;
}

std::string completions(const std::string& shell, const CLI::App& root) {
  using Writer = std::string (*)(const Program&);
  constexpr std::array<std::string_view, 3> shells{"bash", "zsh", "fish"};
  constexpr std::array<Writer, 3> writers{bash, zsh, fish};
  if (shell.empty()) throw InputError("which shell? Name one: darboux completions bash, zsh or fish");
  for (std::size_t i = 0; i < shells.size(); ++i)
    if (shell == shells.at(i)) return writers.at(i)(describe_all(root));
  refuse_name("shell", shell, shells);
}

}  // namespace

Subcommand add_completions(CLI::App& root) {
  struct Flags {
    std::string shell;
    std::string out = "-";
  };
  CLI::App* parser = root.add_subcommand("completions", "print what lets a shell complete commands, flags and values");
  const auto flags = std::make_shared<Flags>();
  parser->add_option("bash|zsh|fish", flags->shell, "the shell");
  parser->add_option("--out", flags->out, "write it to this file")->type_name("FILE");
  parser->footer(
      "./dev install puts all three where the shells look for them. By hand:\n"
      "  source <(darboux completions bash)                 in ~/.bashrc\n"
      "  source <(darboux completions zsh)                  in ~/.zshrc, after compinit\n"
      "  darboux completions fish | source                  in ~/.config/fish/config.fish");
  return {parser, [&root, flags] {
            const std::string text = completions(flags->shell, root);
            require_writable("--out", flags->out, "completion script for " + flags->shell,
                             std::string_view(text).substr(0, text.find('\n')));
            write_output(flags->out, text);
            return 0;
          }};
}

}  // namespace darboux::cli
