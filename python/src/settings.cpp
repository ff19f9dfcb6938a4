#include "settings.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"

namespace nb = nanobind;

namespace darboux::python {

namespace {

/// Whether a setting is one of sampling, rather than of the command line's models, files and output.
bool is_for_sampling(const Field<RunConfig>& field) {
  return field.group != groups::model && (field.group != groups::output || field.name == "tuning");
}

std::string in_python(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Throws InputError for a name that is none of a setting's, or one of the command line's alone. `others` are further names in Python.
void require_setting(const std::string& name, const std::vector<std::string>& others) {
  std::vector<std::string> known = others;
  for (const auto& field : run_fields()) {
    if (is_for_sampling(field) && field.is_called(name)) return;
    if (field.is_called(name))
      throw InputError(fmt::format("{}: is for the command line, and has no meaning in Python", in_python(name)));
    if (is_for_sampling(field)) known.push_back(in_python(field.name));
  }
  throw InputError(unknown_name("setting", in_python(name), std::vector<std::string_view>(known.begin(), known.end())));
}

}  // namespace

std::string message_in_python(std::string message) {
  const auto is_letter = [&](std::size_t place) {
    return place < message.size() &&
           (std::isalnum(static_cast<unsigned char>(message[place])) || message[place] == '-');
  };
  for (const auto& field : run_fields())
    for (const auto& [here, there] :
         {std::pair(fmt::format("--{} {}", field.name, field.takes),
                    fmt::format("{}={}", in_python(field.name), field.takes)),
          std::pair("--" + field.name, in_python(field.name)), std::pair(field.name, in_python(field.name))}) {
      if (here == there) continue;
      for (std::size_t at = 0; (at = message.find(here, at)) != std::string::npos; at += there.size())
        if (!is_letter(at - 1) && !is_letter(at + here.size())) message.replace(at, here.size(), there);
    }
  return message;
}

Config config_of(const std::string& model, const nb::dict& given, const std::vector<std::string>& others,
                 const std::optional<PoissonStructure>& structure, const std::optional<Tuning>& tuning,
                 const std::optional<FloatMatrix>& starts, const std::vector<double>& initial_point) {
  Config config;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    require_setting(name, others);
    for (const Renamed& renamed : set_field(config, name, nb::cast<std::string>(value)))
      nb::module_::import_("warnings")
          .attr("warn")(note_on(renamed, ""), nb::module_::import_("builtins").attr("FutureWarning"));
  }
  config.model = model;
  config.structure = structure;
  config.tuning = tuning;
  if (starts) {
    config.starts.emplace(static_cast<Index>(starts->shape(1)), static_cast<Index>(starts->shape(0)));
    for (Index lane = 0; lane < config.starts->lanes(); ++lane)
      for (Index j = 0; j < config.starts->rows(); ++j)
        (*config.starts)(j, lane) = starts->data()[lane * config.starts->rows() + j];
  } else if (!initial_point.empty()) {
    config.starts.emplace(std::ssize(initial_point), config.chains);
    for (Index lane = 0; lane < config.chains; ++lane)
      for (Index j = 0; j < config.starts->rows(); ++j) (*config.starts)(j, lane) = initial_point[at(j)];
    config.starts_are_the_models = true;
  }
  return config;
}

std::string rerun_call(const Config& config, std::uint64_t seed) {
  std::string call = fmt::format("darboux.sample(model, seed={}", seed);
  const RunConfig defaults;
  for (const auto& field : run_fields()) {
    const auto value = field.get(config);
    if (!is_for_sampling(field) || field.name == "seed" || !value || value == field.get(defaults)) continue;
    const bool is_text = std::holds_alternative<std::string>(value->value());
    call += fmt::format(", {}={}", in_python(field.name),
                        field.is_switch ? "True"
                        : is_text       ? fmt::format("\"{}\"", text_of(*value))
                                        : text_of(*value));
  }
  if (config.structure) call += ", structure=structure";
  if (config.tuning) call += ", tuning=tuning";
  if (config.starts && !config.starts_are_the_models) call += ", init=points";
  return call + ")";
}

nb::list settings() {
  nb::list out;
  for (const auto& field : run_fields())
    if (is_for_sampling(field)) out.append(nb::make_tuple(field.name, field.takes, field.help));
  return out;
}

}  // namespace darboux::python
