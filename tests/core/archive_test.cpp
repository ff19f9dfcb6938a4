#include "core/archive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/expect.hpp"

namespace darboux::testing {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Inner {
  std::vector<double> numbers{};
  Colour colour = Colour::red;

  template <class Archive>
  void archive(Archive& fields) {
    fields(numbers, colour);
  }
  bool operator==(const Inner&) const = default;
};

struct Outer {
  bool truth = false;
  std::int64_t count = 0;
  std::string text{};
  std::vector<Inner> inner{};
  std::optional<double> there{}, absent{};

  template <class Archive>
  void archive(Archive& fields) {
    fields(truth, count, text, inner, there, absent);
  }
  bool operator==(const Outer&) const = default;
};

Outer example() {
  return {.truth = true,
          .count = -7,
          .text = std::string("a\0b", 3),
          .inner = {{.numbers = {-0.0, 5e-324, INFINITY}, .colour = Colour::green}, {}},
          .there = 1.0 / 3.0,
          .absent = {}};
}

TEST(Archive, EveryBitComesBack) {
  Outer before = example(), after{.inner = {{}, {}, {}}, .absent = 4.0};
  read_bytes(bytes_of(before), after);
  EXPECT_EQ(after, before);
  EXPECT_TRUE(std::signbit(after.inner[0].numbers[0]));
  std::vector<double> not_a_number{std::numeric_limits<double>::quiet_NaN()};
  read_bytes(bytes_of(not_a_number), not_a_number);
  EXPECT_TRUE(std::isnan(not_a_number[0]));
}

TEST(Archive, BytesThatAreMissingOrTooManyAreNoticed) {
  Outer state = example();
  const std::string bytes = bytes_of(state);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Outer other;
    EXPECT_TRUE(mentions(message_of<Error>([&] { read_bytes(bytes.substr(0, length), other); }), {"too early"}));
  }
  EXPECT_TRUE(mentions(message_of<Error>([&] { read_bytes(bytes + "x", state); }), {"more of it"}));
}

}  // namespace
}  // namespace darboux::testing
