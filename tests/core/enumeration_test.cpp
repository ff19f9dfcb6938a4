#include <gtest/gtest.h>

#include <darboux/core/enumeration.hpp>

#include "darboux/core/error.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

enum class Colour { red, green, light_blue };
enum class Nameless { one };

}  // namespace

// Not in the order of the enumerators: nothing may depend on that.
template <>
inline constexpr auto names_of<Colour> =
    std::to_array<Named<Colour>>({{Colour::light_blue, "light-blue"}, {Colour::red, "red"}, {Colour::green, "green"}});
template <>
inline constexpr auto former_names_of<Colour> = std::to_array<Named<Colour>>({{Colour::light_blue, "azure"}});

namespace {

using testing::message_of;

static_assert(Enumeration<Colour> && !Enumeration<Nameless> && !Enumeration<int>);
static_assert(name(Colour::green) == "green");  // when compiled, too
static_assert(noexcept(name(Colour::green)));

TEST(Enumeration, names_go_both_ways) {
  for (const Colour colour : {Colour::red, Colour::green, Colour::light_blue})
    EXPECT_EQ(from_name<Colour>("colour", name(colour)), colour);
  EXPECT_EQ(name(Colour::light_blue), "light-blue");
}

TEST(Enumeration, lists_are_in_the_order_of_the_table) {
  EXPECT_EQ((all_names<Colour>()), (std::array<std::string_view, 3>{"light-blue", "red", "green"}));
  EXPECT_EQ((all_values<Colour>()), (std::array{Colour::light_blue, Colour::red, Colour::green}));
}

TEST(Enumeration, former_names_are_read_but_not_shown) {
  EXPECT_EQ(from_name<Colour>("colour", "azure"), Colour::light_blue);
  EXPECT_EQ(find_name<Colour>("azure"), Colour::light_blue);
  EXPECT_EQ(find_name<Colour>("purple"), std::nullopt);
}

TEST(Enumeration, what_is_misspelt_is_refused_with_a_suggestion) {
  EXPECT_EQ(message_of<InputError>([] { (void)from_name<Colour>("colour", "gren"); }),
            "unknown colour \"gren\"; did you mean \"green\"? Known: light-blue, red, green");
}

TEST(Enumeration, a_value_beyond_the_table_has_no_name) { EXPECT_EQ(name(static_cast<Colour>(7)), "unknown"); }

}  // namespace
}  // namespace darboux
