#include "model/logistic_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "model/standardise.hpp"

namespace darboux {

namespace {

using Texts = std::vector<std::string>;

constexpr Index fewest_rows = 5;
constexpr double most_work =
    1e8;  // rows × columns²: a product of matrices of that size takes some 0.02 s, and this takes tens of them
constexpr double same = 1e-10;            // share of a column's variance that others leave: rounding
constexpr double nearly_the_same = 0.01;  // R² = 0.99: standard errors are ten times those of a column on its own

std::string few_of(const Texts& texts) {
  constexpr std::size_t most = 5;
  const std::size_t shown = std::min(texts.size(), most);
  return fmt::format("{}{}", fmt::join(texts.begin(), texts.begin() + static_cast<Index>(shown), ", "),
                     texts.size() > most ? fmt::format(" and {} more", texts.size() - most) : "");
}

std::string_view hint_of(const RegressionTable& table) { return table.is_file ? " (--drop)" : ""; }

void find_rare_levels(const RegressionTable& table, Texts& found) {
  Texts rare;
  const auto note = [&](const std::string& what, Index rows) {
    if (rows < fewest_rows) rare.push_back(fmt::format("{} ({})", what, counted(rows, "row", "rows")));
  };
  for (const Category& c : table.categories)
    for (std::size_t k = 0; k < c.levels.size(); ++k) note(fmt::format("{}[{}]", c.column, c.levels[k]), c.rows[k]);
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
                      p.column, table.is_file ? " (--drop " + p.column + ")" : ""));
}

/// Column after column, how much of it is left when those before it are taken out: the factor of Cholesky of their correlations.
class Collinearity {
 public:
  Collinearity(const Matrix& x, const Texts& names)
      : correlation_((1.0 / static_cast<double>(x.rows())) * (x.transposed() * x)), names_(names) {}

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

/// The predictors alone, of mean square 1; where there is an intercept of mean 0, too.
Matrix scaled_predictors(const Matrix& design, bool intercept) {
  const Index first = intercept ? 1 : 0;
  Matrix x = design.block(0, first, design.rows(), design.cols() - first);
  const auto n = static_cast<double>(x.rows());
  for (Index j = 0; j < x.cols(); ++j) {
    double mean = 0.0, square = 0.0;
    for (Index i = 0; i < x.rows() && intercept; ++i) mean += x(i, j) / n;
    for (Index i = 0; i < x.rows(); ++i) square += (x(i, j) - mean) * (x(i, j) - mean) / n;
    for (Index i = 0; i < x.rows(); ++i) x(i, j) = (x(i, j) - mean) / std::sqrt(square);
  }
  return x;
}

/// Where some β has t_i x_iβ ≥ 0 in all rows and > 0 in some, the likelihood grows along it without end: the further out a prior lets
/// it, the further the mode goes. So the way from the mode under N(0, 30²) to that under N(0, 300²) is looked at, which such rows go
/// by 2 log 10 or so, and which nothing else does. Rows that go back by less than a hundredth of that do not count. Where no row is
/// told with confidence under the wide prior, there is nothing to look for.
std::string separation_in_words(const Matrix& x, const std::vector<double>& signs, const Texts& names) {
  constexpr double narrow = 30.0, wide = 300.0, least_logit = 4.0, least_way = 1.0, tolerance = 0.01;
  const auto along = [&](const std::vector<double>& beta) {  // t_i x_iβ
    std::vector<double> out(signs.size(), 0.0);
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j) out[at(i)] += signs[at(i)] * x(i, j) * beta[at(j)];
    return out;
  };
  std::vector<double> y;
  for (const double sign : signs) y.push_back(sign > 0.0 ? 1.0 : 0.0);
  std::vector<double> way;
  try {
    way = LogisticRegression(x, y, {.intercept = false, .prior_scale = wide}).mode();
    if (std::ranges::max(along(way)) < least_logit) return {};
    const std::vector<double> from = LogisticRegression(x, y, {.intercept = false, .prior_scale = narrow}).mode();
    for (std::size_t j = 0; j < way.size(); ++j) way[j] -= from[j];
  } catch (const Error&) {
    return {};
  }
  const std::vector<double> gone = along(way);
  const auto [least, most] = std::ranges::minmax(gone);
  if (most < least_way || least < -tolerance * most) return {};
  // Where all go forward, however little, the way itself separates them.
  const double some = tolerance * most;
  const auto rows = least > 0.0 ? std::ssize(gone) : std::ranges::count_if(gone, [&](double m) { return m > some; });
  double largest = 0.0;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] != "intercept") largest = std::max(largest, std::abs(way[j]));
  Texts those;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] != "intercept" && std::abs(way[j]) > 0.1 * largest) those.push_back(names[j]);
  return fmt::format(
      "{} tell{} the outcome without error in {} (separation): the data put no bound on how large {}, and the prior "
      "alone does. See that no predictor is the outcome by another name, and that the prior is what you mean.",
      few_of(those), those.size() == 1 ? "s" : "",
      rows == x.rows() ? "all rows" : fmt::format("{} of {} rows", rows, x.rows()),
      those.size() == 1 ? "this coefficient is" : "these coefficients are");
}

}  // namespace

Texts findings_of_facts(const RegressionTable& table) {
  Texts found;
  find_rare_levels(table, found);
  find_row_numbers(table, found);
  return found;
}

Texts findings_about(const LogisticRegression& model, const RegressionTable& table, bool intercept) {
  Texts found = findings_of_facts(table);
  if (table.predictors.empty()) return found;
  const auto rows = static_cast<double>(table.rows), columns = static_cast<double>(model.dim());
  if (rows * columns * columns > most_work) {
    found.push_back("The table is large: collinear predictors and separated outcomes were not looked for.");
    return found;
  }
  const Matrix x = model.design();
  Texts names;
  for (const Predictor& p : table.predictors) names.push_back(p.name);
  if (const Texts collinear = Collinearity(scaled_predictors(x, intercept), names).find(); !collinear.empty())
    found.push_back(fmt::format(
        "Predictors that hardly differ: {}. The data tell little of their coefficients apart, only together; leave "
        "one of them out{}.",
        fmt::format("{}",
                    fmt::join(collinear.begin(), collinear.begin() + std::min<Index>(std::ssize(collinear), 5), "; ")),
        hint_of(table)));
  if (std::string text = separation_in_words(x, model.signs(), model.names()); !text.empty())
    found.push_back(std::move(text));
  return found;
}

}  // namespace darboux
