#include "report/run_input.hpp"

#include <gtest/gtest.h>

#include <darboux/core/error.hpp>

#include "draws/run_manifest.hpp"
#include "report/parameter_selection.hpp"
#include "support/expect.hpp"
#include "synthetic_run.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;

class RunInputTest : public testing::WithRuns {
 protected:
  [[nodiscard]] RunInput open(std::initializer_list<fs::path> paths) const {
    return open_runs(std::span(paths.begin(), paths.size()));
  }
  std::string refusal(const fs::path& path) {
    return message_of<InputError>([&] { (void)open({path}); });
  }
  /// A folder with chain_1.csv, chain_2.csv, chain_10.csv.
  fs::path folder(const std::string& name) {
    fs::create_directories(path(name));
    for (const std::uint64_t n : {10U, 1U, 2U})
      (void)file(name + "/chain_" + std::to_string(n) + ".csv", testing::stan_csv({.number = n, .draws = 10}));
    return path(name);
  }
};

TEST_F(RunInputTest, ADirectoryStandsForItsFilesInTheirOrder) {
  const fs::path run = folder("run");
  (void)file("run/summary.csv", "name,mean\na,1\n");
  const RunInput input = open({run});
  ASSERT_EQ(input.draws.size(), 3U);
  EXPECT_EQ(input.draws[1].path(), run / "chain_2.csv");
  EXPECT_EQ(input.draws[2].path(), run / "chain_10.csv");
  EXPECT_FALSE(input.statistics[0]);
  EXPECT_FALSE(input.interrupted);
}

TEST_F(RunInputTest, AManifestSaysMore) {
  const fs::path run = folder("run");
  fs::create_directories(run / "statistics");
  (void)file("run/statistics/chain_2.csv", "status__\n0\n");
  RunManifest manifest = new_manifest();
  manifest.status = RunStatus::complete;
  manifest.sampling.gradients = 123;
  manifest.decided.set("integrator", "explicit");
  manifest.files = {{.file = "chain_2.csv", .statistics = "statistics/chain_2.csv"}};
  manifest.told = {"Fewer than 5 rows have g[b]."};
  write_manifest(manifest, run / manifest_name);
  const RunInput input = open({run});
  ASSERT_EQ(input.draws.size(), 1U);
  EXPECT_TRUE(input.statistics[0]);
  EXPECT_EQ(input.integrator, "explicit");
  EXPECT_EQ(input.gradients, 123);
  EXPECT_EQ(input.told, manifest.told);
  EXPECT_EQ(open({run, run}).told, manifest.told) << "of two runs it is said once";
  EXPECT_FALSE(input.interrupted);

  EXPECT_FALSE(open({run, folder("other")}).gradients) << "those of the other run are not known";

  manifest.status = RunStatus::failed;
  manifest.message = "the model threw";
  write_manifest(manifest, run / manifest_name);
  EXPECT_TRUE(open({run}).interrupted);
  EXPECT_EQ(open({run}).failure, "the model threw");
}

TEST_F(RunInputTest, SaysWhatToDoNext) {
  EXPECT_TRUE(mentions(refusal(path("nowhere")), {"nowhere", "no such file or directory", "darboux sample"}));
  fs::create_directories(path("bare"));
  EXPECT_TRUE(mentions(refusal(path("bare")), {"bare", "no files of draws (*.csv)", "darboux sample"}));
  (void)file("bare/table.csv", "a,b\n1,2\n");
  EXPECT_TRUE(mentions(refusal(path("bare")), {"bare", "none of the .csv files", "darboux sample"}));
  EXPECT_TRUE(mentions(refusal(file("void.csv", "")), {"void.csv", "empty"}));
}

// --- which rows, in which order ---------------------------------------------------------------------------------------

TEST(ParameterSelection, PatternsHaveStarsAndQuestionMarks) {
  EXPECT_TRUE(fits_pattern("beta[1]", "beta[1]"));
  EXPECT_TRUE(fits_pattern("beta", "*"));
  EXPECT_TRUE(fits_pattern("", "*"));
  EXPECT_TRUE(fits_pattern("beta", "b*a"));
  EXPECT_TRUE(fits_pattern("abcabcabd", "*abd"));
  EXPECT_TRUE(fits_pattern("beta[12]", "beta[??]"));
  EXPECT_FALSE(fits_pattern("beta[1]", "beta[??]"));
  EXPECT_FALSE(fits_pattern("beta", "bet"));
  EXPECT_FALSE(fits_pattern("beta", "eta*"));
  EXPECT_FALSE(fits_pattern("", "?"));
}

class ParameterSelectionTest : public testing::WithFolder {};

TEST_F(ParameterSelectionTest, TakesNamesPatternsAndWholeArrays) {
  const StanCsvReader draws(file("a.csv", "lp__,energy__,beta.1,beta.2,m.1.2,sigma,mu\n"));
  using Columns = std::vector<std::size_t>;
  EXPECT_EQ(summarised_columns(draws), (Columns{0, 2, 3, 4, 5, 6}));
  EXPECT_EQ(select_columns(draws, "mu,beta[1]"), (Columns{2, 6}));
  EXPECT_EQ(select_columns(draws, "beta"), (Columns{2, 3}));
  EXPECT_EQ(select_columns(draws, "beta.2 m[1,2]"), (Columns{3, 4}));
  EXPECT_EQ(select_columns(draws, "m*,mu,s*a"), (Columns{4, 5, 6}));
  EXPECT_EQ(select_columns(draws, "lp__"), Columns{0});
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)select_columns(draws, "mu,sigme"); }),
                       {"a.csv", "unknown parameter \"sigme\"; did you mean \"sigma\"?", "beta"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)select_columns(draws, " , "); }), {"empty"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)select_columns(draws, "energy__"); }), {"energy__"}));
}

TEST(ParameterSelection, NamesMayHaveAnotherSpelling) {
  const std::vector<std::string> names{"theta[A]", "theta[B]", "mu"}, others{"theta[1]", "theta[2]", "mu"};
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(select_names(names, "theta[B]", others), Places{1});
  EXPECT_EQ(select_names(names, "mu theta[1]", others), (Places{0, 2}));
  EXPECT_EQ(select_names(names, "theta"), (Places{0, 1}));
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)select_names(names, "theta[1]"); }), {"unknown parameter", "mu"}));
}

TEST(ParameterSelection, SortsTheWorstFirst) {
  const auto row = [](const char* name, double bulk, double tail, double rhat) {
    SummaryRow out{.name = name};
    out.values.ess_bulk = bulk;
    out.values.ess_tail = tail;
    out.values.rhat = rhat;
    return out;
  };
  const std::vector<SummaryRow> rows{row("x[10]", 5, 9, 1.1), row("x[9]", 7, 4, 1.2), row("c", NAN, NAN, NAN),
                                     row("a", 3, 9, 1.1)};
  const auto sorted = [&](RowOrder order) {
    auto copy = rows;
    sort_rows(copy, order);
    std::string names;
    for (const SummaryRow& r : copy) names += r.name + " ";
    return names;
  };
  EXPECT_EQ(sorted(RowOrder::file), "x[10] x[9] c a ");
  EXPECT_EQ(sorted(RowOrder::ess), "a x[9] x[10] c ");
  EXPECT_EQ(sorted(RowOrder::rhat), "x[9] x[10] a c ");
  EXPECT_EQ(sorted(RowOrder::name), "a c x[9] x[10] ");
}

TEST(ParameterSelection, NumbersInNamesCountAsNumbers) {
  EXPECT_TRUE(natural_less("a[2]", "a[10]"));
  EXPECT_FALSE(natural_less("a[10]", "a[2]"));
  EXPECT_TRUE(natural_less("a[1,9]", "a[1,10]"));
  EXPECT_TRUE(natural_less("a", "ab"));
  EXPECT_FALSE(natural_less("a", "a"));
  EXPECT_TRUE(natural_less("a99999999999999999999998", "a99999999999999999999999"));
}

}  // namespace
}  // namespace darboux
