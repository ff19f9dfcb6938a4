#include "support/mpi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <string>

#include "io/process.hpp"

namespace darboux {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Processes that mpirun starts on this machine, more than it has processors for.
class Processes : public ::testing::Test {
 protected:
  void SetUp() override { testing::need_mpi(); }
  static std::string output_of(int count, const char* what) {
    const ProgramEnd end = run_program(
        {testing::mpirun(), "-n", std::to_string(count), DARBOUX_GROUP_PROGRAM, testing::mpi_module_file(), what});
    return end.output;
  }
};

TEST_F(Processes, ExchangeWhatTheyHave) {
  for (const int count : {1, 2, 3}) EXPECT_THAT(output_of(count, "exchange"), HasSubstr("all right")) << count;
}

TEST_F(Processes, HearWhyOneCannotGoOn) {
  const std::string output = output_of(3, "fail");
  for (const char* listener : {"heard by 0: rank 2 of 3 (process ", "heard by 1: rank 2 of 3 (process "})
    EXPECT_THAT(output, HasSubstr(listener));
  EXPECT_THAT(output, HasSubstr("could not go on: of a reason of its own"));
  EXPECT_THAT(output, Not(HasSubstr("it went on")));
}

/// The launcher ends the others a second later: they have to know before.
TEST_F(Processes, NoticeTheDeathOfOne) {
  if (!testing::launcher_spares_others()) GTEST_SKIP() << "this launcher kills all at once";
  for (const char* death : {"killed", "leaves"}) {
    const std::string output = output_of(3, death);
    EXPECT_THAT(output, HasSubstr("heard by 0: rank 2 of 3 (process ")) << death;
    EXPECT_THAT(output, HasSubstr("has ended without a word")) << death;
    EXPECT_THAT(output, Not(HasSubstr("it went on"))) << death;
  }
}

/// The same, where nobody asks for a minute.
TEST_F(Processes, ThatComputeForLongEndWhereOneIsKilled) {
  if (!testing::launcher_spares_others()) GTEST_SKIP() << "this launcher kills all at once";
  const auto begin = std::chrono::steady_clock::now();
  const std::string output = output_of(3, "compute");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  for (const char* ended : {"ended 0: rank 2 of 3 (process ", "ended 1: rank 2 of 3 (process "})
    EXPECT_THAT(output, HasSubstr(ended));
  EXPECT_THAT(output, HasSubstr("has ended without a word meanwhile"));
}

/// As of another MPI than that of the program.
TEST_F(Processes, OfALauncherThatMpiDoesNotKnowAreRefused) {
  ::setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  ::setenv("SLURM_PROCID", "0", 1);
  const ProgramEnd end = run_program({DARBOUX_GROUP_PROGRAM, testing::mpi_module_file(), "exchange"});
  ::unsetenv("SLURM_STEP_NUM_TASKS");
  ::unsetenv("SLURM_PROCID");
  EXPECT_THAT(end.output,
              HasSubstr("refused: srun started this program 4 times, but the MPI that it was built with, "));
}

}  // namespace
}  // namespace darboux
