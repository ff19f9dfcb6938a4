#include "core/archive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sample/archived_types.hpp"
#include "support/expect.hpp"

namespace darboux::testing {
namespace {

enum class Colour : std::uint8_t { red, green };
}  // namespace
}  // namespace darboux::testing

namespace darboux {
template <>
inline constexpr auto names_of<testing::Colour> =
    std::to_array<Named<testing::Colour>>({{testing::Colour::red, "red"}, {testing::Colour::green, "green"}});
}  // namespace darboux

namespace darboux::testing {
namespace {

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

TEST(Archive, WhatIsNoneOfItsTypeIsRefused) {
  bool truth = true;
  EXPECT_TRUE(mentions(message_of<Error>([&] { read_bytes("\x02", truth); }), {"truth"}));
  Colour colour = Colour::red;
  EXPECT_TRUE(mentions(message_of<Error>([&] { read_bytes("\x02", colour); }), {"choice"}));
  std::optional<double> maybe;
  EXPECT_TRUE(mentions(message_of<Error>([&] { read_bytes(std::string(9, '\x03'), maybe); }), {"truth"}));
}

struct OfThree {
  std::vector<double> numbers{1.0, 2.0, 3.0};
  Matrix matrix = Matrix(2, 1);

  template <class Archive>
  void archive(Archive& fields) {
    fields(fixed(numbers), fixed(matrix));
  }
};

TEST(Archive, SizesThatFollowFromSettingsStay) {
  OfThree state, back{.numbers = {0.0, 0.0, 0.0}, .matrix = Matrix(2, 1)};
  read_bytes(bytes_of(state), back);
  EXPECT_EQ(back.numbers, state.numbers);
  for (OfThree other : {OfThree{.numbers = {1.0, 2.0}, .matrix = Matrix(2, 1)},
                        OfThree{.numbers = {1.0, 2.0, 3.0}, .matrix = Matrix(1, 2)}})
    EXPECT_TRUE(mentions(message_of<Error>([&] { read_bytes(bytes_of(other), back); }), {"another length"}));
}

TEST(Archive, AMatrixHasTheSizeThatItSays) {
  const auto refusal = [](Index rows, Index cols, std::size_t count) {
    ArchiveWriter writer;
    std::vector<double> numbers(count);
    writer(rows, cols, numbers);
    Matrix matrix;
    return message_of<Error>([&] { read_bytes(writer.take(), matrix); });
  };
  constexpr Index huge = Index{1} << 62;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{huge, 4}, {-2, -3}, {3, 3}, {1, 5}, {5, 1}, {6, 0}})
    EXPECT_TRUE(mentions(refusal(rows, cols, 6), {"another size"})) << rows << " × " << cols;
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
