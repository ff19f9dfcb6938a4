#include <gtest/gtest.h>

#include <proofs/page.hpp>

namespace darboux::proofs {
namespace {

TEST(Proof, HoldsUnlessSomethingThatIsClaimedIsRejected) {
  Findings findings;
  EXPECT_TRUE(holds(findings));
  experiments::append_row(findings.exactness["rejected"], {{"law", "skewed"}, {"exact", 0}});
  EXPECT_TRUE(holds(findings));  // a bias of an approximate method is what is expected
  experiments::append_row(findings.exactness["rejected"], {{"law", "skewed"}, {"exact", 1}});
  EXPECT_FALSE(holds(findings));

  Findings traces, calibration;
  experiments::append_row(traces.traces["rejected"], {{"law", "skewed"}});
  EXPECT_FALSE(holds(traces));
  experiments::append_row(calibration.calibration["verdicts"], {{"model", "logistic"}, {"corrected_p", 0.2}});
  EXPECT_TRUE(holds(calibration));
  experiments::append_row(calibration.calibration["verdicts"], {{"model", "logistic"}, {"corrected_p", 0.001}});
  EXPECT_FALSE(holds(calibration));
}

TEST(Proof, CountsDrawsLawByLaw) {
  experiments::Tables exactness;
  const auto see = [&](const char* law, bool exact, double draws) {
    experiments::append_row(exactness["families"], {{"law", law}, {"exact", exact ? 1 : 0}, {"draws", draws}});
  };
  see("skewed", true, 300.0);
  see("wall", true, 100.0);
  see("wall", true, 150.0);
  see("wall", false, 1000.0);
  EXPECT_EQ(fewest_draws(exactness), std::pair(std::string("wall"), 250.0));
}

}  // namespace
}  // namespace darboux::proofs
