#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "io/file.hpp"

namespace darboux::testing {

/// A test with a folder of its own, which disappears with it.
class WithFolder : public ::testing::Test {
 public:
  ~WithFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

 protected:
  WithFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "darboux-draws-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// A file of that content.
  [[nodiscard]] std::filesystem::path file(const std::string& name, std::string_view text) const {
    write_text(path(name), text);
    return path(name);
  }

  std::filesystem::path folder_;
};

}  // namespace darboux::testing
