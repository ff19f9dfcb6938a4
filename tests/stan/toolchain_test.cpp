#include "stan/toolchain.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "darboux/core/error.hpp"
#include "draws/temporary_folder.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;

/// Folders that look like installations, and an environment in which nothing else is found.
class Toolchain : public testing::WithFolder {
 protected:
  Toolchain() {
    for (const char* name : {"DARBOUX_STAN", "BRIDGESTAN", "CMDSTAN", "XDG_DATA_HOME"}) ::unsetenv(name);
    ::setenv("HOME", home().c_str(), 1);
  }
  ~Toolchain() override {
    for (const auto& [name, value] : before_) value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  }
  [[nodiscard]] fs::path home() const { return folder_; }

  static void touch(const fs::path& file, const std::string& text = "") {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  static void stan_header(const fs::path& include, int minor) {
    touch(include / "stan/version.hpp",
          "#define STAN_MAJOR 2\n#define STAN_MINOR " + std::to_string(minor) + "\n#define STAN_PATCH 0\n");
  }
  static void libraries(const fs::path& folder) {
    for (const char* name : {"kinsol", "cvodes", "idas", "nvecserial"})
      touch(folder / ("libsundials_" + std::string(name) + ".a"));
  }
  static void as_installed(const fs::path& root, int minor) {
    touch(root / "stanc");
    stan_header(root / "include", minor);
    libraries(root / "lib");
    touch(root / "lib/libtbb.so.2");
  }
  static void as_cmdstan(const fs::path& root, int minor) {
    touch(root / "bin/stanc");
    stan_header(root / "stan/src", minor);
    const fs::path parts = root / "stan/lib/stan_math/lib";
    libraries(parts / "sundials_6.1.1/lib");
    touch(parts / "tbb/libtbb.so.2");
  }

 private:
  static std::string value_of(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  }
  std::vector<std::pair<const char*, std::string>> before_{{"DARBOUX_STAN", value_of("DARBOUX_STAN")},
                                                           {"BRIDGESTAN", value_of("BRIDGESTAN")},
                                                           {"CMDSTAN", value_of("CMDSTAN")},
                                                           {"XDG_DATA_HOME", value_of("XDG_DATA_HOME")},
                                                           {"HOME", value_of("HOME")}};
};

TEST_F(Toolchain, WithoutOneTheMessageSaysHowToGetIt) {
  EXPECT_TRUE(
      mentions(message_of<InputError>([] { (void)find_toolchain({}); }), {"darboux stan install", "--stan DIR"}));
}

TEST_F(Toolchain, WhatIsNamedIsUsedOrRefused) {
  as_installed(home() / "mine", 39);
  as_installed(home() / "other", 38);
  EXPECT_EQ(find_toolchain(home() / "mine").version, "2.39.0");
  ::setenv("DARBOUX_STAN", (home() / "other").c_str(), 1);
  EXPECT_EQ(find_toolchain({}).version, "2.38.0");
  EXPECT_EQ(find_toolchain(home() / "mine").version, "2.39.0") << "what is asked for comes before the variable";
  ::setenv("DARBOUX_STAN", "/nowhere", 1);
  EXPECT_TRUE(
      mentions(message_of<InputError>([] { (void)find_toolchain({}); }), {"DARBOUX_STAN = /nowhere", "no Stan"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)find_toolchain(home()); }), {"stan = ", home().string()}));
}

TEST_F(Toolchain, TheLastFolderServesWhereNoOtherIsFound) {
  as_installed(home() / "last", 39);
  EXPECT_EQ(find_toolchain({}, home() / "last").version, "2.39.0");
  as_cmdstan(home() / ".cmdstan/cmdstan-2.38.0", 38);
  EXPECT_EQ(find_toolchain({}, home() / "last").version, "2.38.0");
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)find_toolchain("/nowhere", home() / "last"); }), {"no Stan"}));
}

TEST_F(Toolchain, OfSeveralCmdStansTheNewestThatIsBuiltIsTaken) {
  as_cmdstan(home() / ".cmdstan/cmdstan-2.9.0", 9);
  as_cmdstan(home() / ".cmdstan/cmdstan-2.38.0", 38);
  as_cmdstan(home() / ".cmdstan/cmdstan-2.40.0", 40);
  fs::remove(home() / ".cmdstan/cmdstan-2.40.0/bin/stanc");  // unpacked, but not built
  const StanToolchain found = find_toolchain({});
  EXPECT_EQ(found.version, "2.38.0");
  EXPECT_EQ(found.root, home() / ".cmdstan/cmdstan-2.38.0");
  EXPECT_EQ(found.stanc, found.root / "bin/stanc");
  EXPECT_EQ(found.libraries.back().filename(), "libtbb.so.2");
}

TEST_F(Toolchain, BridgeStanComesBeforeCmdStanAndBothBeforeOurOwn) {
  as_installed(installed_toolchain_folder(), 39);
  EXPECT_EQ(find_toolchain({}).root, home() / ".local/share/darboux/stan-2.39.0");
  as_cmdstan(home() / ".cmdstan/cmdstan-2.38.0", 38);
  EXPECT_EQ(find_toolchain({}).version, "2.38.0");
  as_cmdstan(home() / ".bridgestan/bridgestan-2.6.1", 36);
  EXPECT_EQ(find_toolchain({}).version, "2.36.0");
}

}  // namespace
}  // namespace darboux
