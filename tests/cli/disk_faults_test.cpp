#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>

#include "draws/run_directory.hpp"
#include "draws/run_manifest.hpp"
#include "draws/stan_csv_reader.hpp"
#include "program.hpp"
#include "support/expect.hpp"

/// Disks that are full, cannot be written to, or are gone.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;
using namespace std::chrono_literals;

/// A disk of its own, of a few kilobytes.
class WithDisk : public testing::WithProgram {
 protected:
  ~WithDisk() override {
    if (mounted_) ::umount2(path("disk").c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mount_disk(const std::string& size) {
    fs::create_directory(path("disk"));
    mounted_ = ::mount("tmpfs", path("disk").c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    return mounted_;
  }
  void make_read_only() const {
    ASSERT_EQ(::mount("tmpfs", path("disk").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  }
  static std::string last_line(const std::string& text) {
    const auto end = text.find_last_not_of('\n');
    const auto begin = text.find_last_of('\n', end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
  }

  bool mounted_ = false;
};

#define SKIP_UNLESS_MOUNTED(size) \
  if (!mount_disk(size)) GTEST_SKIP() << "mounting a small disk takes the rights of root"

TEST_F(WithDisk, AFullOneKeepsWholeRowsAndTheRunCanGoOn) {
  SKIP_UNLESS_MOUNTED("400k");
  const std::string arguments = "sample banana --warmup 100 --seed 1 --quiet --checkpoint-seconds 0 --draws ";
  const Outcome full = run(arguments + "100000 --out disk/out");
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(mentions(last_line(full.err), {"cannot write disk/out/", "No space left"}));
  for (const fs::path& file : find_draw_files(path("disk/out")))
    EXPECT_FALSE(StanCsvReader(file).count_rows().incomplete_line) << file;
  const Outcome summary = run("summary disk/out");
  EXPECT_EQ(summary.status, 0) << summary.err;
  EXPECT_TRUE(mentions(summary.out, {"4 chains × ", "did not get to its end"}));

  // There is more room now.
  ASSERT_EQ(::mount("tmpfs", path("disk").c_str(), "tmpfs", MS_REMOUNT, "size=4m"), 0);
  const Outcome rest = run("resume disk/out --draws 3000 --quiet");
  EXPECT_EQ(rest.status, 0) << rest.err;
  ASSERT_EQ(run(arguments + "3000 --out whole").status, 0);
  for (const std::string chain : {"/chain_1.csv", "/chain_4.csv"})
    EXPECT_TRUE(rows("disk/out" + chain) == rows("whole" + chain)) << chain;
}

/// So small that not even the manifest can be replaced: the last line says what there is.
TEST_F(WithDisk, OneWithoutRoomForTheManifestHasItSaid) {
  SKIP_UNLESS_MOUNTED("64k");
  const Outcome outcome = run("sample banana --warmup 100 --draws 100000 --seed 1 --quiet --out disk/out");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(last_line(outcome.err), {"darboux: failed: cannot write disk/out/", "No space left",
                                                "On disk are", "manifest", "draws"}));
}

TEST_F(WithDisk, OneWithoutAnyRoomIsLeftEmpty) {
  SKIP_UNLESS_MOUNTED("8k");
  for (int i = 0; fs::space(path("disk")).available > 0; ++i)
    (void)file("disk/filling-" + std::to_string(i), std::string(4096, 'x'));
  const Outcome outcome = run("sample banana --seed 1 --quiet --out disk/out");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(last_line(outcome.err), {"No space left", "On disk are no manifest and no draws"}));
  EXPECT_FALSE(fs::exists(path("disk/out")));
}

/// What is made from draws may not find room that draws found.
TEST_F(WithDisk, OneThatIsFullAfterTheDrawsCostsNoDraws) {
  SKIP_UNLESS_MOUNTED("1m");
  const Outcome full =
      run("sample logistic --data '" DARBOUX_SOURCE_FOLDER
          "/data/german.csv' --seed 5 --warmup 100 --draws 50 --log-likelihood --quiet --out disk/out");
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(mentions(last_line(full.err),
                       {"cannot write disk/out/", "No space left", "The draws are all on disk", "darboux resume"}));
  EXPECT_EQ(run("summary disk/out").status, 0);
  ASSERT_EQ(::mount("tmpfs", path("disk").c_str(), "tmpfs", MS_REMOUNT, "size=20m"), 0);
  const Outcome rest = run("resume disk/out --quiet");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(fs::exists(path("disk/out/log_likelihood/chain_4.csv")));
  EXPECT_TRUE(read_manifest(path("disk/out/run.json")).min_bulk_ess);
}

TEST_F(WithDisk, AReadOnlyOneCanBeReadAndIsNamed) {
  SKIP_UNLESS_MOUNTED("4m");
  ASSERT_EQ(run("sample banana --draws 200 --seed 1 --quiet --out disk/out").status, 0);
  make_read_only();
  EXPECT_EQ(run("summary disk/out").status, 0);
  const Outcome again = run("sample banana --draws 200 --seed 1 --quiet --out disk/other");
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(mentions(again.err, {"disk/other", "Read-only file system"}));
  const Outcome more = run("resume disk/out --draws 300");
  EXPECT_EQ(more.status, 2);
  EXPECT_TRUE(mentions(more.err, {"disk/out", "Read-only file system", "copy it"}));
  const Outcome report = run("report disk/out");
  EXPECT_EQ(report.status, 2);
  EXPECT_TRUE(mentions(report.err, {"--out", "disk/out", "Read-only file system"}));
}

/// A file system of its own, in a file: what is not on the disk yet can be taken from it, as by a power cut.
class WithPowerCut : public WithDisk {
 protected:
  [[nodiscard]] bool make_file_system() {
    const std::string file = path("image").string();
    fs::create_directory(path("disk"));
    return std::system(("truncate -s 300M '" + file + "' && mkfs.ext4 -q '" + file + "' 2> /dev/null").c_str()) == 0 &&
           mount_it();
  }
  [[nodiscard]] bool mount_it() {
    const std::string command =
        "mount -o loop '" + path("image").string() + "' '" + path("disk").string() + "' 2> /dev/null";
    mounted_ = std::system(command.c_str()) == 0;
    return mounted_;
  }
  /// Nothing is written any more, and what has not been is lost. Processes get errors.
  void cut_power() {
    const int fd = ::open(path("disk").c_str(), O_RDONLY | O_CLOEXEC);
    std::uint32_t without_flushing = 2;
    EXPECT_EQ(::ioctl(fd, _IOR('X', 125, std::uint32_t), &without_flushing), 0);
    ::close(fd);
  }
  [[nodiscard]] bool mount_again() { return ::umount(path("disk").c_str()) == 0 && mount_it(); }
};

class WithPowerCutOf : public WithPowerCut, public ::testing::WithParamInterface<std::string> {
 protected:
  /// Of all files of draws, without what speaks of time.
  [[nodiscard]] std::map<std::string, std::string> draws_in(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder))) {
      const std::string name = fs::relative(entry, path(folder)).string();
      if (name.ends_with(".csv")) files[name] = rows(folder + "/" + name);
      const bool is_of_store = name.starts_with("draws.zarr/") && entry.is_regular_file();
      if (is_of_store && !name.ends_with("zarr/.zattrs") && !name.ends_with(".zmetadata"))
        files[name] = read_text(entry);
    }
    return files;
  }
};

TEST_P(WithPowerCutOf, ARunGoesOnFromItsNewestCheckpoint) {
  if (!make_file_system())
    GTEST_SKIP() << "a file system in a file takes the rights of root, mkfs.ext4 and a loop device";
#ifdef DARBOUX_SANITIZED  // which makes a run four times as long
  const std::string draws = "60000";
#else
  const std::string draws = "200000";
#endif
  const std::string arguments = "sample banana --seed 3 --chains 2 --draws " + draws +
                                " --checkpoint-seconds 0.2 --quiet --format " + GetParam() + " --out ";
  ASSERT_EQ(run(arguments + "whole").status, 0);
  for (int cut = 0; cut < 3; ++cut) {
    fs::remove_all(path("disk/out"));
    const pid_t child = start(arguments + "disk/out");
    const auto patience = std::chrono::steady_clock::now() + 60s;
    while (!fs::exists(path("disk/out/checkpoint-before.bin")) && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(70 * cut));
    cut_power();
    const Outcome outcome = wait(child);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(mentions(outcome.err, {"disk/out", "Input/output error"}));
    ASSERT_TRUE(mount_again());
    const Outcome rest = run("resume disk/out --quiet");
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_EQ(rest.err, "") << "of the newest checkpoint";
    EXPECT_TRUE(draws_in("disk/out") == draws_in("whole"));
  }
}

/// What is told to be complete is on the disk.
TEST_P(WithPowerCutOf, ACompleteRunIsWhole) {
  if (!make_file_system())
    GTEST_SKIP() << "a file system in a file takes the rights of root, mkfs.ext4 and a loop device";
  const std::string arguments = "sample banana --seed 3 --draws 3000 --quiet --format " + GetParam() + " --out ";
  ASSERT_EQ(run(arguments + "whole").status, 0);
  ASSERT_EQ(run(arguments + "disk/out").status, 0);
  cut_power();
  ASSERT_TRUE(mount_again());
  EXPECT_TRUE(draws_in("disk/out") == draws_in("whole"));
  const Outcome summary = run("summary disk/out");
  EXPECT_EQ(summary.status, 0) << summary.err;
}

INSTANTIATE_TEST_SUITE_P(Formats, WithPowerCutOf, ::testing::Values("csv", "zarr", "csv,zarr"), [](const auto& format) {
  std::string name = format.param;
  std::erase(name, ',');
  return name;
});

class RunWhose : public testing::WithProgram {
 protected:
  [[nodiscard]] pid_t start_and_wait_for_draws(const std::string& arguments) const {
    const pid_t child = start("sample banana --warmup 100 --draws 100000000 --seed 1 --quiet --out out " + arguments);
    const auto patience = std::chrono::steady_clock::now() + 60s;
    while (!fs::exists(path("out/tuning.json")) && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(5ms);
    return child;
  }
  /// At one moment.
  void exchange(const std::string& a, const std::string& b) const {
    ASSERT_EQ(::renameat2(AT_FDCWD, path(a).c_str(), AT_FDCWD, path(b).c_str(), RENAME_EXCHANGE), 0);
  }
};

TEST_F(RunWhose, FolderVanishesSaysSoAndDoesNotPutAnotherInItsPlace) {
  const pid_t child = start_and_wait_for_draws("--checkpoint-seconds 0.1");
  fs::rename(path("out"), path("elsewhere"));
  const Outcome outcome = wait(child);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"cannot write out/", "No such file or directory", "On disk are no manifest"}));
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_EQ(run("resume elsewhere --draws 100000 --quiet --max-seconds 0.1").status, 0) << "nothing is lost";
}

TEST_F(RunWhose, FolderIsReplacedByAnEmptyOneLeavesThatAlone) {
  const pid_t child = start_and_wait_for_draws("--checkpoint-seconds 0.1");
  fs::create_directory(path("other"));
  exchange("out", "other");
  EXPECT_EQ(wait(child).status, 1);
  EXPECT_TRUE(fs::is_empty(path("out")));
}

TEST_F(RunWhose, FolderIsReplacedSaysSoAndLeavesTheOtherAlone) {
  const pid_t child = start_and_wait_for_draws("--checkpoint-seconds 0.1");
  fs::create_directories(path("other/statistics"));
  (void)file("other/run.lock", "of another process");
  for (const std::string chain : {"chain_1.csv", "chain_2.csv", "chain_3.csv", "chain_4.csv"})
    for (const std::string folder : {"other/", "other/statistics/"}) (void)file(folder + chain, "");
  exchange("out", "other");
  const Outcome outcome = wait(child);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"cannot write out/", "the folder has been moved or removed"}));
  EXPECT_FALSE(fs::exists(path("out/run.json")));
  EXPECT_EQ(read_text(path("out/run.lock")), "of another process");
  EXPECT_EQ(run("resume other --draws 100000 --quiet --max-seconds 0.1").status, 0) << "nothing is lost";
}

}  // namespace
}  // namespace darboux
