#include "model/logistic_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "checks.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

constexpr std::size_t most_levels = 100;
constexpr double least_range = 1e-100, most_range = 1e100;  // squares of either are numbers still
constexpr Index most_coefficients = 20'000;
constexpr Index most_entries = Index{1} << 31;  // of the design

bool is_text(const CsvColumn& column) { return column.kind == CsvColumn::Kind::text; }

bool is_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

const CsvColumn& find_response(const CsvTable& table, const std::string& name) {
  if (std::all_of(table.columns.begin(), table.columns.end(), [](const CsvColumn& c) { return is_number(c.name); }))
    throw InputError(fmt::format("{}:1: all names are numbers ({}): must be a header with a name for every column",
                                 table.file, fmt::join(table.names(), ", ")));
  if (name.empty()) {
    const CsvColumn* y = table.find("y");
    return y != nullptr ? *y : table.columns.front();
  }
  if (const CsvColumn* found = table.find(name)) return *found;
  throw InputError(fmt::format("{}: {}", table.file, unknown_name("response column", name, table.names())));
}

void refuse_missing(const CsvTable& table) {
  Index count = 0;
  const CsvColumn* first = nullptr;
  for (const CsvColumn& column : table.columns) {
    count += std::ssize(column.missing);
    if (!column.missing.empty() && (first == nullptr || column.missing[0] < first->missing[0])) first = &column;
  }
  if (first == nullptr) return;
  const std::string others = count == 1 ? "" : fmt::format(" (and {} more)", count - 1);
  throw InputError(fmt::format("{} is missing{}: every value must be there; remove such rows, or fill them in",
                               table.place(first->missing[0], *first), others));
}

std::vector<double> labels(const CsvTable& table, const CsvColumn& response) {
  constexpr std::string_view rule = "the response must be 0 or 1";
  if (is_text(response)) {
    const std::size_t shown = std::min<std::size_t>(response.levels.size(), 3);
    throw InputError(
        fmt::format("{}: column {} is text (\"{}\"{}): {}; write 1 for the outcome to predict and 0 for the other",
                    table.file, response.name,
                    fmt::join(response.levels.begin(), response.levels.begin() + static_cast<Index>(shown), "\", \""),
                    response.levels.size() > shown ? ", …" : "", rule));
  }
  for (Index i = 0; i < table.rows; ++i)
    if (const double y = response.numbers[static_cast<std::size_t>(i)]; y != 0.0 && y != 1.0)
      throw InputError(fmt::format("{} is {}: {}", table.place(i, response), y, rule));
  const auto [least, largest] = std::minmax_element(response.numbers.begin(), response.numbers.end());
  if (*least == *largest)
    throw InputError(fmt::format("{}: column {} is {} in every row: the response must be 0 in some and 1 in others",
                                 table.file, response.name, *least));
  return response.numbers;
}

/// Names and entries of the features, column by column.
class FeatureList {
 public:
  FeatureList(const CsvTable& table, bool intercept) : table_(table) {
    if (intercept) names_in_use_.insert("intercept");
  }

  void add(const CsvColumn& column) { is_text(column) ? add_indicators(column) : add_numbers(column); }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  [[nodiscard]] Matrix matrix() const {
    Matrix out(table_.rows, std::ssize(sources_));
    constexpr Index together = 64;  // rows, which stay in the cache while one column after the other is filled in
    for (Index first = 0; first < out.rows(); first += together)
      for (Index j = 0; j < out.cols(); ++j) {
        const auto& [column, level] = sources_[static_cast<std::size_t>(j)];
        for (Index i = first; i < std::min(first + together, out.rows()); ++i) {
          const auto row = static_cast<std::size_t>(i);
          out(i, j) = is_text(*column) ? (column->codes[row] == level ? 1.0 : 0.0) : column->numbers[row];
        }
      }
    return out;
  }

 private:
  struct Source {
    const CsvColumn* column;
    std::int32_t level;  // of a text column: what the indicator is about
  };

  [[noreturn]] void fail(const CsvColumn& column, std::string_view why) const {
    throw InputError(fmt::format("{}: column {} {}", table_.file, column.name, why));
  }

  void append(std::string name, const CsvColumn& column, std::int32_t level) {
    if (!names_in_use_.insert(name).second)
      fail(column, fmt::format("leads to a second coefficient called {}: names must differ, so rename it", name));
    names_.push_back(std::move(name));
    sources_.push_back({.column = &column, .level = level});
    if (std::ssize(names_) > most_coefficients || std::ssize(names_) * table_.rows > most_entries)
      throw InputError(fmt::format(
          "{}: {} rows and at least {} coefficients: at most {} coefficients and {} products of both are allowed",
          table_.file, table_.rows, names_.size(), most_coefficients, most_entries));
  }

  void add_numbers(const CsvColumn& column) {
    for (Index i = 0; i < table_.rows; ++i)
      if (const double x = column.numbers[static_cast<std::size_t>(i)]; !std::isfinite(x))
        throw InputError(fmt::format("{} is {}: must be finite", table_.place(i, column), x));
    const auto [least, largest] = std::minmax_element(column.numbers.begin(), column.numbers.end());
    if (is_constant(*least, *largest))
      fail(column, fmt::format("is constant ({}): it carries no information, so remove it", *least));
    if (const double range = *largest - *least; !(range >= least_range && range <= most_range))
      fail(column, fmt::format("goes from {} to {}: the range must be from {} to {}, so give it in other units", *least,
                               *largest, least_range, most_range));
    append(column.name, column, 0);
  }

  void add_indicators(const CsvColumn& column) {
    if (column.levels.size() < 2)
      fail(column, fmt::format("is constant (\"{}\"): it carries no information, so remove it", column.levels[0]));
    if (column.levels.size() > most_levels)
      fail(column, fmt::format("has {} different texts: at most {} are allowed for a category; is it an identifier?",
                               column.levels.size(), most_levels));
    for (std::size_t k = 1; k < column.levels.size(); ++k)
      append(fmt::format("{}[{}]", column.name, column.levels[k]), column, static_cast<std::int32_t>(k));
  }

  const CsvTable& table_;
  std::set<std::string> names_in_use_;
  std::vector<std::string> names_;
  std::vector<Source> sources_;
};

/// As standardise, but only divides.
Standardisation scale_only(Matrix& features) {
  Matrix standardised = features;
  Standardisation taken = standardise(standardised);
  for (Index j = 0; j < features.cols(); ++j) {
    const auto column = static_cast<std::size_t>(j);
    for (Index i = 0; i < features.rows(); ++i) features(i, j) /= taken.scales[column];
    taken.means[column] = 0.0;
  }
  return taken;
}

}  // namespace

StandardisedLogistic::StandardisedLogistic(Matrix features, std::vector<double> y, const LogisticOptions& options)
    : intercept_(options.intercept),
      given_(features.rows() * (features.cols() + (intercept_ ? 1 : 0)) <= most_kept ? features : Matrix()),
      taken_(intercept_ ? standardise(features) : scale_only(features)),
      inner_(features, std::move(y), options) {}

std::vector<ModelData> StandardisedLogistic::kept_data() const {
  ModelData y{.name = response_.empty() ? "y" : response_, .whole = true, .values = inner_.signs()};
  for (double& sign : y.values) sign = 0.5 * (1.0 + sign);
  y.axes.push_back({.name = stan_column_name(y.name) + "_dim_0", .size = std::ssize(y.values)});
  if (given_.rows() == 0) return {std::move(y)};
  const ModelData::Axis column{.name = named_axis()->axis, .size = dim(), .labels = names()};
  ModelData x{.name = "X", .observed = false, .axes = {y.axes.front(), column}};
  x.values.reserve(at(given_.rows() * dim()));
  for (Index i = 0; i < given_.rows(); ++i) {
    if (intercept_) x.values.push_back(1.0);
    for (Index j = 0; j < given_.cols(); ++j) x.values.push_back(given_(i, j));
  }
  return {std::move(y), std::move(x)};
}

std::vector<ModelFact> StandardisedLogistic::describe() const {
  if (response_.empty()) return {};
  return {{.key = "response",
           .value = response_,
           .note = fmt::format("Labels: column {} (--response chooses another)", response_)}};
}

void StandardisedLogistic::constrain(std::span<const double> q, const DrawKey& /*key*/, std::span<double> out) const {
  const std::size_t first = intercept_ ? 1 : 0;
  double b0 = q[0];
  for (std::size_t j = 0; j < taken_.scales.size(); ++j) {
    out[first + j] = q[first + j] / taken_.scales[j];
    b0 -= taken_.means[j] * out[first + j];
  }
  if (intercept_) out[0] = b0;
}

void StandardisedLogistic::unconstrain(std::span<const double> natural, std::span<double> q) const {
  const std::size_t first = intercept_ ? 1 : 0;
  double beta0 = natural[0];
  for (std::size_t j = 0; j < taken_.scales.size(); ++j) {
    beta0 += taken_.means[j] * natural[first + j];
    q[first + j] = natural[first + j] * taken_.scales[j];
  }
  if (intercept_) q[0] = beta0;
}

namespace {

/// Draws report coefficients on the scale of the data; the regression is on the standardised one.
class StandardisedObservations final : public Observations {
 public:
  explicit StandardisedObservations(const StandardisedLogistic& model)
      : model_(model), inner_(model.standardised().make_observations()), beta_(at(model.dim())) {}

  [[nodiscard]] Index size() const noexcept override { return inner_->size(); }
  [[nodiscard]] std::vector<double> observed() const override { return inner_->observed(); }
  void log_likelihood(std::span<const double> draw, std::span<double> out) override {
    model_.unconstrain(draw, beta_);
    inner_->log_likelihood(beta_, out);
  }
  void predict(std::span<const double> draw, RandomStream& random, std::span<double> out) override {
    model_.unconstrain(draw, beta_);
    inner_->predict(beta_, random, out);
  }

 private:
  const StandardisedLogistic& model_;
  std::unique_ptr<Observations> inner_;
  std::vector<double> beta_;
};

}  // namespace

std::unique_ptr<Observations> StandardisedLogistic::make_observations() const {
  return std::make_unique<StandardisedObservations>(*this);
}

StandardisedLogistic logistic_from_table(const CsvTable& table, const LogisticDataOptions& options) {
  check::positive("prior_scale", options.prior_scale);
  if (table.rows == 0) throw InputError(fmt::format("{} has no rows: must have at least one", table.file));
  const CsvColumn& response = find_response(table, options.response);
  refuse_missing(table);
  std::vector<double> y = labels(table, response);
  FeatureList features(table, options.intercept);
  for (const CsvColumn& column : table.columns)
    if (&column != &response) features.add(column);
  if (features.names().empty() && !options.intercept)
    throw InputError(fmt::format("{}: no column besides {}, and no intercept: there is nothing to estimate", table.file,
                                 response.name));
  StandardisedLogistic model(
      features.matrix(), std::move(y),
      {.intercept = options.intercept, .prior_scale = options.prior_scale, .names = features.names()});
  model.set_response(response.name);
  return model;
}

}  // namespace darboux
