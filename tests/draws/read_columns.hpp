#pragma once

#include "draws/stan_csv_reader.hpp"

namespace darboux::testing {

/// The draws of some columns after warm-up, each column by itself. Throws InputError if there are none.
inline std::vector<std::vector<double>> read_columns(const StanCsvReader& file, std::span<const std::size_t> columns) {
  std::vector<std::vector<double>> draws(columns.size());
  const StanCsvPass pass = file.for_each_row(columns, [&](std::span<const double> values, Phase phase) {
    if (phase == Phase::warmup) return;
    for (std::size_t i = 0; i < values.size(); ++i) draws[i].push_back(values[i]);
  });
  require_draws(file, pass);
  return draws;
}

}  // namespace darboux::testing
