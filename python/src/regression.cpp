#include "regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"
#include "io/csv.hpp"
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
  return options;
}

/// Texts as a category, in order.
void set_texts(const std::vector<std::string>& texts, CsvColumn& column) {
  column.kind = CsvColumn::Kind::text;
  column.levels = texts;
  std::ranges::sort(column.levels);
  const auto repeated = std::ranges::unique(column.levels);
  column.levels.erase(repeated.begin(), repeated.end());
  for (const std::string& text : texts)
    column.codes.push_back(
        static_cast<std::int32_t>(std::ranges::lower_bound(column.levels, text) - column.levels.begin()));
}

}  // namespace

std::shared_ptr<Model> logistic(const FloatMatrix& features, const Floats& response,
                                const std::vector<std::string>& texts, const std::vector<std::string>& names,
                                const nb::typed<nb::dict, nb::str, nb::str>& given) {
  const std::size_t rows = features.shape(0), columns = features.shape(1);
  const std::size_t labels = texts.empty() ? response.size() : texts.size();
  if (response.ndim() != 1)
    throw InputError(fmt::format("y has {} dimensions: must have 1, a label for each row of X", response.ndim()));
  if (labels != rows)
    throw InputError(fmt::format("y: {} labels given, must be {}, one for each row of X", labels, rows));
  if (names.size() != columns)
    throw InputError(fmt::format("names: {} given, must be {}, one for each column of X", names.size(), columns));
  CsvTable table{.file = "X", .is_file = false, .rows = static_cast<Index>(rows), .columns = {}, .lines = {}};
  std::string label = "y";
  while (std::ranges::find(names, label) != names.end()) label += "_";
  const auto add = [&](std::string name, const auto& number) {
    CsvColumn& column = table.columns.emplace_back();
    column.name = std::move(name);
    for (std::size_t i = 0; i < rows; ++i) {
      column.numbers.push_back(number(i));
      if (std::isnan(column.numbers.back())) column.missing.push_back(static_cast<Index>(i));
    }
  };
  if (texts.empty()) {
    add(label, [&](std::size_t i) { return response.data()[i]; });
  } else {
    table.columns.emplace_back().name = label;
    set_texts(texts, table.columns.back());
  }
  for (std::size_t j = 0; j < columns; ++j)
    add(names[j], [&](std::size_t i) { return features.data()[i * columns + j]; });
  RegressionOptions options = regression_options(given);
  options.response = label;
  return std::make_shared<StandardisedLogistic>(logistic_from_table(std::move(table), options));
}

}  // namespace darboux::python
