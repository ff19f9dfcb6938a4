#include "cluster/launch.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <utility>
#include <vector>

namespace darboux {
namespace {

/// With nothing of a launcher in the environment but what a test says; what was there comes back.
class FoundLaunch : public ::testing::Test {
 protected:
  FoundLaunch() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"})
      ::unsetenv(name);
  }
  static std::optional<Launch> with(const std::vector<std::pair<const char*, const char*>>& variables) {
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
    const auto found = find_launch();
    for (const auto& [name, value] : variables) ::unsetenv(name);
    return found;
  }
};

TEST_F(FoundLaunch, IsThatOfTheLauncher) {
  EXPECT_FALSE(find_launch().has_value());
  const auto open_mpi = with({{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  ASSERT_TRUE(open_mpi.has_value());
  EXPECT_EQ(open_mpi->launcher, "mpirun");
  EXPECT_EQ(open_mpi->size, 8);
  EXPECT_EQ(open_mpi->rank, 3);
  const auto mpich = with({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
  ASSERT_TRUE(mpich.has_value());
  EXPECT_EQ(mpich->size, 2);
  const auto slurm = with({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}});
  ASSERT_TRUE(slurm.has_value());
  EXPECT_EQ(slurm->launcher, "srun");
  EXPECT_EQ(slurm->size, 4);
}

TEST_F(FoundLaunch, IsNoneOfASingleProcess) {
  EXPECT_FALSE(with({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}).has_value());
  EXPECT_FALSE(with({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}).has_value());
  EXPECT_FALSE(with({{"PMI_SIZE", "two"}, {"PMI_RANK", "0"}}).has_value());
}

/// A batch script is one process of a job that has several.
TEST_F(FoundLaunch, IsNoneOfABatchScript) {
  EXPECT_FALSE(with({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}).has_value());
}

}  // namespace
}  // namespace darboux
