#include <gtest/gtest.h>

#include <array>
#include <darboux/core/status.hpp>

#include "core/spelling.hpp"

namespace darboux {
namespace {

constexpr std::array<std::string_view, 4> colours{"red", "green", "blue", "light-blue"};

TEST(UnknownName, suggests_the_nearest) {
  EXPECT_EQ(unknown_name("colour", "gren", colours),
            "unknown colour \"gren\"; did you mean \"green\"? Known: red, green, blue, light-blue");
  EXPECT_EQ(unknown_name("colour", "erd", colours),  // letters that changed places count once
            "unknown colour \"erd\"; did you mean \"red\"? Known: red, green, blue, light-blue");
  EXPECT_EQ(unknown_name("colour", "lite-blue", colours),
            "unknown colour \"lite-blue\"; did you mean \"light-blue\"? Known: red, green, blue, light-blue");
}

TEST(UnknownName, suggests_nothing_far_away) {
  EXPECT_EQ(unknown_name("colour", "purple", colours),
            "unknown colour \"purple\". Known: red, green, blue, light-blue");
}

TEST(UnknownName, quotes_names_with_commas) {
  constexpr std::array<std::string_view, 2> columns{"age", "height, cm"};
  EXPECT_EQ(unknown_name("column", "weight", columns), "unknown column \"weight\". Known: age, \"height, cm\"");
}

TEST(UnknownName, keeps_absurd_names_short) {
  const std::string absurd(100000, 'x');
  EXPECT_LT(unknown_name("colour", absurd, colours).size(), 200U);
}

TEST(Status, has_the_names_that_files_use) {
  EXPECT_EQ(name(Status::ok), "ok");
  EXPECT_EQ(name(Status::diverged), "diverged");
  EXPECT_EQ(name(Status::not_converged), "not_converged");
  EXPECT_EQ(name(Status::not_reversible), "not_reversible");
  EXPECT_EQ(name(Status::model_error), "model_error");
}

}  // namespace
}  // namespace darboux
