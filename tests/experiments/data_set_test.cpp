#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/error.hpp>
#include <experiments/data_set.hpp>

#include "draws/temporary_folder.hpp"
#include "io/file.hpp"

namespace darboux::experiments {
namespace {

const std::filesystem::path data = DARBOUX_SOURCE_FOLDER "/data";

TEST(RandomSubset, IsIncreasingAndTheSameForTheSameSeed) {
  const auto subset = random_subset(100, 30, 7);
  EXPECT_EQ(subset.size(), 30);
  EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
  EXPECT_EQ(std::adjacent_find(subset.begin(), subset.end()), subset.end());
  EXPECT_EQ(subset, random_subset(100, 30, 7));
  EXPECT_NE(subset, random_subset(100, 30, 8));
  EXPECT_EQ(random_subset(5, 5, 1), (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(RandomSubset, ChoosesEveryRowEquallyOften) {
  constexpr int seeds = 4000;
  std::vector<int> count(10);
  for (int seed = 0; seed < seeds; ++seed)
    for (const Index i : random_subset(10, 3, static_cast<std::uint64_t>(seed))) ++count[static_cast<std::size_t>(i)];
  const double expected = 0.3 * seeds, sd = std::sqrt(0.3 * 0.7 * seeds);
  for (const int n : count) EXPECT_LT(std::abs(n - expected), 4.5 * sd);
}

TEST(LogisticTask, IsStandardisedOnItsOwnRowsAndHasItsMode) {
  const auto sets = list_data_sets(data);
  EXPECT_EQ(sets.size(), 12);
  for (const DataSet& set : sets) {
    SCOPED_TRACE(set.name);
    const LogisticTask task = load_task(set, data);
    const Matrix design = task.model->design();
    ASSERT_EQ(design.rows(), set.training_rows);
    ASSERT_EQ(design.cols(), set.features + 1);
    const auto n = static_cast<double>(design.rows());
    for (Index j = 1; j < design.cols(); ++j) {
      double sum = 0.0, squares = 0.0;
      for (Index i = 0; i < design.rows(); ++i) {
        sum += design(i, j);
        squares += design(i, j) * design(i, j);
      }
      EXPECT_NEAR(sum / n, 0.0, 1e-12);
      EXPECT_NEAR(squares / n, 1.0, 1e-12);
    }
    const auto evaluator = task.model->make_evaluator();
    OwnedBatch q(task.model->dim(), 1), gradient(task.model->dim(), 1);
    for (Index j = 0; j < q.rows(); ++j) q(j, 0) = task.mode[static_cast<std::size_t>(j)];
    std::vector<double> value(1);
    std::vector<Status> status(1, Status::ok);
    const std::vector<std::uint8_t> active(1, 1);
    evaluator->evaluate({.q = q, .active = active}, {.log_density = value, .gradient = gradient, .status = status});
    for (Index j = 0; j < q.rows(); ++j) EXPECT_NEAR(gradient(j, 0), 0.0, 1e-6);
  }
}

class BadData : public testing::WithFolder {};

TEST_F(BadData, IsNamed) {
  write_text(folder_ / "sets.csv", "name,rows,columns,training_rows\nmine,3,1,2\n");
  write_text(folder_ / "mine.csv", "y,x1\n0,1\n1,2\n");
  const auto sets = list_data_sets(folder_);
  try {
    (void)load_task(sets.at(0), folder_);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("has 2 rows and 1 features, must have 3 and 1"), std::string::npos)
        << e.what();
  }
  EXPECT_THROW((void)list_data_sets(folder_ / "none"), InputError);
  for (const char* rows : {"0", "4", "-1"}) {
    write_text(folder_ / "sets.csv", std::string("name,rows,columns,training_rows\nmine,3,1,") + rows + "\n");
    EXPECT_THROW((void)list_data_sets(folder_), InputError) << rows;
  }
}

TEST_F(BadData, OtherDataHaveAnotherChecksum) {
  write_text(folder_ / "sets.csv", "name,rows,columns,training_rows\nmine,2,1,2\n");
  write_text(folder_ / "mine.csv", "y,x1\n0,1\n1,2\n");
  const std::string before = list_data_sets(folder_).at(0).checksum;
  EXPECT_EQ(list_data_sets(folder_).at(0).checksum, before);
  write_text(folder_ / "mine.csv", "y,x1\n1,1\n0,2\n");
  EXPECT_NE(list_data_sets(folder_).at(0).checksum, before);
}

}  // namespace
}  // namespace darboux::experiments
