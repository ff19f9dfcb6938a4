#include "rerun.hpp"

#include <algorithm>
#include <array>

namespace darboux::cli {

namespace {

/// Where results go and how progress is shown: no part of what is drawn.
constexpr std::array<std::string_view, 5> elsewhere{"out", "log", "quiet", "threads", "checkpoint-seconds"};

}  // namespace

std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_./:=+,@%-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

std::string rerun_command(const RunConfig& config) {
  std::string command = "darboux sample " + quoted(config.model);
  const RunConfig defaults;
  for (const auto& field : run_fields()) {
    if (std::find(elsewhere.begin(), elsewhere.end(), field.name) != elsewhere.end()) continue;
    const auto value = field.get(config);
    if (!value || value == field.get(defaults)) continue;
    command += " --" + field.name + (field.is_switch ? "" : " " + quoted(text_of(*value)));
  }
  if (!config.out.empty()) command += " --out " + quoted(config.out + "-again");
  return command;
}

}  // namespace darboux::cli
