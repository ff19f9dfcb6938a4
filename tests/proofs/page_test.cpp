#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <proofs/calibration.hpp>
#include <proofs/family.hpp>
#include <proofs/page.hpp>
#include <proofs/warm_up_trace.hpp>

#include "draws/temporary_folder.hpp"

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

/// Every family on every law, with so many draws each.
experiments::Tables exactness_of(double draws) {
  experiments::Tables tables;
  for (const KnownLaw& law : known_laws())
    for (const Family& each : families(law))
      experiments::append_row(tables["families"], {{"law", law.name},
                                                   {"integrator", each.integrator},
                                                   {"structure", each.structure},
                                                   {"rule", each.rule},
                                                   {"exact", each.exact ? 1 : 0},
                                                   {"draws", draws}});
  return tables;
}
experiments::Tables traces_of(double runs) {
  experiments::Tables tables;
  for (const auto& [way, law] : traced_rows())
    experiments::append_row(tables["traces"], {{"way", way}, {"law", law}, {"runs", runs}});
  return tables;
}
experiments::Tables calibration_of(double replications) {
  experiments::Tables tables;
  for (const auto& [method, model] : calibrated_rows())
    experiments::append_row(tables["verdicts"], {{"method", method}, {"model", model}, {"replications", replications}});
  return tables;
}
/// The same without a row.
experiments::Tables without(experiments::Tables tables, const char* name, std::size_t row) {
  for (auto& column : tables.at(name))
    std::visit([row](auto& values) { values.erase(values.begin() + static_cast<std::ptrdiff_t>(row)); }, column.values);
  return tables;
}

TEST(Amount, IsThatOfThePoorestLaw) {
  EXPECT_EQ(amount_of_exactness({}).least, 0.0);
  double families_of_wall = 0.0;
  for (const Family& each : families(known_law("wall"))) families_of_wall += each.exact ? 1.0 : 0.0;
  experiments::Tables tables = exactness_of(10.0);
  EXPECT_EQ(amount_of_exactness(tables).least, 10.0 * families_of_wall);  // the regression has more of them
  const auto& laws = experiments::texts(tables["families"], "law");
  const auto& exact = experiments::numbers(tables["families"], "exact");
  std::size_t row = 0;
  while (laws[row] != "wall" || exact[row] != 1.0) ++row;
  tables = without(std::move(tables), "families", row);
  EXPECT_EQ(amount_of_exactness(tables).poorest, "wall");
  EXPECT_EQ(amount_of_exactness(tables).least, 10.0 * (families_of_wall - 1.0));
  for (std::size_t i = experiments::row_count(tables["families"]); i-- > 0;)
    if (experiments::texts(tables["families"], "law")[i] == "flat") tables = without(std::move(tables), "families", i);
  EXPECT_EQ(amount_of_exactness(tables).poorest, "flat");
  EXPECT_EQ(amount_of_exactness(tables).least, 0.0);
}

TEST(Amount, NamesWhatIsNotThere) {
  EXPECT_TRUE(amount_of_exactness(exactness_of(1.0)).absent.empty());
  EXPECT_TRUE(amount_of_traces(traces_of(1.0)).absent.empty());
  EXPECT_TRUE(amount_of_calibration(calibration_of(1.0)).absent.empty());
  EXPECT_THAT(amount_of_exactness(without(exactness_of(1.0), "families", 0)).absent,
              ::testing::ElementsAre("leapfrog (canonical), fixed: gaussian"));
  EXPECT_THAT(amount_of_traces(without(traces_of(1.0), "traces", 0)).absent,
              ::testing::ElementsAre("`defaults` on gaussian"));
  EXPECT_THAT(amount_of_calibration(without(calibration_of(1.0), "verdicts", 0)).absent,
              ::testing::ElementsAre("defaults on logistic"));
  EXPECT_THAT(to_page({}), ::testing::HasSubstr("**Nothing is computed of this yet**: 1000 replications of every row"));
}

TEST(Page, SaysCalibratedWhereThereAreTheReplicationsThatArePromised) {
  const auto page_of = [](double replications, double corrected_p) {
    Findings findings;
    const auto add = [&](const char* name, std::initializer_list<experiments::Entry> more) {
      experiments::append_row(findings.calibration[name], more);
    };
    add("ranks", {{"model", "logistic"}, {"method", "nuts"}, {"quantity", "alpha"}, {"bin", 1}, {"count", 3}});
    add("verdicts", {{"model", "logistic"},
                     {"method", "nuts"},
                     {"quantity", "alpha"},
                     {"replications", replications},
                     {"p", corrected_p},
                     {"corrected_p", corrected_p},
                     {"visible_shift", 0.5},
                     {"visible_width", 1.5}});
    return to_page(findings);
  };
  EXPECT_THAT(page_of(1000.0, 0.5), ::testing::HasSubstr("| calibrated |"));
  EXPECT_THAT(page_of(999.0, 0.5), ::testing::HasSubstr("| not contradicted |"));
  EXPECT_THAT(page_of(999.0, 0.001), ::testing::HasSubstr("| **rejected** |"));
}

TEST(Losses, AreWhateverThereIsLessOf) {
  const Findings kept{.exactness = exactness_of(10.0), .traces = traces_of(10.0), .calibration = calibration_of(10.0)};
  EXPECT_TRUE(losses({}, kept).empty());
  EXPECT_TRUE(losses(kept, kept).empty());
  EXPECT_EQ(losses(kept, {}).size(), 6U);
  Findings fresh = kept;
  fresh.exactness = exactness_of(9.0);
  EXPECT_THAT(losses(kept, fresh), ::testing::ElementsAre(::testing::HasSubstr("draws of exact methods of every law")));
  EXPECT_TRUE(losses(fresh, kept).empty());
  fresh = kept;
  fresh.calibration = calibration_of(9.0);
  EXPECT_THAT(losses(kept, fresh), ::testing::ElementsAre("9 replications of every row instead of 10"));
  fresh = kept;
  fresh.traces = without(traces_of(10.0), "traces", 3);
  EXPECT_THAT(losses(kept, fresh), ::testing::ElementsAre(::testing::HasSubstr("rows with runs instead of")));
}

class KeptFindings : public darboux::testing::WithFolder {};

TEST_F(KeptFindings, AreReadAsTheyWereWritten) {
  EXPECT_TRUE(read_findings(folder_).exactness.empty());
  const Findings findings{.exactness = exactness_of(1.0),
                          .traces = traces_of(2.0),
                          .calibration = calibration_of(3.0),
                          .provenance = provenance_here({})};
  write_findings(findings, folder_);
  const Findings read = read_findings(folder_);
  EXPECT_TRUE(losses(findings, read).empty());
  EXPECT_TRUE(losses(read, findings).empty());
  EXPECT_EQ(to_json(read.provenance), to_json(findings.provenance));
}

}  // namespace
}  // namespace darboux::proofs
