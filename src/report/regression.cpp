#include "report/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace darboux {

namespace {

std::string text_at(const ValueTree& tree, std::string_view key) {
  const ValueTree* found = tree.find(key);
  return found == nullptr ? "" : text_of(*found);
}

double number_at(const ValueTree& tree, std::string_view key, double otherwise) {
  const ValueTree* found = tree.find(key);
  if (found == nullptr) return otherwise;
  if (const auto* x = std::get_if<double>(&found->value())) return *x;
  if (const auto* n = std::get_if<std::int64_t>(&found->value())) return static_cast<double>(*n);
  return otherwise;
}

/// What is no count is not known.
std::int64_t count_at(const ValueTree& tree, std::string_view key) {
  constexpr double most = 1e15;
  return static_cast<std::int64_t>(std::fmin(std::fmax(number_at(tree, key, 0.0), 0.0), most));
}

const ValueTree::List& list_at(const ValueTree& tree, std::string_view key) {
  static const ValueTree::List none;
  const ValueTree* found = tree.find(key);
  const auto* list = found == nullptr ? nullptr : std::get_if<ValueTree::List>(&found->value());
  return list == nullptr ? none : *list;
}

std::vector<std::string> texts_at(const ValueTree& tree, std::string_view key) {
  std::vector<std::string> texts;
  for (const ValueTree& each : list_at(tree, key)) texts.push_back(text_of(each));
  return texts;
}

CategoryFacts category_of(const ValueTree& tree) {
  CategoryFacts category{.column = text_at(tree, "column"),
                         .baseline = text_at(tree, "baseline"),
                         .levels = texts_at(tree, "levels"),
                         .rows = {}};
  for (const ValueTree& each : list_at(tree, "rows")) {
    const auto* n = std::get_if<std::int64_t>(&each.value());
    category.rows.push_back(n == nullptr ? 0 : *n);
  }
  category.rows.resize(category.levels.size());
  return category;
}

/// All predictors by their standard deviations is what the paper does: two values are then no step of their own.
void add_step(PredictorFacts& predictor, const RegressionFacts& facts) {
  if (predictor.kind == "indicator") {
    predictor.step = 1.0;
    const auto of = std::find_if(facts.categories.begin(), facts.categories.end(),
                                 [&](const CategoryFacts& category) { return category.column == predictor.column; });
    predictor.step_text = of == facts.categories.end() ? predictor.level + " instead of the baseline"
                                                       : fmt::format("{} instead of {}", predictor.level, of->baseline);
  } else if (predictor.kind == "two-valued" && !facts.all_by_sd) {
    predictor.step = predictor.scale;
    predictor.step_text =
        predictor.scale == 1.0 ? "1" : fmt::format("{:.3g}, from one value to the other", predictor.scale);
  } else {
    predictor.step = predictor.sd;
    predictor.step_text = fmt::format("{:.4g}, one sd", predictor.sd);
  }
}

OutcomeFacts outcome_of(const ValueTree& data) {
  const ValueTree* const outcome = data.find("outcome");
  if (outcome == nullptr) return {};
  return {.column = text_at(*outcome, "column"),
          .positive = text_at(*outcome, "positive"),
          .negative = text_at(*outcome, "negative"),
          .positives = count_at(*outcome, "positives"),
          .negatives = count_at(*outcome, "negatives"),
          .asked = text_at(*outcome, "chosen") == "asked"};
}

}  // namespace

std::optional<RegressionFacts> regression_of(const RunManifest& manifest) {
  const ValueTree& data = manifest.data;
  if (data.find("predictors") == nullptr) return std::nullopt;
  RegressionFacts facts{.file = text_at(data, "file"),
                        .checksum = text_at(data, "checksum"),
                        .rows = count_at(data, "rows"),
                        .rows_left_out = count_at(data, "rows_left_out"),
                        .outcome = outcome_of(data),
                        .all_by_sd = text_at(data, "standardise") == "all",
                        .predictors = {},
                        .categories = {},
                        .left_out = texts_at(data, "left_out"),
                        .remarks = texts_at(data, "remarks"),
                        .prior = text_at(manifest.prior, "text"),
                        .priors = {}};
  for (const ValueTree& each : list_at(data, "categories")) facts.categories.push_back(category_of(each));
  for (const ValueTree& each : list_at(data, "predictors")) {
    PredictorFacts predictor{.name = text_at(each, "name"),
                             .column = text_at(each, "column"),
                             .kind = text_at(each, "kind"),
                             .level = text_at(each, "level"),
                             .mean = number_at(each, "mean", 0.0),
                             .sd = number_at(each, "sd", 1.0),
                             .scale = number_at(each, "scale", 1.0),
                             .step = 1.0,
                             .step_text = ""};
    add_step(predictor, facts);
    facts.predictors.push_back(std::move(predictor));
  }
  for (const ValueTree& each : list_at(manifest.prior, "parameters"))
    facts.priors.push_back({.name = text_at(each, "name"),
                            .sd = number_at(each, "sd", 0.0),
                            .standardised_sd = number_at(each, "standardised_sd", 0.0)});
  return facts;
}

}  // namespace darboux
