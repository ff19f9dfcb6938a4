#include "run/tuning_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <darboux/core/error.hpp>

#include "support/expect.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;

const TunedModel model{.name = "m", .dim = 2};

Tuning example() {
  return {.center = {1.0, 2.0},
          .factor = StructuredMatrix::identity(2),
          .shapes = {{}, {.place = 0.1, .scale = 1.0 / 3.0, .skew = -0.5, .tail = 0.7}}};
}

TEST(TuningFile, ShapesComeBack) {
  EXPECT_EQ(parse_tuning(tuning_text(example(), model), "t.json", model), example());
  Tuning straight = example();
  straight.shapes.clear();
  std::string text = tuning_text(straight, model);
  EXPECT_EQ(parse_tuning(text, "t.json", model), straight);
  const std::string empty = ",\n  \"shapes\": []";
  ASSERT_THAT(text, HasSubstr(empty));
  EXPECT_EQ(parse_tuning(text.erase(text.find(empty), empty.size()), "t.json", model), straight) << "as earlier files";
}

TEST(TuningFile, ShapesThatAreNoneAreRefused) {
  const auto refusal = [](const std::string& shapes) {
    Tuning straight = example();
    straight.shapes.clear();
    std::string text = tuning_text(straight, model);
    text.replace(text.find("[]"), 2, shapes);
    return message_of<InputError>([&] { (void)parse_tuning(text, "t.json", model); });
  };
  EXPECT_EQ(refusal("[null]"), "t.json: shapes must have 2 entries, one for each dimension of the model, or none");
  EXPECT_EQ(refusal("[null, [0, 1, 0]]"), "t.json: an entry of shapes must have 4 numbers");
  EXPECT_EQ(refusal("[null, 3]"), "t.json: an entry of shapes must have 4 numbers");
  EXPECT_EQ(refusal("[null, [0, 1, 0, \"1\"]]"), "t.json: an entry of shapes must be a finite number");
  const std::string rule =
      "t.json: shapes must be [place, scale, skew, tail] each, scale and tail greater than 0, or null";
  EXPECT_EQ(refusal("[null, [0, -1, 0, 1]]"), rule);
  EXPECT_EQ(refusal("[null, [0, 1, 0, 0]]"), rule);
  EXPECT_THAT(refusal("3"), HasSubstr("shapes must have 2 entries"));
}

}  // namespace
}  // namespace darboux::testing
