#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "io/file.hpp"
#include "target.hpp"

/// The inputs that are kept, with every compiler: examples, and what was found by fuzzing.
namespace darboux::fuzz {
namespace {

namespace fs = std::filesystem;

class Corpus : public ::testing::TestWithParam<Target> {};

TEST_P(Corpus, IsReadOrRefused) {
  const Target& target = GetParam();
  int count = 0;
  for (const auto& file : fs::directory_iterator(fs::path(DARBOUX_CORPUS) / target.name())) {
    const std::string input = read_text(file);
    EXPECT_NO_THROW(target(input)) << file.path();
    for (const std::size_t length : {input.size() / 2, input.size() - input.size() / 8})
      EXPECT_NO_THROW(target(std::string_view(input).substr(0, length))) << file.path() << " cut after " << length;
    ++count;
  }
  EXPECT_GT(count, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, ::testing::ValuesIn(Target::all()),
                         [](const auto& tested) { return std::string(tested.param.name()); });

TEST(CorpusFolder, HasATargetForEachFolder) {
  std::set<std::string> folders, targets;
  for (const auto& entry : fs::directory_iterator(DARBOUX_CORPUS)) folders.insert(entry.path().filename());
  for (const Target& target : Target::all()) targets.emplace(target.name());
  EXPECT_EQ(folders, targets);
}

/// What is promised has figures that are true.
TEST(CorpusFolder, IsCountedInWhatIsPromised) {
  const std::string promised = read_text(fs::path(DARBOUX_CORPUS) / "../../../docs/trust.md");
  const auto inputs = std::ranges::count_if(fs::recursive_directory_iterator(DARBOUX_CORPUS),
                                            [](const auto& entry) { return entry.is_regular_file(); });
  for (const std::string& words :
       {std::to_string(inputs) + " inputs", std::to_string(Target::all().size()) + " targets"})
    EXPECT_NE(promised.find(words), std::string::npos) << "docs/trust.md does not say: " << words;
}

TEST(FuzzTarget, InputsAreTakenApart) {
  EXPECT_EQ(parts_of("a\n%%\nb\n%%\nc\n%%\nd", 3), (std::vector<std::string_view>{"a\n", "b\n", "c\n%%\nd"}));
  EXPECT_EQ(parts_of("a", 3), (std::vector<std::string_view>{"a", "", ""}));
  std::string_view input = "xy";
  EXPECT_EQ(take_byte(input), unsigned{'x'});
  EXPECT_EQ(input, "y");
}

TEST(FuzzTarget, WhatIsNoErrorOfOursIsAFinding) {
  EXPECT_FALSE(attempt([] { throw InputError("a rule"); }));
  EXPECT_THROW(attempt([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(attempt([] { throw InputError(""); }), std::logic_error);
  EXPECT_THROW(demand(false, "something"), std::logic_error);
}

}  // namespace
}  // namespace darboux::fuzz
