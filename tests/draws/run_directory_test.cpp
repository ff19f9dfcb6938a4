#include "draws/run_directory.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <darboux/core/error.hpp>
#include <optional>
#include <set>

#include "support/expect.hpp"
#include "temporary_folder.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;

class RunDirectoryTest : public testing::WithFolder {
 protected:
  [[nodiscard]] std::set<std::string> everything() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      found.insert(fs::relative(entry.path(), folder_).string());
    return found;
  }
  [[nodiscard]] static std::string refusal(const fs::path& directory) {
    return message_of<InputError>([&] { const RunDirectory run(directory); });
  }
};

TEST_F(RunDirectoryTest, AppearsWithItsFirstFile) {
  RunDirectory run(path("a/b/run/"));
  EXPECT_EQ(run.path(), path("a/b/run"));
  EXPECT_EQ(everything(), std::set<std::string>{});
  StanCsvWriter writer(run.chain_files(2), {.warmup_iterations = 0, .sampling_iterations = 1}, {"x"});
  writer.end_warmup({.step_size = 1});
  writer.draw(std::vector{1.0}, {});
  writer.finish({});
  RunManifest manifest;
  run.write(manifest);
  manifest.status = RunStatus::complete;
  manifest.files = {draw_file_entry(2, writer)};
  run.write(manifest);
  EXPECT_EQ(everything(),
            (std::set<std::string>{"a", "a/b", "a/b/run", "a/b/run/chain_2.csv", "a/b/run/run.json", "a/b/run/run.lock",
                                   "a/b/run/statistics", "a/b/run/statistics/chain_2.csv"}));
  EXPECT_EQ(read_manifest(path("a/b/run/run.json")).files[0],
            (DrawFile{.file = "chain_2.csv", .statistics = "statistics/chain_2.csv", .chain = 2, .rows = 1}));
}

TEST_F(RunDirectoryTest, LeavesNothingIfNothingWasWritten) {
  fs::create_directory(path("before"));
  {
    const RunDirectory run(path("before/new"));
  }
  {
    RunDirectory run(path("before/new/run"));
    (void)run.chain_files(1);
    EXPECT_TRUE(fs::is_directory(path("before/new/run/statistics")));
    EXPECT_TRUE(mentions(message_of<InputError>([&] { const StanCsvWriter w(run.chain_files(1), {}, {"x", "x"}); }),
                         {"rename"}));
  }
  EXPECT_EQ(everything(), std::set<std::string>{"before"});
  {
    RunDirectory run(path("before"));  // an empty folder will do, and is not ours to remove
    (void)run.file("x");
  }
  EXPECT_EQ(everything(), std::set<std::string>{"before"});
}

TEST_F(RunDirectoryTest, NeverTouchesAnotherRun) {
  RunManifest manifest;
  manifest.status = RunStatus::complete;
  write_manifest(manifest, path("run.json"));
  EXPECT_TRUE(mentions(refusal(folder_), {folder_.string(), "finished run", "choose another directory", "remove"}));
  manifest.status = RunStatus::interrupted;
  write_manifest(manifest, path("run.json"));
  EXPECT_TRUE(mentions(refusal(folder_), {"\"interrupted\"", "choose another"}));
  write_text(path("run.json"), "no JSON");
  EXPECT_TRUE(mentions(refusal(folder_), {"run.json", "choose another"}));
  fs::rename(path("run.json"), path("notes.txt"));
  EXPECT_TRUE(mentions(refusal(folder_), {"not empty", "notes.txt", "choose another"}));
  EXPECT_TRUE(mentions(refusal(path("notes.txt")), {"file of that name"}));
  EXPECT_TRUE(mentions(refusal(path("notes.txt/run")), {"notes.txt", "not a directory"}));
  EXPECT_TRUE(mentions(refusal(""), {"empty"}));
  EXPECT_EQ(everything(), std::set<std::string>{"notes.txt"});
}

TEST_F(RunDirectoryTest, AForbiddenPlaceIsRefusedBeforeAnyWork) {
  fs::create_directory(path("locked"));
  fs::permissions(path("locked"), fs::perms(0555));
  fs::permissions(folder_, fs::perms(0755));
  const uid_t user = ::geteuid();
  constexpr uid_t nobody = 65534;
  if (user == 0) {  // who may write anywhere
    ASSERT_EQ(::seteuid(nobody), 0);
  }
  const auto inside = refusal(path("locked/new/run"));
  const auto itself = refusal(path("locked"));
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_TRUE(mentions(inside, {"locked/new/run", "cannot be created", "Permission denied"}));
  EXPECT_TRUE(mentions(itself, {"locked", "Permission denied"}));
}

TEST_F(RunDirectoryTest, DrawFilesAreFound) {
  const auto names = [&](const fs::path& where) {
    std::vector<std::string> found;
    for (const fs::path& found_file : find_draw_files(where)) found.push_back(found_file.filename().string());
    return found;
  };
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)find_draw_files(folder_); }), {"no .csv files"}));
  fs::create_directory(path("statistics.csv"));
  for (const char* name : {"out_10.csv", "out_9.csv.gz", "out_09b.csv", "other.txt", "a.csv"})
    (void)file(name, "x\n1\n");
  EXPECT_EQ(names(folder_), (std::vector<std::string>{"a.csv", "out_9.csv.gz", "out_09b.csv", "out_10.csv"}));
  EXPECT_EQ(find_draw_files(path("none.csv")), std::vector{path("none.csv")}) << "opening it will say what is wrong";
  RunManifest manifest;
  write_manifest(manifest, path("run.json"));
  EXPECT_EQ(names(folder_).size(), 4U) << "a killed run, whose manifest lists nothing yet";
  manifest.files = {{.file = "out_10.csv"}, {.file = "a.csv"}};
  write_manifest(manifest, path("run.json"));
  EXPECT_EQ(names(folder_), (std::vector<std::string>{"out_10.csv", "a.csv"}));
}

}  // namespace
}  // namespace darboux
