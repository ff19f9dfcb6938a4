#include "experiment.hpp"

#include <array>
#include <cctype>
#include <darboux/core/error.hpp>
#include <utility>

#include "core/spelling.hpp"

namespace darboux::experiments {

namespace {

using Maker = Experiment (*)(const Scale&);
constexpr std::array<std::pair<std::string_view, Maker>, 5> makers{{{"trajectories", trajectories_experiment},
                                                                    {"logistic", logistic_experiment},
                                                                    {"fitzhugh-nagumo", fitzhugh_nagumo_experiment},
                                                                    {"binding", binding_experiment},
                                                                    {"beyond", beyond_experiment}}};

std::string sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + '.';
}

}  // namespace

std::vector<ReportContrast> contrasts_of(const std::vector<Claim>& claims) {
  std::vector<ReportContrast> contrasts;
  for (const Claim& claim : claims)
    contrasts.push_back({.paper = sentence(claim.statement),
                         .here = sentence(claim.evidence),
                         .verdict = std::string(name(claim.verdict)),
                         .brief = claim.brief.empty() ? "" : sentence(claim.brief),
                         .numbers = claim.numbers});
  return contrasts;
}

std::vector<std::string_view> experiment_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, maker] : makers) names.push_back(name);
  return names;
}

Experiment make_experiment(std::string_view name, const Scale& scale) {
  for (const auto& [known, maker] : makers)
    if (known == name) return maker(scale);
  throw InputError(unknown_name("experiment", name, experiment_names()));
}

}  // namespace darboux::experiments
