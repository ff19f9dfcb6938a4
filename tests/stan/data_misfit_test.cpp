#include "stan/data_misfit.hpp"

#include <gtest/gtest.h>

namespace darboux {
namespace {

constexpr const char* place = " (in 'a.stan', line 1, column 7 to column 22)";

/// What Stan 2.39 says where an array is absent, and where a number is.
TEST(DataMisfit, WhatIsAbsentIsNamedWithWhatIsThere) {
  const std::string array =
      "mismatch in number dimensions declared and found in context; processing stage=data initialization; variable "
      "name=y; "
      "dims declared=(3); dims found=()";
  EXPECT_EQ(misfit_in_words(array + place, R"({"N": 3, "Y": [1, 2, 3]})"),
            std::string("there is no \"y\", which the program declares; there are: N, Y") + place);
  const std::string number =
      "variable does not exist; processing stage=data initialization; variable name=N; base type=int";
  EXPECT_EQ(misfit_in_words(number + place, "{}"),
            std::string("there is no \"N\", which the program declares; there is nothing in them") + place);
  EXPECT_EQ(misfit_in_words(number + place, ""), std::string("there is no \"N\", which the program declares") + place);
}

TEST(DataMisfit, ShapesAreToldSideBySide) {
  const std::string said =
      "mismatch in dimension declared and found in context; processing stage=data initialization; variable name=y; "
      "position=0; dims declared=(3,2); dims found=(2,2)";
  EXPECT_EQ(misfit_in_words(said + place, R"({"y": [[1, 2], [3, 4]]})"),
            std::string("\"y\" has shape (2,2), but the program declares (3,2)") + place);
}

TEST(DataMisfit, ValuesThatAreNoIntegersAreShown) {
  const std::string said =
      "int variable contained non-int values; processing stage=data initialization; variable name=N; base type=int";
  EXPECT_EQ(misfit_in_words(said + place, R"({"N": 3.5})"),
            std::string("\"N\" must be of integers, but is 3.5") + place);
}

TEST(DataMisfit, WhereTheTextIsNotJsonLineAndColumnAreTold) {
  const std::string data = "{\"N\": 3,\n  // three\n  \"y\": []}";
  const std::string said = "Error in JSON parsing \nat offset 11: \nMissing a name for object member.\n";
  EXPECT_EQ(misfit_in_words(said, data), "line 2, column 3: it is not JSON: Missing a name for object member");
  EXPECT_EQ(misfit_in_words("Error in JSON parsing \nat offset 999: \nWhat?\n", "{"),
            "line 1, column 2: it is not JSON: What?");
}

TEST(DataMisfit, TheRestIsAsStanSaysItOnOneLine) {
  EXPECT_EQ(
      misfit_in_words("a_model_namespace::a_model: N is -3, but must be greater than or equal to 0", R"({"N": -3})"),
      "N is -3, but must be greater than or equal to 0");
  EXPECT_EQ(misfit_in_words("Variable: y, error: string values not\n allowed.", R"({"y": ["a"]})"),
            "Variable: y, error: string values not allowed");
  EXPECT_EQ(misfit_in_words("; variable name=y; dims", "{broken"), "; variable name=y; dims");
}

/// Printing data by recursion must not take all of the stack.
TEST(DataMisfit, DataMayBeNestedDeeply) {
  const std::string deep = "{\"y\": " + std::string(300'000, '[') + std::string(300'000, ']') + "}";
  const std::string said = "int variable contained non-int values; variable name=y; ";
  EXPECT_TRUE(misfit_in_words(said + place, deep).starts_with("\"y\" must be of integers, but is [["));
}

}  // namespace
}  // namespace darboux
