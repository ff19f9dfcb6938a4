#include "io/json_text.hpp"

#include <gtest/gtest.h>

#include "darboux/core/error.hpp"
#include "support/expect.hpp"

namespace darboux::testing {
namespace {

std::string refusal(const std::string& text) {
  return message_of<InputError>([&] { require_json(text, "a.json"); });
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonText, IsTakenUpToItsDepth) {
  EXPECT_NO_THROW(require_json(nested(100, "[", "]"), "a.json"));
  EXPECT_NO_THROW(require_json(nested(100, "{\"a\":", "}"), "a.json"));
  EXPECT_NO_THROW(require_json("[" + nested(99, "[", "]") + "," + nested(99, "[", "]") + "]", "a.json"))
      << "beside each other";
  for (const std::size_t depth : {101U, 1'000'000U}) {
    EXPECT_TRUE(mentions(refusal(nested(depth, "[", "]")), {"a.json", "nested more than 100 deep"}));
    EXPECT_TRUE(mentions(refusal(nested(depth, "{\"a\":", "}")), {"a.json", "nested more than 100 deep"}));
  }
}

TEST(JsonText, ObjectsHaveNoMoreFieldsThanCanBeLookedThrough) {
  const auto object = [](int fields) {
    std::string text = "{";
    for (int i = 0; i < fields; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
    return text + "}";
  };
  EXPECT_NO_THROW(require_json(object(50'000), "a.json"));
  EXPECT_TRUE(mentions(refusal(object(50'001)), {"a.json", "more than 50000 fields"}));
}

}  // namespace
}  // namespace darboux::testing
