#include "io/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "darboux/core/error.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

TEST(Process, OutputAndErrorsComeBackInTheirOrder) {
  const ProgramEnd end = run_program({"sh", "-c", "echo one; echo two >&2; echo three"});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output, "one\ntwo\nthree\n");
}

TEST(Process, ArgumentsArePassedAsTheyAre) {
  EXPECT_EQ(run_program({"printf", "%s|", "a b", "$HOME", "'", ""}).output, "a b|$HOME|'||");
}

TEST(Process, StatusTellsFailuresAndSignals) {
  EXPECT_EQ(run_program({"sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 137);
}

TEST(Process, MuchOutputDoesNotBlock) {
  EXPECT_EQ(run_program({"sh", "-c", "head -c 1000000 /dev/zero"}).output.size(), 1'000'000U);
}

TEST(Process, WhatCannotBeStartedIsNamed) {
  EXPECT_TRUE(mentions(message_of<Error>([] { (void)run_program({"/nowhere/program"}); }), {"/nowhere/program"}));
}

TEST(Process, WhoWaitsIsToldTheTime) {
  double last = -1.0;
  (void)run_program({"sleep", "0.5"}, [&](double seconds) {
    EXPECT_GE(seconds, last);
    last = seconds;
  });
  EXPECT_GT(last, 0.1);
}

TEST(Process, AProgramThatNobodyWaitsForIsEnded) {
  EXPECT_THROW((void)run_program({"sleep", "60"}, [](double /*seconds*/) { throw Error("enough"); }), Error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace darboux
