#include "model/logistic_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "linalg/dense.hpp"
#include "model/separation.hpp"

namespace darboux {

namespace {

using Texts = std::vector<std::string>;

constexpr Index fewest_rows = 5;
constexpr double same = 1e-10;            // share of a column's variance that others leave: rounding
constexpr double nearly_the_same = 0.01;  // R² = 0.99: standard errors are ten times those of a column on its own

std::string few_of(const Texts& texts) {
  constexpr std::size_t most = 5;
  const std::size_t shown = std::min(texts.size(), most);
  return fmt::format("{}{}", fmt::join(texts.begin(), texts.begin() + static_cast<Index>(shown), ", "),
                     texts.size() > most ? fmt::format(" and {} more", texts.size() - most) : "");
}

std::string_view hint_of(const RegressionTable& table) { return table.is_file ? " (--drop)" : ""; }
std::string hint_to_drop(const RegressionTable& table, const std::string& column) {
  return table.is_file ? fmt::format(" (--drop {})", in_list(column)) : "";
}

/// Of three levels and more: then no other baseline would do.
bool is_rare_throughout(const Category& category) {
  return category.levels.size() > 2 && std::ranges::max(category.rows) < fewest_rows;
}

/// Of two levels it is all the same which is the baseline; of more, all coefficients suffer from a rare one.
bool is_rare_baseline(const Category& category, std::size_t level) {
  return level == category.baseline && category.levels.size() > 2 && category.rows[level] < fewest_rows;
}

void find_rare_categories(const RegressionTable& table, Texts& found) {
  for (const Category& c : table.categories) {
    if (!is_rare_throughout(c)) continue;
    const bool differs_in_most_rows = 2 * std::ssize(c.levels) > table.rows;
    found.push_back(fmt::format(
        "None of the {} levels of {} has {} of the {} rows: of their coefficients the prior says as much as the data. "
        "{}{}.",
        c.levels.size(), c.column, fewest_rows, table.rows,
        differs_in_most_rows ? "It looks like an identifier: leave it out" : "Join levels, or leave the column out",
        hint_to_drop(table, c.column)));
  }
}

void find_spellings(const RegressionTable& table, Texts& found) {
  for (const Category& c : table.categories)
    if (const auto [a, b] = written_in_two_ways(c.levels); !a.empty())
      found.push_back(fmt::format(
          "Levels of {} differ in capitals or spaces only, as {} and {}: where they are the same, write them alike.",
          c.column, shown(a), shown(b)));
}

void find_rare_baselines(const RegressionTable& table, Texts& found) {
  for (const Category& c : table.categories) {
    if (is_rare_throughout(c) || !is_rare_baseline(c, c.baseline)) continue;
    const auto commonest = static_cast<std::size_t>(std::ranges::max_element(c.rows) - c.rows.begin());
    const std::string setting = in_list(fmt::format("{}={}", c.column, c.levels[commonest]));
    found.push_back(fmt::format(
        "Fewer than {} rows have {}[{}] ({}), with which all other levels of {} are compared: none of their "
        "coefficients says much. Compare them with the commonest, {}{}.",
        fewest_rows, c.column, c.levels[c.baseline], counted(c.rows[c.baseline], "row", "rows"), c.column,
        c.levels[commonest], table.is_file ? fmt::format(" (--reference '{}')", setting) : ""));
  }
}

void find_rare_levels(const RegressionTable& table, Texts& found) {
  Texts rare;
  const auto note = [&](const std::string& what, Index rows) {
    if (rows < fewest_rows) rare.push_back(fmt::format("{} ({})", what, counted(rows, "row", "rows")));
  };
  for (const Category& c : table.categories)
    for (std::size_t k = 0; k < c.levels.size() && !is_rare_throughout(c); ++k)
      if (!is_rare_baseline(c, k)) note(fmt::format("{}[{}]", c.column, c.levels[k]), c.rows[k]);
  for (const Predictor& p : table.predictors)
    if (p.kind == Predictor::Kind::two_valued) note(fmt::format("the rarer value of {}", p.column), p.rows);
  if (!rare.empty())
    found.push_back(fmt::format(
        "Fewer than {} rows have {}: of such coefficients the prior says as much as the data. Join levels, or "
        "leave the column out{}.",
        fewest_rows, few_of(rare), hint_of(table)));
}

void find_row_numbers(const RegressionTable& table, Texts& found) {
  for (const Predictor& p : table.predictors)
    if (p.counts_rows)
      found.push_back(
          fmt::format("Column {0} goes up by one from row to row: if it is a number of the row, leave it out{1}.",
                      p.column, hint_to_drop(table, p.column)));
}

/// Column after column, how much of it is left when those before it are taken out: the factor of Cholesky of their correlations.
class Collinearity {
 public:
  Collinearity(Matrix correlations, const Texts& names) : correlation_(std::move(correlations)), names_(names) {}

  Texts find() {
    Texts found;
    for (Index j = 0; j < correlation_.rows(); ++j) {
      std::vector<double> row = solve(j);
      const double left = 1.0 - std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
      if (left < nearly_the_same) found.push_back(in_words(j, row, left));
      if (left < same) continue;  // it adds nothing to those before
      row.push_back(std::sqrt(left));
      factor_.push_back(std::move(row));
      columns_.push_back(j);
    }
    return found;
  }

 private:
  /// L row = correlations with the columns before.
  [[nodiscard]] std::vector<double> solve(Index j) const {
    std::vector<double> row;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      double sum = correlation_(j, columns_[k]);
      for (std::size_t l = 0; l < k; ++l) sum -= factor_[k][l] * row[l];
      row.push_back(sum / factor_[k][k]);
    }
    return row;
  }

  [[nodiscard]] std::string in_words(Index j, const std::vector<double>& row, double left) const {
    const std::string& name = names_[at(j)];
    for (Index k = 0; k < j; ++k) {
      const double r = correlation_(j, k);
      if (1.0 - r * r < same) return fmt::format("{} is {} but for its units and where it begins", name, names_[at(k)]);
      if (1.0 - r * r < nearly_the_same)
        return fmt::format("{} is nearly {} (correlation {:.4f})", name, names_[at(k)], r);
    }
    return fmt::format("{} is {}a combination of {}{}", name, left < same ? "" : "nearly ", few_of(largest(row)),
                       left < same ? "" : fmt::format(" (R² = {:.4f})", 1.0 - left));
  }

  /// The columns with the largest coefficients in the regression on those before: Lᵀ b = row.
  [[nodiscard]] Texts largest(std::vector<double> b) const {
    for (std::size_t k = b.size(); k-- > 0;) {
      for (std::size_t l = k + 1; l < b.size(); ++l) b[k] -= factor_[l][k] * b[l];
      b[k] /= factor_[k][k];
    }
    std::vector<std::size_t> order(b.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::size_t k, std::size_t l) { return std::abs(b[k]) > std::abs(b[l]); });
    Texts names;
    for (const std::size_t k : order)
      if (std::abs(b[k]) > 0.1 * std::abs(b[order[0]])) names.push_back(names_[at(columns_[k])]);
    return names;
  }

  Matrix correlation_;
  const Texts& names_;
  std::vector<std::vector<double>> factor_;
  std::vector<Index> columns_;  // in it
};

/// Of the predictors, the columns after the intercept; where there is none, their means are taken for 0.
Matrix correlations(const LogisticRegression& model, bool intercept) {
  const Index first = intercept ? 1 : 0, columns = model.dim() - first;
  const auto predictors = [&](const Matrix& x) { return x.block(0, first, x.rows(), columns); };
  std::vector<double> means(at(columns));
  double rows = 0.0;
  for_each_block_of_rows(model, [&](Index, const Matrix& design) {
    const Matrix x = predictors(design);
    rows += static_cast<double>(x.rows());
    for (Index i = 0; i < x.rows() && intercept; ++i)
      for (Index j = 0; j < columns; ++j) means[at(j)] += x(i, j);
  });
  for (double& mean : means) mean /= rows;
  Matrix products(columns, columns);
  for_each_block_of_rows(model, [&](Index, const Matrix& design) {
    Matrix x = predictors(design);
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < columns; ++j) x(i, j) -= means[at(j)];
    products += x.transposed() * x;
  });
  Matrix out = products;
  for (Index j = 0; j < columns; ++j)
    for (Index k = 0; k < columns; ++k) out(j, k) /= std::sqrt(products(j, j) * products(k, k));
  return out;
}

std::string collinearity_in_words(const LogisticRegression& model, const RegressionTable& table, bool intercept) {
  Texts names;
  for (const Predictor& p : table.predictors) names.push_back(p.name);
  Texts found = Collinearity(correlations(model, intercept), names).find();
  if (found.empty()) return {};
  found.resize(std::min<std::size_t>(found.size(), 5));
  return fmt::format(
      "Predictors that hardly differ: {}. The data tell little of their coefficients apart, only together; leave "
      "one of them out{}.",
      fmt::join(found, "; "), hint_of(table));
}

std::string separation_in_words(const LogisticRegression& model, Index few) {
  const auto found = find_separation(model, few);
  if (!found) return {};
  const Index all = std::ssize(model.signs());
  const std::string where = found->rows == all ? "all rows" : fmt::format("{} of {} rows", found->rows, all);
  if (!found->is_of_all)
    return fmt::format(
        "A combination of predictors tells the outcome without error in many rows, {}; whether one does that and "
        "contradicts no other (separation) was not found out. See that no predictor is the outcome by another name.",
        where);
  const Texts names = model.names();
  double largest = 0.0;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] != "intercept") largest = std::max(largest, std::abs(found->way[j]));
  Texts those;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] != "intercept" && std::abs(found->way[j]) > 0.1 * largest) those.push_back(names[j]);
  return fmt::format(
      "{} tell{} the outcome without error in {} (separation): the data put no bound on how large {}, and the prior "
      "alone does. See that no predictor is the outcome by another name, and that the prior is what you mean.",
      few_of(those), those.size() == 1 ? "s" : "", where,
      those.size() == 1 ? "this coefficient is" : "these coefficients are");
}

/// Enough rows that those of an outcome that is not separated hardly ever are, and as many more as cost little.
Index rows_to_look_at(Index rows, double columns, const FindingLimits& limits) {
  constexpr double rows_per_column = 10.0;
  const double few = std::max(limits.little / (columns * columns), rows_per_column * columns);
  return static_cast<Index>(std::min(static_cast<double>(rows), few));
}

}  // namespace

Texts findings_of_facts(const RegressionTable& table) {
  Texts found;
  find_spellings(table, found);
  find_rare_levels(table, found);
  find_rare_categories(table, found);
  find_rare_baselines(table, found);
  find_row_numbers(table, found);
  return found;
}

Texts findings_about(const LogisticRegression& model, const RegressionTable& table, bool intercept,
                     const FindingLimits& limits) {
  Texts found = findings_of_facts(table), passed_over;
  if (table.predictors.empty()) return found;
  const auto columns = static_cast<double>(model.dim());
  const auto work = [&](Index rows) { return static_cast<double>(rows) * columns * columns; };
  const auto add = [&](std::string text) {
    if (!text.empty()) found.push_back(std::move(text));
  };
  if (work(table.rows) <= limits.product)
    add(collinearity_in_words(model, table, intercept));
  else
    passed_over.emplace_back("collinear predictors");
  if (const Index few = rows_to_look_at(table.rows, columns, limits); work(few) <= limits.much)
    add(separation_in_words(model, few));
  else
    passed_over.emplace_back("separated outcomes");
  if (!passed_over.empty())
    found.push_back(fmt::format("The table is large: {} were not looked for.", fmt::join(passed_over, " and ")));
  return found;
}

}  // namespace darboux
