#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("RC_PARAMS", "seed=1", /*overwrite=*/0);  // properties see the same cases in every run; set it to see others
  GTEST_FLAG_SET(brief, true);                     // only failures; --gtest_brief=0 shows all
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
