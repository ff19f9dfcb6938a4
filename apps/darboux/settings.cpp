#include "settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <darboux/core/error.hpp>

#include "report/printable_text.hpp"

namespace darboux::cli {

RunConfig Settings::gather() const {
  RunConfig config;
  std::vector<std::string> notes;
  if (!config_file.empty()) notes = read_config(config, config_file);
  for (const auto& [name, value] : given)
    for (const Renamed& renamed : set_field(config, name, value)) {
      if (gives(renamed.now))
        throw InputError(fmt::format("--{} is the former name of --{}: give one of them", renamed.former, renamed.now));
      notes.push_back(note_on(renamed, "--"));
    }
  if (gives("chains") && gives("chain-ids"))
    throw InputError("--chains and --chain-ids are two ways to say how many chains there are: give one of them");
  tell(notes);
  return config;
}

void tell(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "darboux: {}\n", printable(note));
}

bool Settings::gives(std::string_view name) const {
  return std::any_of(given.begin(), given.end(), [&](const auto& one) { return one.first == name; });
}

namespace {

CLI::Option* add_flag(CLI::App& parser, const std::shared_ptr<Settings>& settings, const Field<RunConfig>& field,
                      const std::string& name) {
  const auto remember = [settings, name](const std::string& value) { settings->given.emplace_back(name, value); };
  const auto switch_on = [remember](std::int64_t) { remember("true"); };
  if (field.is_switch)
    return parser.add_flag_function("--" + name, switch_on, field.help)->disable_flag_override();  // --quiet=maybe
  CLI::Option* const option =
      parser.add_option_function<std::string>("--" + name, remember, field.help)->type_name(field.takes);
  return field.is_list ? option->trigger_on_parse() : option;
}

}  // namespace

std::shared_ptr<Settings> add_settings(CLI::App& parser, std::initializer_list<std::string_view> headings_or_names) {
  const auto settings = std::make_shared<Settings>();
  const auto is_wanted = [&](const Field<RunConfig>& field) {
    return headings_or_names.size() == 0 ||
           std::any_of(headings_or_names.begin(), headings_or_names.end(),
                       [&](std::string_view wanted) { return wanted == field.group || wanted == field.name; });
  };
  for (const Field<RunConfig>& field : run_fields()) {
    if (!is_wanted(field)) continue;
    CLI::Option* const option = add_flag(parser, settings, field, field.name);
    if (const auto standard = field.get(RunConfig{}); standard && !field.is_switch)
      option->default_str(text_of(*standard));
    option->group(field.group);
    for (const std::string& former : field.former)
      add_flag(parser, settings, field, former)->group("");  // no heading: not listed
  }
  parser
      .add_option(
          "--config", settings->config_file,
          "TOML file with any of these settings (chains = 8); flags win. Paths in it are as in flags: from the working "
          "directory, not from the file")
      ->type_name("FILE");
  return settings;
}

}  // namespace darboux::cli
