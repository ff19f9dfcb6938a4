#include "run/model_source.hpp"

#include <gtest/gtest.h>

#include "draws/temporary_folder.hpp"

namespace darboux {
namespace {

class ModelSource : public testing::WithFolder {};

/// From the folder of the program, whatever includes them; once each, also where two include each other.
TEST_F(ModelSource, IncludedFilesAreFound) {
  const auto program = file("a.stan",
                            "functions {\n#include one.stan\n  #include <parts/two.stan>\n}\n"
                            "// #include comment.stan\n#include missing.stan\nmodel {}\n");
  (void)file("one.stan", "#include \"parts/two.stan\" // again\n");
  std::filesystem::create_directory(path("parts"));
  (void)file("parts/two.stan", "#include one.stan\n#include three.stan\n");
  (void)file("three.stan", "");
  (void)file("comment.stan", "");
  const std::map<std::string, std::filesystem::path> expected{
      {"one.stan", path("one.stan")}, {"parts/two.stan", path("parts/two.stan")}, {"three.stan", path("three.stan")}};
  EXPECT_EQ(included_files(program), expected);
  EXPECT_TRUE(included_files(path("nowhere.stan")).empty());
}

}  // namespace
}  // namespace darboux
