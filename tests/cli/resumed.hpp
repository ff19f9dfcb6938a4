#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sstream>
#include <string>
#include <thread>

#include "draws/run_directory.hpp"
#include "program.hpp"
#include "support/expect.hpp"
#include "support/mpi.hpp"

namespace darboux {

/// A real process that is killed, and what darboux resume makes of what it left.
class Resumed : public testing::WithProgram {
 protected:
  /// What a text says apart from times.
  [[nodiscard]] static std::string timeless(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (line.find("start_datetime") == std::string::npos && line.find(" seconds (") == std::string::npos)
        out += line + "\n";
    return out;
  }
  /// A run to compare with; it ends up in the folder `name`, but its files say that it was made in `out`, like those of others.
  void run_at_once(const std::string& arguments, const std::string& name) const {
    const testing::Outcome outcome = run("sample " + arguments + " --out out");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::filesystem::rename(path("out"), path(name));
  }
  void expect_same(const std::string& name) const {
    const RunManifest whole = read_manifest(path(name + "/run.json")), resumed = read_manifest(path("out/run.json"));
    ASSERT_FALSE(whole.files.empty());
    for (const DrawFile& file : whole.files)
      for (const std::string& part : {file.file, file.statistics})
        EXPECT_TRUE(timeless(read_text(path("out/" + part))) == timeless(read_text(path(name + "/" + part)))) << part;
    EXPECT_EQ(read_text(path("out/tuning.json")), read_text(path(name + "/tuning.json")));
    EXPECT_EQ(resumed.status, RunStatus::complete);
    EXPECT_EQ(resumed.files, whole.files);
    EXPECT_EQ(resumed.asked, whole.asked);
    EXPECT_EQ(resumed.inputs, whole.inputs);
    EXPECT_EQ(resumed.tuning, whole.tuning);
    EXPECT_EQ(resumed.warmup.gradients, whole.warmup.gradients);
    EXPECT_EQ(resumed.sampling.gradients, whole.sampling.gradients);
    EXPECT_EQ(resumed.min_bulk_ess, whole.min_bulk_ess);
    EXPECT_FALSE(std::filesystem::exists(path("out/run.lock")));
  }
  /// What a run of three processes says, and leaves, where one of them was killed.
  void expect_told_of_a_death(const testing::Outcome& outcome, bool of_first) const {
    EXPECT_NE(outcome.status, 0);
    const RunStatus status = read_manifest(path("out/run.json")).status;
    if (!testing::launcher_spares_others()) {
      EXPECT_EQ(status, RunStatus::running);
      return;
    }
    EXPECT_TRUE(testing::mentions(outcome.err, {of_first ? "rank 0 of 3 (process " : "of 3 (process ",
                                                "has ended without a word", "darboux resume out"}))
        << outcome.err;
    EXPECT_EQ(outcome.err.find("without a word"), outcome.err.rfind("without a word")) << outcome.err;
    EXPECT_EQ(status, of_first ? RunStatus::running : RunStatus::failed);  // the first one writes it
  }
  void wait_for(const std::string& file) const {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!std::filesystem::exists(path(file)) && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// Starts a run, and kills it after a while.
  void run_and_kill(const std::string& arguments, std::chrono::steady_clock::duration after,
                    const std::string& once_there_is = ".") const {
    const pid_t child = start("sample " + arguments + " --out out");
    wait_for(once_there_is);
    std::this_thread::sleep_for(after);
    ::kill(child, SIGKILL);
    (void)wait(child);
  }
  void flip_a_bit(const std::string& file, std::size_t at) const {
    std::string text = read_text(path(file));
    text.at(at) = static_cast<char>(text.at(at) ^ 1);
    write_text(path(file), text);
  }
};

inline const std::string often = " --checkpoint-seconds 0.01 --chains 6 --save-warmup --seed 3";

}  // namespace darboux
