#include "settings.hpp"

#include <algorithm>

namespace darboux::cli {

RunConfig Settings::gather() const {
  RunConfig config;
  if (!config_file.empty()) read_config(config, config_file);
  for (const auto& [name, value] : given) set_field(config, name, value);
  return config;
}

bool Settings::gives(std::string_view name) const {
  return std::any_of(given.begin(), given.end(), [&](const auto& one) { return one.first == name; });
}

std::shared_ptr<Settings> add_settings(CLI::App& parser, std::initializer_list<std::string_view> headings_or_names) {
  const auto settings = std::make_shared<Settings>();
  const auto is_wanted = [&](const Field<RunConfig>& field) {
    return headings_or_names.size() == 0 ||
           std::any_of(headings_or_names.begin(), headings_or_names.end(),
                       [&](std::string_view wanted) { return wanted == field.group || wanted == field.name; });
  };
  for (const Field<RunConfig>& field : run_fields()) {
    if (!is_wanted(field)) continue;
    const auto remember = [settings, name = field.name](const std::string& value) {
      settings->given.emplace_back(name, value);
    };
    CLI::Option* option = nullptr;
    if (field.is_switch) {
      option = parser.add_flag_function("--" + field.name, [remember](std::int64_t) { remember("true"); }, field.help);
      option->disable_flag_override();  // --quiet=maybe
    } else {
      option = parser.add_option_function<std::string>("--" + field.name, remember, field.help);
      option->type_name(field.takes);
    }
    if (const auto standard = field.get(RunConfig{}); standard && !field.is_switch)
      option->default_str(text_of(*standard));
    option->group(field.group);
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
