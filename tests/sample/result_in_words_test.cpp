#include "sample/result_in_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/gaussian.hpp"
#include "model/logistic_data.hpp"

namespace darboux::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 500 + 1000 iterations that cost the same.
SampleResult usual() {
  SampleResult result;
  result.draws = 1000;
  result.warmup_gradients = 5000;
  result.sampling_gradients = 10000;
  result.target_acceptance = 0.9;
  return result;
}

TEST(ResultInWords, SaysNothingOfAUsualWarmUp) { EXPECT_THAT(remarks_on_warm_up(usual(), 500), ElementsAre()); }

TEST(ResultInWords, CountsBentCoordinates) {
  Tuning tuning;
  EXPECT_EQ(coordinates_in_words(tuning), "");
  tuning.shapes = {{}, {.skew = 0.5}, {.tail = 0.9}};
  EXPECT_THAT(coordinates_in_words(tuning), HasSubstr("2 of 3 bent"));
}

TEST(ResultInWords, SaysWhoChoseTheMotion) {
  SampleResult result = usual();
  EXPECT_THAT(motion_in_words(result, false),
              AllOf(HasSubstr("hamiltonian; warm-up was too short"), HasSubstr("--motion")));
  result.scatter = 1.04;
  EXPECT_THAT(motion_in_words(result, false),
              AllOf(HasSubstr("hamiltonian: "), HasSubstr("(1.04 times; it is another from 1.6 on)")));
  result.scatter = 2.345;
  EXPECT_THAT(motion_in_words(result, false),
              AllOf(HasSubstr("hamiltonian, although"), HasSubstr("2.3 times"), HasSubstr("walls")));
  result.tuning.motion = MotionKind::microcanonical;
  EXPECT_THAT(motion_in_words(result, false),
              AllOf(HasSubstr("microcanonical: "), HasSubstr("2.3 times"), HasSubstr("slow to cross")));
  EXPECT_EQ(motion_in_words(result, true), "microcanonical, as asked");
}

/// Of what E-BFMI tells where motion is hamiltonian.
TEST(ResultInWords, WarnsOfLevelsThatMicrocanonicalMotionMayNotReach) {
  const Gaussian model = Gaussian::standard(3);
  SampleResult result = usual();
  result.scatter = 9.0;
  EXPECT_THAT(told_by(model, result), ElementsAre());
  result.tuning.motion = MotionKind::microcanonical;
  EXPECT_THAT(told_by(model, result),
              ElementsAre(AllOf(HasSubstr("9 times"), HasSubstr("E-BFMI"), HasSubstr("tails"))));
  result.scatter = 5.6;
  EXPECT_THAT(told_by(model, result), ElementsAre());
}

TEST(ResultInWords, CountsChainsFromOne) {
  SampleResult result = usual();
  result.late_chains = {0, 3};
  result.absent_chains = {1};
  EXPECT_THAT(remarks_on_warm_up(result, 500), ElementsAre(AllOf(HasSubstr("Chains 1, 4 were far"), HasSubstr("led.")),
                                                           AllOf(HasSubstr("Chain 2 was not"), HasSubstr("matter."))));
}

/// That steps are short is no trouble with the draws; that a chain was apart, or that a model complains, may be.
TEST(ResultInWords, WarnsOfWhatDrawsMayNotShow) {
  std::string table = "y,g\n1,b\n0,b\n";
  for (int i = 0; i < 10; ++i) table += i % 2 == 0 ? "1,a\n" : "0,a\n";
  const StandardisedLogistic model = logistic_from_table(parse_csv(table, "a.csv"));
  SampleResult result = usual();
  result.hopeless = 0.041;
  EXPECT_THAT(told_by(model, result), ElementsAre(HasSubstr("Fewer than 5 rows have g[b]")));
  result.absent_chains = {1};
  EXPECT_THAT(told_by(model, result), ElementsAre(HasSubstr("Chain 2 was not"), HasSubstr("g[b]")));
}

TEST(ResultInWords, TellsWhyStepsAreShort) {
  SampleResult result = usual();
  result.target_acceptance = 0.95;
  result.hopeless = 0.041;
  EXPECT_THAT(remarks_on_warm_up(result, 500), ElementsAre(AllOf(HasSubstr("acceptance of 0.95"), HasSubstr("4 %"))));
}

TEST(ResultInWords, TellsOfWalls) {
  SampleResult result = usual();
  result.refused = 0.38;
  EXPECT_THAT(remarks_on_warm_up(result, 500), ElementsAre(AllOf(HasSubstr("refused 38 %"), HasSubstr("wall"))));
}

/// Three times what sampling takes for as many iterations, or for as many as were drawn.
TEST(ResultInWords, TellsWhereAWarmUpWent) {
  SampleResult result = usual();
  result.warmup_gradients = 30000;
  EXPECT_THAT(remarks_on_warm_up(result, 500), ElementsAre());
  result.warmup_gradients = 35000;
  result.start_gradients = 3000;
  result.late_gradients = 2000;
  EXPECT_THAT(remarks_on_warm_up(result, 500),
              ElementsAre(AllOf(HasSubstr("35000 gradients, 3.5 times as many as 1000 iterations"),
                                HasSubstr("3000 to find"), HasSubstr("2000 to bring"), HasSubstr("30000 to move"))));
  EXPECT_THAT(remarks_on_warm_up(result, 2000), ElementsAre()) << "a long warm-up may take longer";
  EXPECT_THAT(remarks_on_warm_up(result, 0), ElementsAre()) << "there was none";
  result.draws = 0;
  result.sampling_gradients = 0;
  EXPECT_THAT(remarks_on_warm_up(result, 500), ElementsAre()) << "there is nothing to compare with";
}

}  // namespace
}  // namespace darboux::testing
