#include <gtest/gtest.h>

#include "cluster/mpi_group.hpp"
#include "darboux/core/error.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

TEST(MpiModules, OfAnMpiForOneThreadAreRefused) {
  const auto open = [] {
    (void)open_mpi_group({.launcher = "mpirun", .rank = 0, .size = 2}, DARBOUX_MPI_FOR_ONE_THREAD, {});
  };
  EXPECT_TRUE(testing::mentions(testing::message_of<InputError>(open), {"Some MPI 1.0", "MPI_THREAD_SERIALIZED"}));
}

}  // namespace
}  // namespace darboux
