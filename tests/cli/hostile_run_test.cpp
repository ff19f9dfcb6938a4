#include <gtest/gtest.h>

#include <chrono>

#include "draws/run_manifest.hpp"
#include "io/checksum.hpp"
#include "program.hpp"
#include "support/expect.hpp"

/// Folders of runs that somebody else made: what reads them runs nothing that is in them, and says nothing that a terminal would obey.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

class HostileRun : public testing::WithProgram {
 protected:
  /// A finished run that says that it was of another model.
  RunManifest made_of(const std::string& model) {
    fs::remove_all(path("run"));
    fs::copy(DARBOUX_SOURCE_FOLDER "/tests/cli/kept/banana", path("run"), fs::copy_options::recursive);
    RunManifest manifest = read_manifest(path("run/run.json"));
    manifest.asked.set("model", model);
    write(manifest);
    std::string tuning = read_text(path("run/tuning.json"));
    const std::string former = "\"banana\"";
    tuning.replace(tuning.find(former), former.size(), '"' + fs::path(model).stem().string() + '"');
    (void)file("run/tuning.json", tuning);
    return manifest;
  }
  void write(const RunManifest& manifest) const { write_manifest(manifest, path("run/run.json")); }

  [[nodiscard]] std::string witness() const { return "WITNESS=" + path("witness").string() + " "; }
  [[nodiscard]] bool was_loaded() const { return fs::exists(path("witness")); }
};

TEST_F(HostileRun, NothingIsLoadedByWhatReadsIt) {
  const std::string library = DARBOUX_WITNESS;
  for (const std::string command : {"summary run", "report run --json -", "convert run --to zarr --output a.zarr",
                                    "convert run --to csv --output a", "merge run run --out all"}) {
    (void)made_of(library);
    const Outcome outcome = run(command, witness());
    EXPECT_EQ(outcome.status, command.starts_with("merge") ? 2 : 0) << command << ": " << outcome.err;
    EXPECT_FALSE(was_loaded()) << command;
  }
}

TEST_F(HostileRun, NothingIsCompiledByWhatReadsIt) {
  (void)file("model.stan", "parameters { real x; } model { x ~ normal(0, 1); }");
  fs::create_directories(path("toolchain/bin"));
  (void)file("toolchain/bin/stanc", "#!/bin/sh\n: >'" + path("witness").string() + "'\n");
  fs::permissions(path("toolchain/bin/stanc"), fs::perms::owner_all);
  RunManifest manifest = made_of(path("model.stan"));
  manifest.asked.set("stan", path("toolchain").string());
  write(manifest);
  for (const std::string command : {"summary run", "report run --json -", "convert run --to zarr --output a.zarr"}) {
    EXPECT_EQ(run(command, "XDG_CACHE_HOME='" + path("cache").string() + "' ").status, 0) << command;
    EXPECT_FALSE(was_loaded()) << command;
    EXPECT_FALSE(fs::exists(path("cache"))) << command;
  }
}

/// Going on with a run takes its model: what will run is said first, and is refused where it is not what it was.
TEST_F(HostileRun, WhatIsGoneOnWithIsToldBeforeItIsLoaded) {
  fs::copy_file(DARBOUX_WITNESS, path("model.so"));
  RunManifest manifest = made_of("model.so");
  manifest.status = RunStatus::interrupted;
  manifest.decided.set("checkpoint_seconds", 3.0);
  manifest.decided.set("left_checkpoints", false);
  write(manifest);
  const Outcome unknown = run("resume run", witness());
  EXPECT_TRUE(mentions(unknown.err, {path("model.so").string() + " is loaded now", "whatever you can", "not known"}))
      << unknown.err;
  EXPECT_TRUE(was_loaded());
  fs::remove(path("witness"));

  manifest.inputs.set("model", checksum_of_file(path("model.so")));
  write(manifest);
  const Outcome known = run("resume run", witness());
  EXPECT_TRUE(mentions(known.err, {"is loaded now"})) << known.err;
  EXPECT_EQ(known.err.find("not known"), std::string::npos);
  fs::remove(path("witness"));

  manifest.inputs.set("model", "crc32 00000000");
  write(manifest);
  const Outcome changed = run("resume run", witness());
  EXPECT_EQ(changed.status, 2);
  EXPECT_TRUE(mentions(changed.err, {"model = model.so", "has changed"}));
  EXPECT_FALSE(was_loaded());
}

/// "\x1b]0;…\a" sets the title of a terminal, "\x1b[2J" clears it.
TEST_F(HostileRun, ATerminalIsNotTalkedTo) {
  const std::string escape = "\x1b]0;mine\a\x1b[2J";
  const auto silent = [&](const Outcome& outcome, const std::string& what) {
    EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << what;
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << what;
    EXPECT_EQ(outcome.err.find('\a'), std::string::npos) << what;
  };
  (void)file("table.csv", "y,\"a" + escape + "\"\n1,2\n0,x\n");
  const Outcome refused = run("sample logistic --data table.csv");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(mentions(refused.err, {"table.csv:3", "mine"})) << refused.err;
  silent(refused, "the name of a column");

  RunManifest manifest = made_of("banana");
  manifest.warnings = {"a warning" + escape};
  manifest.status = RunStatus::failed;
  manifest.message = "it failed" + escape;
  manifest.darboux_version = "0.0" + escape;
  manifest.asked.set("structure", escape);
  write(manifest);
  silent(run("summary run"), "what a manifest says");
  silent(run("resume run"), "a structure");
  manifest.asked.set("structure", "canonical");
  write(manifest);
  silent(run("resume run --draws 100"), "a version");

  std::string draws = read_text(path("run/chain_1.csv"));
  draws.replace(draws.find("q.1"), 3, "q" + escape);
  (void)file("run/chain_1.csv", draws);
  silent(run("summary run"), "two files that differ");
  silent(run("summary run/chain_1.csv --parameters z"), "a name that is looked for");
}

}  // namespace
}  // namespace darboux
