#include "core/field_table.hpp"

#include <gtest/gtest.h>

#include "darboux/core/error.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

enum class Colour { red, green };

}  // namespace

template <>
inline constexpr auto former_names_of<Colour> = std::to_array<Named<Colour>>({{Colour::red, "scarlet"}});
template <>
inline constexpr auto names_of<Colour> = std::to_array<Named<Colour>>({{Colour::red, "red"}, {Colour::green, "green"}});

namespace {

using testing::message_of;

struct Base {
  std::string label;
  int size = 3;
  std::optional<double> weight;
};
struct Paint : Base {
  std::optional<Colour> colour;
  Colour frame = Colour::green;
  bool shiny = false;
  int coats = 2;
};

/// Members of a base and of the configuration itself stand side by side.
const std::vector<Field<Paint>>& fields() {
  static const std::vector<Field<Paint>> table{
      field::text<Paint>({"label", "TEXT", ""}, &Paint::label),
      field::integer<Paint>({"size", "N", ""}, &Paint::size, 1, 9),
      field::real<Paint>({"weight", "W", ""}, &Paint::weight, {.least = 0.0, .most = 1.0}),
      field::choice<Paint>("colour", "", &Paint::colour),
      field::choice<Paint>("frame", "", &Paint::frame),
      field::on_off<Paint>({"shiny", "", ""}, &Paint::shiny),
      field::formerly("layers", field::one_of<Paint>({"coats", "1|2", ""}, &Paint::coats, {1, 2}))};
  return table;
}

std::vector<std::optional<ValueTree>> values_of(const Paint& paint) {
  std::vector<std::optional<ValueTree>> values;
  for (const auto& field : fields()) values.push_back(field.get(paint));
  return values;
}

TEST(FieldTable, ValuesHaveTheTypesOfTheirMembers) {
  using Values = std::vector<std::optional<ValueTree>>;
  Paint paint;
  EXPECT_EQ(values_of(paint), (Values{{}, 3, {}, {}, "green", false, 2}));
  const std::vector<std::string> given{"007", "7", "1", "red", "red", "true", "1"};
  for (std::size_t i = 0; i < given.size(); ++i) fields()[i].set(paint, given[i]);
  EXPECT_EQ(values_of(paint), (Values{"007", 7, 1.0, "red", "red", true, 1}));
}

TEST(FieldTable, ChoicesAreThoseOfTheEnumeration) {
  EXPECT_EQ(fields()[3].takes, "red|green");
  EXPECT_EQ(fields()[3].choices, (std::vector<std::string_view>{"red", "green"}));
  EXPECT_TRUE(fields()[0].choices.empty());
}

TEST(FieldTable, FormerNamesAreTakenAndTold) {
  Paint paint;
  const Field<Paint>& coats = fields().back();
  EXPECT_TRUE(coats.is_called("coats") && coats.is_called("layers"));
  EXPECT_FALSE(coats.is_called("layer"));
  EXPECT_EQ(coats.renamed("coats", "1"), std::vector<Renamed>{});
  EXPECT_EQ(coats.renamed("layers", "1"), (std::vector<Renamed>{{"layers", "coats"}}));
  const Field<Paint>& colour = fields()[3];
  colour.set(paint, "scarlet");
  EXPECT_EQ(colour.get(paint), ValueTree("red"));
  EXPECT_EQ(colour.renamed("colour", "red"), std::vector<Renamed>{});
  EXPECT_EQ(colour.renamed("colour", "scarlet"), (std::vector<Renamed>{{"colour scarlet", "colour red"}}));
  EXPECT_EQ(note_on({"layers", "coats"}, "--"),
            "--layers is now called --coats; the old name goes with the next version");
}

TEST(FieldTable, ListsAreTextsBetweenCommas) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(parse_list("drop", "a"), (Texts{"a"}));
  EXPECT_EQ(parse_list("drop", " a b ,c, \"d, e\" ,\" \"\"f\"\" \""), (Texts{"a b", "c", "d, e", " \"f\" "}));
  EXPECT_EQ(parse_list("drop", "5\" pipe,x"), (Texts{"5\" pipe", "x"})) << "a quote inside is a quote";
  for (const std::string_view wrong : {"", ",", "a,", "a,,b", "\"a", "\"a\"b", "\"\""})
    EXPECT_TRUE(testing::message_of<InputError>([&] { (void)parse_list("drop", wrong); }).starts_with("drop = "))
        << wrong;
  const Texts odd{"a, b", " c ", "\"d\"", "e", "f=g"};
  EXPECT_EQ(parse_list("drop", text_of(ValueTree(ValueTree::List(odd.begin(), odd.end())))), odd)
      << "as a manifest has it";
}

TEST(FieldTable, MessagesNameTheFieldTheValueAndTheRule) {
  Paint paint;
  const auto refusal = [&](std::size_t i, std::string_view value) {
    return message_of<InputError>([&] { fields()[i].set(paint, value); });
  };
  EXPECT_EQ(refusal(0, ""), "label = \"\": must be something, or left out");
  EXPECT_EQ(refusal(1, "10"), "size = 10: must be a whole number from 1 to 9");
  EXPECT_EQ(refusal(2, "2"), "weight = 2: must be a number between 0 and 1");
  EXPECT_EQ(refusal(3, "gren"), "unknown colour \"gren\"; did you mean \"green\"? Known: red, green");
  EXPECT_EQ(refusal(5, "maybe"), "shiny = maybe: must be true or false");
  EXPECT_EQ(refusal(6, "3"), "coats = 3: must be 1 or 2");
}

}  // namespace
}  // namespace darboux
