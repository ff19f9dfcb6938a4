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

}  // namespace
}  // namespace darboux::proofs
