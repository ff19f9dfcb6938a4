#include "io/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "darboux/core/error.hpp"
#include "draws/temporary_folder.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;

class ScratchFolderTest : public testing::WithFolder {};

TEST_F(ScratchFolderTest, IsNewAndGoesWithItsOwnerAndNothingElseDoes) {
  (void)file("mine", "precious");
  fs::path first, second;
  {
    const ScratchFolder a(path(".")), b(path("."));
    first = a.path(), second = b.path();
    EXPECT_NE(first, second);
    EXPECT_TRUE(fs::is_empty(first));
    std::ofstream(first / "half") << "of it";
  }
  EXPECT_FALSE(fs::exists(first) || fs::exists(second));
  EXPECT_TRUE(fs::exists(path("mine")));
}

TEST_F(ScratchFolderTest, NamesThePlaceWhereItCannotBe) {
  const fs::path taken = file("taken", "a file");
  EXPECT_TRUE(testing::mentions(testing::message_of<Error>([&] { const ScratchFolder folder(taken / "x"); }),
                                {"cannot make a folder in", taken.string()}));
}

}  // namespace
}  // namespace darboux
