#include "io/column_names.hpp"

#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <string>
#include <vector>

#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

TEST(ColumnNames, IndicesBecomeDots) {
  EXPECT_EQ(stan_column_name("mu"), "mu");
  EXPECT_EQ(stan_column_name("q[1]"), "q.1");
  EXPECT_EQ(stan_column_name("a[12,345]"), "a.12.345");
  EXPECT_EQ(stan_column_name("beta_2[3]"), "beta_2.3");
}

TEST(ColumnNames, WhatIsSpeltForStanStays) {
  for (const char* name : {"theta.1", "m.2.1", "t:1.3", "t:2:1", "x_raw.10", "__hidden", "a__b"})
    EXPECT_EQ(stan_column_name(name), name);
}

TEST(ColumnNames, OtherCharactersBecomeOneUnderscore) {
  EXPECT_EQ(stan_column_name("age (years)"), "age_years");
  EXPECT_EQ(stan_column_name("a,b"), "a_b");
  EXPECT_EQ(stan_column_name("say \"x\""), "say_x");
  EXPECT_EQ(stan_column_name("two\nlines\r\n"), "two_lines");
  EXPECT_EQ(stan_column_name("# comment"), "comment");
  EXPECT_EQ(stan_column_name("beta[age]"), "beta_age");
  EXPECT_EQ(stan_column_name("odd[1,]"), "odd_1");
  EXPECT_EQ(stan_column_name("odd[]"), "odd");
  EXPECT_EQ(stan_column_name("a.b.1"), "a_b.1");
  EXPECT_EQ(stan_column_name("a b[2]"), "a_b.2");
  EXPECT_EQ(stan_column_name("trailing."), "trailing");
}

TEST(ColumnNames, Utf8StaysAndOtherBytesDoNot) {
  EXPECT_EQ(stan_column_name("Größe[1]"), "Größe.1");
  EXPECT_EQ(stan_column_name("σ²"), "σ²");
  EXPECT_EQ(stan_column_name("日本"), "日本");
  EXPECT_EQ(stan_column_name("a\xFFz"), "a_z");
  EXPECT_EQ(stan_column_name("cut\xE2\x82"), "cut");
}

TEST(ColumnNames, ReservedAndEmptyNamesAreRefused) {
  EXPECT_TRUE(mentions(message_of<InputError>([] { (void)stan_column_name("lp__"); }), {"\"lp__\"", "reserved"}));
  EXPECT_TRUE(mentions(message_of<InputError>([] { (void)stan_column_name("own__[1]"); }), {"own__", "reserved"}));
  for (const char* name : {"", " ", "[1]", "\n", ",,"})
    EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)stan_column_name(name); }), {"needs a letter"}));
}

TEST(ColumnNames, TwoThatBecomeTheSameAreRefused) {
  const std::vector<std::string> names{"a b", "c", "a,b"};
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)stan_column_names(names); }), {"\"a b\"", "\"a,b\"", "a_b"}));
  const std::vector<std::string> fine{"a[1]", "a[2]", "a"};
  EXPECT_EQ(stan_column_names(fine), (std::vector<std::string>{"a.1", "a.2", "a"}));
}

TEST(ColumnNames, PartsOfComplexNumbersStayTogether) {
  const std::vector<std::string> names{"z.real", "z.imag", "w[2].real", "w[2].imag", "income.real", "b", "lone.imag"};
  EXPECT_EQ(stan_column_names(names),
            (std::vector<std::string>{"z.real", "z.imag", "w.2.real", "w.2.imag", "income_real", "b", "lone_imag"}));
  EXPECT_EQ(display_name("w.2.real"), "w[2].real");
  EXPECT_EQ(display_name("z.imag"), "z.imag");
}

TEST(ColumnNames, PeopleSeeBrackets) {
  EXPECT_EQ(display_name("a.1.2"), "a[1,2]");
  EXPECT_EQ(display_name("mu"), "mu");
  EXPECT_EQ(display_name("lp__"), "lp__");
  EXPECT_EQ(display_name("t:1.3"), "t:1.3");
  for (const char* name : {"q[1]", "m[10,2,3]", "x"}) EXPECT_EQ(display_name(stan_column_name(name)), name);
}

}  // namespace
}  // namespace darboux
