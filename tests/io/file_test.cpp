#include "io/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <darboux/core/error.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;

class File : public ::testing::Test {
 public:
  File() {
    std::string pattern = (fs::temp_directory_path() / "darboux-file-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~File() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename());
    return found;
  }

  fs::path folder_;
};

TEST_F(File, text_survives_byte_by_byte) {
  std::string text = "line\r\nμ\n";
  text.push_back('\0');
  text += std::string(300000, 'x');  // more than one buffer
  write_text(path("a.txt"), text);
  EXPECT_EQ(read_text(path("a.txt")), text);
  write_text(path("empty"), "");
  EXPECT_EQ(read_text(path("empty")), "");
}

TEST_F(File, writing_replaces_the_file_and_leaves_nothing_else) {
  write_text(path("a.txt"), "a long old text");
  write_text(path("a.txt"), "new");
  EXPECT_EQ(read_text(path("a.txt")), "new");
  EXPECT_EQ(names(), (std::set<std::string>{"a.txt"}));
}

TEST_F(File, a_beginning_is_replaced_by_another) {
  const std::string rest(200000, 'x');  // more than one buffer
  write_text(path("a.txt"), "old\n" + rest + "what is left out");
  replace_beginning(path("a.txt"), "another\n", 4, std::ssize(rest));
  EXPECT_TRUE(read_text(path("a.txt")) == "another\n" + rest);
  EXPECT_THROW(replace_beginning(path("a.txt"), "", 0, 1'000'000), Error) << "there is less of it";
  EXPECT_TRUE(read_text(path("a.txt")) == "another\n" + rest);
  EXPECT_EQ(names(), (std::set<std::string>{"a.txt"}));
}

TEST_F(File, a_name_in_the_working_directory_needs_no_folder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write_text("plain.txt", "text");
  fs::current_path(before);
  EXPECT_EQ(read_text(path("plain.txt")), "text");
}

TEST_F(File, permissions_are_the_users_choice) {
  const mode_t mask = ::umask(027);
  write_text(path("fresh"), "x");
  ::umask(mask);
  EXPECT_EQ(fs::status(path("fresh")).permissions(), fs::perms(0640));
  fs::permissions(path("fresh"), fs::perms(0604));
  write_text(path("fresh"), "y");
  EXPECT_EQ(fs::status(path("fresh")).permissions(), fs::perms(0604));
}

TEST_F(File, a_link_stays_a_link) {
  write_text(path("real"), "old");
  fs::create_symlink("real", path("link"));
  write_text(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_text(path("real")), "new");
}

TEST_F(File, reading_names_the_file_and_the_reason) {
  const auto missing = message_of<InputError>([&] { (void)read_text(path("none.json")); });
  EXPECT_TRUE(mentions(missing, {"cannot read", path("none.json").string(), "No such file"}));
  const auto folder = message_of<InputError>([&] { (void)read_text(folder_); });
  EXPECT_TRUE(mentions(folder, {"cannot read", folder_.string(), "Is a directory"}));
}

TEST_F(File, a_missing_folder_is_an_error) {
  const auto message = message_of<Error>([&] { write_text(path("none/a.txt"), "x"); });
  EXPECT_TRUE(mentions(message, {"cannot write", path("none/a.txt").string(), "No such file"}));
}

TEST_F(File, a_folder_is_not_replaced) {
  fs::create_directory(path("folder"));
  const auto message = message_of<Error>([&] { write_text(path("folder"), "x"); });
  EXPECT_TRUE(mentions(message, {"cannot write", path("folder").string(), "Is a directory"}));
  EXPECT_TRUE(fs::is_directory(path("folder")));
  EXPECT_EQ(names(), (std::set<std::string>{"folder"}));
}

TEST_F(File, a_device_is_not_replaced) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const auto message = message_of<Error>([&] { write_text(path("pipe"), "x"); });
  EXPECT_TRUE(mentions(message, {path("pipe").string(), "not a regular file"}));
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(File, a_dangling_link_is_an_error) {
  fs::create_symlink("nowhere", path("link"));
  const auto message = message_of<Error>([&] { write_text(path("link"), "x"); });
  EXPECT_TRUE(mentions(message, {path("link").string(), "No such file"}));
  EXPECT_EQ(names(), (std::set<std::string>{"link"}));
}

TEST_F(File, a_forbidden_folder_is_an_error_and_the_old_file_stays) {
  write_text(path("a.txt"), "old");
  fs::permissions(folder_, fs::perms(0555));
  const uid_t user = ::geteuid();
  constexpr uid_t nobody = 65534;
  if (user == 0) {  // who may write anywhere
    ASSERT_EQ(::seteuid(nobody), 0);
  }
  const auto message = message_of<Error>([&] { write_text(path("a.txt"), "new"); });
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_TRUE(mentions(message, {"cannot write", path("a.txt").string(), "Permission denied"}));
  EXPECT_EQ(read_text(path("a.txt")), "old");
}

TEST_F(File, a_write_that_fails_half_way_leaves_the_old_file_whole) {
  write_text(path("a.txt"), "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto message = message_of<Error>([&] { write_text(path("a.txt"), std::string(5000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(mentions(message, {"cannot write", path("a.txt").string(), "File too large"}));
  EXPECT_EQ(read_text(path("a.txt")), "old");
  EXPECT_EQ(names(), (std::set<std::string>{"a.txt"}));
}

TEST_F(File, replacing_leaves_nothing_else) {
  for (const std::string text : {"first", "second and longer", ""}) {
    replace_file(path("a.txt"), text, path("."));
    EXPECT_EQ(read_text(path("a.txt")), text);
    EXPECT_EQ(names(), (std::set<std::string>{"a.txt"}));
  }
  EXPECT_THROW(replace_file(path("nowhere/a.txt"), "x", path(".")), Error);
  EXPECT_EQ(names(), (std::set<std::string>{"a.txt"}));
}

}  // namespace
}  // namespace darboux
