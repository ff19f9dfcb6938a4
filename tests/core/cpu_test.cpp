#include "core/cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "darboux/core/error.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::message_of;

TEST(Cpu, KindsGoFromTheBaselineToTheBest) {
  const auto kinds = supported_cpu_kinds();
  ASSERT_FALSE(kinds.empty());
  EXPECT_EQ(kinds.front(), CpuKind::baseline);
  EXPECT_TRUE(std::is_sorted(kinds.begin(), kinds.end()));
}

TEST(Cpu, KindCanBeChosenAndIsGivenBack) {
  const CpuKind before = cpu_kind();
  testing::on_every_cpu([](CpuKind kind) { EXPECT_EQ(cpu_kind(), kind); });
  EXPECT_EQ(cpu_kind(), before);
}

TEST(Cpu, RefusesWhatTheProcessorCannotRun) {
  const auto kinds = supported_cpu_kinds();
  for (const CpuKind kind : {CpuKind::avx2, CpuKind::avx512}) {
    if (std::ranges::count(kinds, kind) == 0) {
      EXPECT_EQ(message_of<InputError>([&] { use_cpu_kind(kind); }),
                "cpu kind = " + std::string(name(kind)) + ": this processor cannot run it");
    }
  }
}

// The variable is read once, so each of these asks in a process of its own.
TEST(CpuDeathTest, EnvironmentVariableChooses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto kind_with = [](const char* value) {
    setenv("DARBOUX_CPU", value, 1);
    std::exit(static_cast<int>(cpu_kind()));
  };
  EXPECT_EXIT(kind_with("baseline"), ::testing::ExitedWithCode(0), "");
  const auto best = static_cast<int>(supported_cpu_kinds().back());
  EXPECT_EXIT(kind_with(""), ::testing::ExitedWithCode(best), "");
  const auto refusal_of = [](const char* value) {
    setenv("DARBOUX_CPU", value, 1);
    const std::string message = message_of<InputError>([] { (void)cpu_kind(); });
    std::exit(message == "unknown DARBOUX_CPU \"486\". Known: baseline, avx2, avx512" ? 7 : 1);
  };
  EXPECT_EXIT(refusal_of("486"), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace darboux
