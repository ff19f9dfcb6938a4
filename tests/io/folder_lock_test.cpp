#include "io/folder_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "darboux/core/error.hpp"
#include "draws/temporary_folder.hpp"
#include "io/file.hpp"
#include "support/expect.hpp"

namespace darboux::testing {
namespace {

class FolderLockTest : public WithFolder {};

TEST_F(FolderLockTest, TheSecondIsRefusedWithTheFirstsNumber) {
  const std::string number = std::to_string(::getpid());
  {
    const FolderLock first(folder_);
    EXPECT_EQ(FolderLock::holder(folder_), number);
    EXPECT_TRUE(mentions(message_of<InputError>([&] { const FolderLock second(folder_); }),
                         {folder_.string(), "process " + number, "wait"}));
    EXPECT_EQ(FolderLock::holder(folder_), number) << "the one that was refused took nothing away";
  }
  EXPECT_FALSE(FolderLock::holder(folder_));
  EXPECT_FALSE(std::filesystem::exists(path("run.lock")));
  EXPECT_NO_THROW(const FolderLock again(folder_));
}

TEST_F(FolderLockTest, WhatADeadProcessLeftMeansNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder_);
    ::_exit(0);  // as killed: nothing is tidied up
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read_text(path("run.lock")), std::to_string(child) + "\n");
  EXPECT_FALSE(FolderLock::holder(folder_));
  EXPECT_NO_THROW(const FolderLock lock(folder_));
}

}  // namespace
}  // namespace darboux::testing
