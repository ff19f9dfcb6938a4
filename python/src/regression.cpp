#include "regression.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "darboux/core/error.hpp"
#include "io/csv.hpp"
#include "io/csv_numbers.hpp"
#include "model/logistic_data.hpp"
#include "settings.hpp"

namespace nb = nanobind;

namespace darboux::python {

namespace {

/// What the model is told beside its data: names of settings as the command line has them.
RegressionOptions regression_options(const nb::typed<nb::dict, nb::str, nb::str>& given) {
  RunConfig config;
  for (const auto& [key, value] : given) set_field(config, nb::cast<std::string>(key), nb::cast<std::string>(value));
  RegressionOptions options{.positive = config.positive, .intercept = !config.no_intercept};
  options.prior_scale = config.prior_scale.value_or(options.prior_scale);
  options.prior_intercept = config.prior_intercept.value_or(options.prior_intercept);
  options.standardise = config.standardise.value_or(options.standardise);
  options.na = config.na.value_or(options.na);
  return options;
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Texts = std::vector<std::optional<std::string>>;

void set_numbers(const Numbers& numbers, CsvColumn& column) {
  const auto view = numbers.view();
  for (std::size_t i = 0; i < view.shape(0); ++i) {
    column.numbers.push_back(view(i));
    if (std::isnan(view(i))) column.missing.push_back(static_cast<Index>(i));
  }
}

/// A category, its levels in order; texts that stand for a missing value in a file do so here.
void set_texts(const Texts& texts, CsvColumn& column) {
  column.kind = CsvColumn::Kind::text;
  const auto is_there = [](const std::optional<std::string>& text) { return text && !is_missing(*text); };
  std::map<std::string, std::int32_t> codes;
  for (const auto& text : texts)
    if (is_there(text)) codes.emplace(*text, 0);
  for (auto& [level, code] : codes) {
    code = static_cast<std::int32_t>(column.levels.size());
    column.levels.push_back(level);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    column.codes.push_back(is_there(texts[i]) ? codes.at(*texts[i]) : -1);
    if (column.codes.back() < 0) column.missing.push_back(static_cast<Index>(i));
  }
}

CsvColumn column_of(std::string name, nb::handle values) {
  CsvColumn column;
  column.name = std::move(name);
  if (nb::isinstance<nb::list>(values))
    set_texts(nb::cast<Texts>(values), column);
  else
    set_numbers(nb::cast<Numbers>(values), column);
  return column;
}

Index rows_of(const CsvColumn& column) {
  return column.kind == CsvColumn::Kind::text ? std::ssize(column.codes) : std::ssize(column.numbers);
}

/// The outcome first, under a name that no predictor has. Rows are called by their places, from 0.
CsvTable table_of(const nb::list& columns, const nb::handle& response, const std::vector<std::string>& names) {
  if (names.size() != columns.size())
    throw InputError(
        fmt::format("names: {} given, must be {}, one for each column of X", names.size(), columns.size()));
  std::string label = "y";
  while (std::ranges::find(names, label) != names.end()) label += "_";
  CsvTable table{.file = "X", .is_file = false, .columns = {}, .first_line = 0, .lines = {}};
  table.columns.push_back(column_of(label, response));
  const Index labels = rows_of(table.columns.front());
  for (std::size_t j = 0; j < names.size(); ++j) table.columns.push_back(column_of(names[j], columns[j]));
  table.rows = names.empty() ? labels : rows_of(table.columns[1]);
  for (std::size_t j = 2; j < table.columns.size(); ++j)
    if (const Index rows = rows_of(table.columns[j]); rows != table.rows)
      throw InputError(fmt::format("X: column {} has {} rows, and column {} {}: must have as many",
                                   table.columns[j].name, rows, table.columns[1].name, table.rows));
  if (labels != table.rows)
    throw InputError(fmt::format("y: {} labels given, must be {}, one for each row of X", labels, table.rows));
  return table;
}

}  // namespace

std::shared_ptr<Model> logistic(const nb::list& columns, const nb::object& response,
                                const std::vector<std::string>& names,
                                const nb::typed<nb::dict, nb::str, nb::str>& given,
                                const std::vector<std::string>& reference) {
  CsvTable table = table_of(columns, response, names);
  RegressionOptions options = regression_options(given);
  options.response = table.columns.front().name;
  options.reference = reference;
  return std::make_shared<StandardisedLogistic>(logistic_from_table(std::move(table), options));
}

nb::typed<nb::dict, nb::str, nb::tuple> kept_data(const Model& model) {
  nb::dict out;
  for (ModelData& data : model.kept_data()) {
    std::vector<std::size_t> shape;
    for (const ModelData::Axis& axis : data.axes) shape.push_back(at(axis.size));
    out[data.name.c_str()] = nb::make_tuple(array_of(std::move(data.values), shape), data.axes.back().labels);
  }
  return out;
}

}  // namespace darboux::python
