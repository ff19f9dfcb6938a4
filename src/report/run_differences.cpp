#include "report/run_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace darboux {

namespace {

struct Kinds {
  SettingKind kind;
  std::string_view names;  // between spaces
};

/// What is not listed is of the kind `other`.
constexpr std::array kinds{
    Kinds{SettingKind::model, " model stan dimension no-intercept "},
    Kinds{SettingKind::data, " data response positive columns drop category reference na separator decimal "},
    Kinds{SettingKind::prior, " prior-scale prior-intercept standardise "},
    Kinds{SettingKind::phase_space,
          " structure strength k structure-seed integrator order stages motion binding angle copy-spread "
          "tolerance reverse-check "},
    Kinds{SettingKind::rule,
          " trajectory steps step-size max-depth trajectory-time target-acceptance momentum-kept direction "
          "metric map "}};

/// No draw depends on these: where results go, how they are told, how many processors there are.
constexpr std::string_view without_influence =
    " out log quiet threads checkpoint-seconds format log-likelihood posterior-predictive save-warmup approximate "
    "structure-reason least-draws left-checkpoints ";

bool is_among(std::string_view name, std::string_view names) {
  return names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

std::string as_flag(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

using Settings = std::map<std::string, std::string>;

void add_entries(const ValueTree& tree, Settings& settings) {
  if (const auto* entries = std::get_if<ValueTree::Entries>(&tree.value()))
    for (const auto& [key, value] : *entries) settings[as_flag(key)] = text_of(value);
}

/// What was asked for, and what was decided in its place where it was left open.
Settings settings_of(const RunManifest& manifest) {
  Settings settings;
  add_entries(manifest.asked, settings);
  add_entries(manifest.decided, settings);
  return settings;
}

/// Two names of one file are no difference, and two files of one name are one.
void compare_files(const RunManifest& first, const RunManifest& second, Settings& a, Settings& b) {
  Settings of_first, of_second;
  add_entries(first.inputs, of_first);
  add_entries(second.inputs, of_second);
  for (const auto& [setting, checksum] : of_first) {
    const auto other = of_second.find(setting);
    if (other == of_second.end()) continue;
    if (checksum == other->second) {
      b[setting] = a[setting];
    } else if (a[setting] == b[setting]) {
      a[setting] += fmt::format(" ({})", checksum);
      b[setting] += fmt::format(" ({})", other->second);
    }
  }
}

void leave_out_what_follows(const RunManifest& first, const RunManifest& second, std::vector<RunDifference>& found) {
  constexpr std::string_view dimension = "dimension";
  const auto is_cause = [&](const RunDifference& one) {
    return one.kind <= SettingKind::data && one.name != dimension;
  };
  const bool is_asked = first.asked.find(dimension) != nullptr || second.asked.find(dimension) != nullptr;
  if (is_asked || std::ranges::none_of(found, is_cause)) return;
  std::erase_if(found, [&](const RunDifference& one) { return one.name == dimension; });
}

std::string shown(const std::string& value) { return value.empty() ? "not given" : value; }

}  // namespace

SettingKind kind_of_setting(std::string_view name) {
  for (const Kinds& some : kinds)
    if (is_among(name, some.names)) return some.kind;
  return SettingKind::other;
}

std::vector<RunDifference> differences(const RunManifest& first, const RunManifest& second) {
  Settings a = settings_of(first), b = settings_of(second);
  a["seed"] = std::to_string(first.seed);
  b["seed"] = std::to_string(second.seed);
  compare_files(first, second, a, b);
  std::vector<RunDifference> found;
  Settings names = a;
  names.insert(b.begin(), b.end());
  for (const auto& [name, value] : names) {
    if (is_among(name, without_influence) || a[name] == b[name]) continue;
    found.push_back({.kind = kind_of_setting(name), .name = name, .first = a[name], .second = b[name]});
  }
  leave_out_what_follows(first, second, found);
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {  // names are in order, each once
    return x.kind != y.kind ? x.kind < y.kind : x.name < y.name;
  });
  return found;
}

bool differ_in(std::span<const RunDifference> differences, SettingKind kind) {
  return std::any_of(differences.begin(), differences.end(), [=](const auto& one) { return one.kind == kind; });
}

std::string different_targets(std::span<const RunDifference> differences) {
  if (differ_in(differences, SettingKind::model)) return "models";
  const bool data = differ_in(differences, SettingKind::data), prior = differ_in(differences, SettingKind::prior);
  return data && prior ? "data and priors" : data ? "data" : prior ? "priors" : "";
}

std::string target_differences(std::span<const RunDifference> differences) {
  std::string text;
  for (const RunDifference& one : differences)
    if (one.kind <= SettingKind::prior)
      text += fmt::format("{}{} ({} and {})", text.empty() ? "" : ", ", one.name, shown(one.first), shown(one.second));
  return text;
}

}  // namespace darboux
