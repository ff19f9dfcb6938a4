#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/spelling.hpp"
#include "model/logistic_data.hpp"

/// What a regression says of its data and its prior: to people, and in a manifest.
namespace darboux {

namespace {

using Texts = std::vector<std::string>;

/// The first few of a list, and how many more there are.
std::string listed(const Texts& texts, std::size_t most = 6) {
  const std::size_t shown = texts.size() > most ? most - 1 : texts.size();
  std::string out = fmt::format("{}", fmt::join(texts.begin(), texts.begin() + static_cast<Index>(shown), ", "));
  return shown == texts.size() ? out : out + fmt::format(" and {} more", texts.size() - shown);
}

Texts in_lists(Texts names) {
  for (std::string& name : names) name = in_list(name);
  return names;
}

ValueTree::List list_of(const Texts& texts) { return {texts.begin(), texts.end()}; }

std::string rows_in_words(const RegressionTable& table) {
  std::string text = fmt::format("Data: {} of {}", counted(table.rows, "row", "rows"), table.file);
  if (table.rows_left_out > 0)
    text += fmt::format("; {} with missing values left out", counted(table.rows_left_out, "row", "rows"));
  if (!table.left_out.empty()) text += fmt::format("; columns left out: {}", listed(in_lists(table.left_out)));
  text += ".";
  for (const std::string& remark : table.remarks) text += " " + remark;
  return text;
}

std::string outcome_in_words(const RegressionTable& table) {
  const Outcome& o = table.outcome;
  std::string text =
      fmt::format("Outcome: {} is {} in {} of {} ({:.3g} %), {} in the others.", o.column, o.positive, o.positives,
                  counted(table.rows, "row", "rows"),
                  100.0 * static_cast<double>(o.positives) / static_cast<double>(table.rows), o.negative);
  if (o.coding == Outcome::Coding::plain)
    text += fmt::format(" To predict {} instead: --positive {}.", o.negative, o.negative);
  if (o.chosen == Outcome::Chosen::asked) return text;
  text += fmt::format(" The column was taken as {}",
                      o.chosen == Outcome::Chosen::name ? "it is called y" : "it is the first, and none is called y");
  text += o.candidates.empty()
              ? "; --response names another."
              : fmt::format("; two values are also in {}: --response chooses.", listed(in_lists(o.candidates)));
  return text;
}

std::string predictors_in_words(const RegressionTable& table) {
  Texts numbers, like_levels, two_valued, categories;
  for (const Predictor& p : table.predictors) {
    if (p.kind == Predictor::Kind::number) numbers.push_back(in_list(p.column));
    if (p.may_be_levels) like_levels.push_back(in_list(p.column));
    if (p.kind == Predictor::Kind::two_valued) two_valued.push_back(in_list(p.column));
  }
  for (const Category& c : table.categories)
    categories.push_back(fmt::format("{} ({}, against {})", c.column, counted(std::ssize(c.levels), "level", "levels"),
                                     c.levels[c.baseline]));
  Texts parts;
  if (!numbers.empty())
    parts.push_back(fmt::format("{}: {}", counted(std::ssize(numbers), "number", "numbers"), listed(numbers)));
  if (!like_levels.empty() && table.is_file)
    parts.push_back(fmt::format("--category {} if {} few values are names, not amounts", fmt::join(like_levels, ","),
                                like_levels.size() == 1 ? "its" : "their"));
  if (!two_valued.empty()) parts.push_back(fmt::format("of two values: {}", listed(two_valued)));
  if (!categories.empty())
    parts.push_back(fmt::format("{}: {}; --reference chooses what levels are compared with",
                                categories.size() == 1 ? "category" : "categories", listed(categories)));
  return parts.empty() ? "Predictors: none." : fmt::format("Predictors: {}.", fmt::join(parts, "; "));
}

ValueTree outcome_facts(const RegressionTable& table) {
  const Outcome& o = table.outcome;
  return ValueTree::Entries{{"column", o.column},
                            {"chosen", name(o.chosen)},
                            {"positive", o.positive},
                            {"negative", o.negative},
                            {"coding", name(o.coding)},
                            {"positives", o.positives},
                            {"negatives", table.rows - o.positives}};
}

ValueTree category_facts(const Category& category) {
  return ValueTree::Entries{{"column", category.column},
                            {"baseline", category.levels[category.baseline]},
                            {"levels", list_of(category.levels)},
                            {"rows", ValueTree::List(category.rows.begin(), category.rows.end())}};
}

}  // namespace

ValueTree StandardisedRegression::data_facts() const {
  ValueTree::List predictors, categories;
  for (std::size_t j = 0; j < table_.predictors.size(); ++j) {
    const Predictor& p = table_.predictors[j];
    ValueTree entry = ValueTree::Entries{{"name", p.name},           {"column", p.column},
                                         {"kind", name(p.kind)},     {"mean", moments_.means[j]},
                                         {"sd", moments_.scales[j]}, {"scale", taken_.scales[j]}};
    if (p.kind == Predictor::Kind::indicator) entry.set("level", p.level);
    if (p.kind == Predictor::Kind::indicator) entry.set("rows", p.rows);
    predictors.push_back(std::move(entry));
  }
  for (const Category& category : table_.categories) categories.push_back(category_facts(category));
  return ValueTree::Entries{{"rows", table_.rows},
                            {"rows_left_out", table_.rows_left_out},
                            {"outcome", outcome_facts(table_)},
                            {"predictors", std::move(predictors)},
                            {"categories", std::move(categories)},
                            {"left_out", list_of(table_.left_out)},
                            {"standardise", name(how_)},
                            {"remarks", list_of(table_.remarks)}};
}

std::string StandardisedRegression::prior_in_words() const {
  const bool has_numbers = std::ranges::any_of(table_.predictors, [&](const Predictor& p) {
    return how_ == Standardising::all || p.kind == Predictor::Kind::number;
  });
  const bool has_others =
      how_ == Standardising::numbers &&
      std::ranges::any_of(table_.predictors, [](const Predictor& p) { return p.kind != Predictor::Kind::number; });
  std::string text;
  if (!table_.predictors.empty()) {
    text = fmt::format("coefficients N(0, {:g}²), for a change ", prior_scale_);
    if (has_numbers) text += how_ == Standardising::all ? "by one sd of the predictor" : "by one sd of a number";
    if (has_numbers && has_others) text += ", or ";
    if (has_others) text += "from one of two values to the other";
  }
  if (!intercept_) return text;
  if (!text.empty()) text += "; ";
  return text + fmt::format("intercept N(0, {:g}²){}", prior_intercept_,
                            table_.predictors.empty() ? "" : ", at the mean of the predictors");
}

/// Of what draws report: b_j = β_j/s_j and b_0 = β_0 − Σ_j m_j b_j are normal, as β is.
ValueTree StandardisedRegression::prior_facts() const {
  ValueTree::List parameters;
  double variance = prior_intercept_ * prior_intercept_;
  for (std::size_t j = 0; j < table_.predictors.size(); ++j) {
    const double sd = prior_scale_ / taken_.scales[j];
    variance += taken_.means[j] * taken_.means[j] * sd * sd;
    parameters.emplace_back(ValueTree::Entries{
        {"name", table_.predictors[j].name}, {"mean", 0.0}, {"sd", sd}, {"standardised_sd", prior_scale_}});
  }
  if (intercept_)
    parameters.insert(
        parameters.begin(),
        ValueTree::Entries{
            {"name", "intercept"}, {"mean", 0.0}, {"sd", std::sqrt(variance)}, {"standardised_sd", prior_intercept_}});
  return ValueTree::Entries{{"family", "normal"}, {"text", prior_in_words()}, {"parameters", std::move(parameters)}};
}

std::vector<ModelFact> StandardisedRegression::describe() const {
  if (response().empty()) return {};
  std::vector<ModelFact> facts{
      {.key = "data", .value = data_facts(), .note = rows_in_words(table_)},
      {.key = "response", .value = response(), .note = outcome_in_words(table_)},
      {.key = "positive", .value = table_.outcome.positive, .note = predictors_in_words(table_)},
      {.key = "prior",
       .value = prior_facts(),
       .note = fmt::format("Prior: {} (--prior-scale, --prior-intercept).", prior_in_words())},
      {.key = "prior_scale", .value = prior_scale_},
      {.key = "standardise", .value = name(how_)},
      {.key = "na", .value = name(table_.na)},
      {.key = "separator", .value = name(separator_of(table_.separator))},
      {.key = "decimal", .value = name(table_.decimal)}};
  if (intercept_) facts.push_back({.key = "prior_intercept", .value = prior_intercept_});
  return facts;
}

}  // namespace darboux
