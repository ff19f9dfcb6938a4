#pragma once

#include <cstdint>
#include <darboux/model/logistic_regression.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace darboux::experiments {

/// One of the twelve sets in data/, and how many of its rows the paper's experiment uses.
struct DataSet {
  std::string name;
  Index rows = 0;
  Index features = 0;
  Index training_rows = 0;
  std::string checksum{};  ///< of its file: results from other data are other results
};

/// From the folder's sets.csv. Throws InputError naming the file.
[[nodiscard]] std::vector<DataSet> list_data_sets(const std::filesystem::path& folder);

/// `count` of the numbers 0, …, rows − 1, increasing: a random subset, all equally likely, that is a function of the seed.
[[nodiscard]] std::vector<Index> random_subset(Index rows, Index count, std::uint64_t seed);

/// A posterior to sample, and its Laplace approximation.
struct LogisticTask {
  std::shared_ptr<const LogisticRegression> model;
  std::vector<double> mode;
  Matrix fisher;  ///< information at the mode, the prior's included
};

/// Regression on the set's training rows, chosen by a fixed seed, whose features have mean 0 and variance 1 over these rows.
[[nodiscard]] LogisticTask load_task(const DataSet& set, const std::filesystem::path& folder);

}  // namespace darboux::experiments
