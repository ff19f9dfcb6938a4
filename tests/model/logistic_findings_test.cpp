#include "model/logistic_findings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "darboux/core/random.hpp"
#include "model/logistic_data.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;

TEST(LogisticFindings, TellWhatIsOddAboutATable) {
  const auto findings = [](const std::string& text, const RegressionOptions& options = {}) {
    std::string all;
    for (const std::string& one : logistic_from_table(parse_csv(text, "a.csv"), options).remarks()) all += one + "\n";
    return all;
  };
  std::string sound = "y,x,g\n", odd = "y,x,twice,sum,z,near,g,id\n", apart = "y,x,z\n", partly = "y,x,g\n";
  RandomStream random({.seed = 5, .purpose = Purpose::data});
  for (int i = 0; i < 200; ++i) {
    const double x = random.normal(), z = random.normal();
    const int y = random.uniform() < 1.0 / (1.0 + std::exp(-x)) ? 1 : 0;
    sound += fmt::format("{},{},{}\n", y, x, i % 3 == 0 ? "a" : "b");
    odd += fmt::format("{},{},{},{},{},{},{},{}\n", y, x, 3.0 - 2.0 * x, x + z, z, z + 0.01 * random.normal(),
                       i < 3 ? "rare" : "usual", 17 + i);
    apart += fmt::format("{},{},{}\n", x + z > 0.1 ? 1 : 0, x, z);
    partly += fmt::format("{},{},{}\n", i % 3 == 0 ? 0 : y, x, i % 3 == 0 ? "a" : "b");
  }
  EXPECT_EQ(findings(sound), "");
  const std::string of_odd = findings(odd);
  EXPECT_TRUE(mentions(
      of_odd, {"Fewer than 5 rows have g[rare] (3 rows):", "twice is x but for its units", "z is a combination of ",
               "near is nearly z (correlation ", "Column id goes up by one", "--drop id"}));
  EXPECT_EQ(of_odd.find("without error"), std::string::npos);
  EXPECT_TRUE(mentions(findings(apart), {"x, z tell the outcome without error in all rows"}));
  EXPECT_TRUE(mentions(findings(partly), {"g[b] tells the outcome without error in 67 of 200 rows"}));
}

}  // namespace
}  // namespace darboux
