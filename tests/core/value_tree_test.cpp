#include <gtest/gtest.h>

#include <darboux/core/value_tree.hpp>

namespace darboux {
namespace {

using Entries = ValueTree::Entries;
using List = ValueTree::List;

TEST(ValueTree, EntriesAreFoundAndReplaced) {
  ValueTree tree;
  EXPECT_EQ(tree.find("a"), nullptr);
  tree.set("a", 1);
  tree.set("b", Entries{}).set("c", "deep");
  tree.set("a", 2U);
  EXPECT_EQ(tree, ValueTree(Entries{{"a", 2}, {"b", Entries{{"c", "deep"}}}}));
  EXPECT_EQ(*tree.find("b")->find("c"), ValueTree("deep"));
  EXPECT_NE(ValueTree(1), ValueTree(1.0));
}

TEST(ValueTree, TextIsWhatAFlagTakes) {
  EXPECT_EQ(text_of("007"), "007");
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of(-3), "-3");
  EXPECT_EQ(text_of(18446744073709551615U), "18446744073709551615");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(List{1, "b"}), "1, b");
  EXPECT_EQ(text_of(Entries{{"a", 1}, {"b", List{2, 3}}}), "a: 1, b: 2, 3");
}

}  // namespace
}  // namespace darboux
