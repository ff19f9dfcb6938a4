#include "report/text_table.hpp"

#include <gtest/gtest.h>

#include <darboux/core/error.hpp>

#include "report/printable_text.hpp"

namespace darboux {
namespace {

TEST(PrintableText, LetsNoCommandsThrough) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\t\x7f"), "a?[31mb????");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "?31m");  // one of the control characters beyond ASCII
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a?b");                                       // right to left from here on
  EXPECT_EQ(printable("\xFF\xC3.\xE2\x82"), "??.??");     // no UTF-8, and cut UTF-8
  EXPECT_EQ(printable("\xC0\x80\xED\xA0\x80"), "?????");  // a zero in disguise, half of a pair
  EXPECT_EQ(printable("Größe β̂ 日本 😀"), "Größe β̂ 日本 😀");
}

TEST(PrintableText, WidthsAreThoseOfATerminal) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("Größe"), 5U);
  EXPECT_EQ(display_width("R̂"), 1U);
  EXPECT_EQ(display_width("日本"), 4U);
}

TEST(PrintableText, ShortNamesKeepTheirIndex) {
  EXPECT_EQ(shortened("beta", 4), "beta");
  EXPECT_EQ(shortened("a_very_long_name[12]", 14), "a_very_lo…[12]");
  EXPECT_EQ(shortened("abc", 1), "…");
  EXPECT_EQ(shortened("abc", 0), "");
  for (std::size_t width = 1; width < 12; ++width)
    for (const char* name : {"日本語日本語", "R̂R̂R̂R̂R̂R̂R̂R̂R̂R̂R̂R̂R̂", "aβ日aβ日aβ日"}) {
      const std::string text = shortened(name, width);
      EXPECT_LE(display_width(text), width) << text;
      EXPECT_EQ(printable(text), text);
    }
}

TEST(PrintableText, WrapsWords) {
  EXPECT_EQ(wrapped("one two  three fourfourfour", 9, "- ", "  "), "- one two\n  three\n  fourfourfour\n");
  EXPECT_EQ(wrapped("", 9, "", ""), "\n");
  EXPECT_EQ(wrapped("öö öö", 5, "", ""), "öö öö\n");
}

TextTable example() {
  TextTable table({{.title = "", .alignment = Alignment::left},
                   {.title = "mean", .alignment = Alignment::decimal},
                   {.title = "mcse", .alignment = Alignment::decimal, .dispensable = 2},
                   {.title = "5%", .alignment = Alignment::decimal, .dispensable = 1},
                   {.title = "ess"},
                   {.title = "95%", .alignment = Alignment::decimal, .dispensable = 1}});
  table.add_row({"Größe", "-120.25", "0.01", "1", {"17", true}, "2.5"});
  table.add_row({"x[1]", "3", "–", "1.2e-9", "4000", "–"});
  table.add_row({"日本", "0.125", "10", "0.5", "3", "1.125"});
  return table;
}

TEST(TextTable, AlignsNamesNumbersAndPoints) {
  EXPECT_EQ(example().text(),
            "           mean   mcse      5%   ess    95%\n"
            "Größe  -120.25    0.01     1      17  2.5\n"
            "x[1]      3       –     1.2e-9  4000  –\n"
            "日本      0.125  10        0.5     3  1.125\n");
}

TEST(TextTable, LeavesOutColumnsWhereThereIsNoRoom) {
  const TextTable table = example();
  const auto first_line = [&](std::size_t width) {
    const std::string text = table.text({.width = width});
    return text.substr(0, text.find('\n'));
  };
  const std::size_t full = display_width(first_line(1000));
  EXPECT_NE(first_line(full).find("mcse"), std::string::npos);
  EXPECT_EQ(first_line(full - 1).find("mcse"), std::string::npos);
  EXPECT_NE(first_line(full - 1).find("95%"), std::string::npos);
  EXPECT_EQ(table.text({.width = 1}),
            "           mean   ess\n"
            "Größe  -120.25     17\n"
            "x[1]      3      4000\n"
            "日本      0.125     3\n");
}

TEST(TextTable, ColoursOnRequestOnlyAndWithoutShiftingAnything) {
  std::string coloured = example().text({.colours = true});
  EXPECT_NE(coloured.find("\x1b[31m17\x1b[0m"), std::string::npos);
  for (const char* code : {"\x1b[1m", "\x1b[31m", "\x1b[0m"})
    for (std::size_t at = 0; (at = coloured.find(code)) != std::string::npos;)
      coloured.erase(at, std::string_view(code).size());
  EXPECT_EQ(coloured, example().text());
}

TEST(TextTable, RefusesRowsOfAnotherLength) {
  TextTable table({{.title = "a"}});
  EXPECT_THROW(table.add_row({"1", "2"}), Error);
}

}  // namespace
}  // namespace darboux
