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

TEST(TuningFile, WhatNoTuningHasIsRefused) {
  const auto refusal = [](std::string_view before, std::string_view after) {
    std::string text = tuning_text(example(), model);
    EXPECT_THAT(text, HasSubstr(std::string(before)));
    text.replace(text.find(before), before.size(), after);
    return message_of<InputError>([&] { (void)parse_tuning(text, "t.json", model); });
  };
  EXPECT_EQ(refusal("\"steps\": 10.0", "\"steps\": 1e300"), "t.json: steps must be at most 1000000");
  const std::string rows = "[[1, 2], 3]", ragged = "[[1, 2], [1, 2, 3]]";
  for (const std::string& factor : {rows, ragged})
    EXPECT_EQ(refusal("\"factor\": \"identity\"", "\"factor\": " + factor),
              "t.json: factor must have 2 numbers, one for each dimension of the model");
}

/// Memory is what the file takes, and not what it says: a million empty rows of a thousand numbers each would be 8 GB.
TEST(TuningFile, RowsAreCountedBeforeThereIsRoomForThem) {
  const TunedModel wide{.name = "m", .dim = 1000};
  std::string text =
      tuning_text({.center = std::vector<double>(1000), .factor = StructuredMatrix::identity(1000)}, wide);
  std::string rows = "[[]", stretches = "[1";
  for (int i = 1; i < 1'000'000; ++i) rows += ",[]", stretches += ",1";
  const std::string factor = "{\"scales\": [], \"directions\": " + rows + "], \"stretches\": " + stretches + "]}";
  const std::string plain = "\"factor\": \"identity\"";
  ASSERT_THAT(text, HasSubstr(plain));
  text.replace(text.find(plain), plain.size(), "\"factor\": " + factor);
  EXPECT_THAT(message_of<InputError>([&] { (void)parse_tuning(text, "t.json", wide); }),
              HasSubstr("must have 1000 numbers"));
}

}  // namespace
}  // namespace darboux::testing
