#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "draws/chain_readers.hpp"
#include "draws/run_directory.hpp"
#include "draws/zarr_reader.hpp"
#include "program.hpp"
#include "support/expect.hpp"

/// Draws as a Zarr store: what is in it, at every moment, after a kill, and in other formats.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;
using namespace std::chrono_literals;

using Table = std::vector<std::vector<double>>;

/// All rows of a chain, warm-up first.
Table rows_of(const StanCsvReader& file) {
  std::vector<std::size_t> all(file.columns().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Table rows;
  (void)file.for_each_row(all, [&](std::span<const double> row, Phase phase) {
    rows.emplace_back(row.begin(), row.end());
    rows.back().push_back(phase == Phase::warmup ? 0.0 : 1.0);
  });
  return rows;
}

class Zarr : public testing::WithProgram {
 protected:
  [[nodiscard]] std::string table() const {
    std::string text = "ill,age (years),Größe\n";
    for (int i = 0; i < 40; ++i)
      text +=
          std::to_string(i % 3 == 0 ? 1 : 0) + "," + std::to_string(i * 7 % 11) + "," + std::to_string(i % 5) + "\n";
    return file("table.csv", text).filename().string();
  }
  /// Without what speaks of time.
  [[nodiscard]] std::map<std::string, std::string> content_of(const std::string& store) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path(store)))
      if (entry.is_regular_file() && entry.path().filename() != ".zmetadata")
        files[fs::relative(entry, path(store)).string()] = read_text(entry);
    auto attributes = nlohmann::ordered_json::parse(files.at(".zattrs"));
    for (const char* key : {"created_at", "warmup_time", "sampling_time"}) attributes.erase(key);
    for (auto& setting : attributes["darboux_settings"])
      if (setting[0] == "start_datetime") setting[1] = "";
    files[".zattrs"] = attributes.dump();
    return files;
  }
  /// Every file of draws has the same rows as the store.
  void expect_same_rows(const std::string& folder) const {
    const std::vector<ChainReaders> chains = open_zarr(path(folder + "/draws.zarr"));
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const std::string name = "chain_" + std::to_string(c + 1) + ".csv";
      const StanCsvReader draws(path(folder + "/" + name)), statistics(path(folder + "/statistics/" + name));
      EXPECT_EQ(chains[c].draws.columns(), draws.columns());
      EXPECT_TRUE(rows_of(chains[c].draws) == rows_of(draws)) << name;
      EXPECT_TRUE(rows_of(*chains[c].statistics) == rows_of(statistics)) << name;
      EXPECT_EQ(chains[c].draws.setting("id"), draws.setting("id"));
      EXPECT_EQ(chains[c].draws.setting("num_samples"), draws.setting("num_samples"));
    }
  }
};

TEST_F(Zarr, HasWhatStanCsvHas) {
  ASSERT_EQ(run("sample logistic --data " + table() +
                " --format csv,zarr --save-warmup --thin 3 --warmup 200 --draws 1500 --seed 1 --out out --quiet")
                .status,
            0);
  expect_same_rows("out");
  const ZarrReader store(path("out/draws.zarr"));
  EXPECT_EQ(store.groups(), (std::vector<std::string>{"posterior", "sample_stats", "warmup_posterior",
                                                      "warmup_sample_stats", "observed_data", "constant_data"}));
  EXPECT_EQ(store.array("posterior/beta").shape, (std::vector<std::int64_t>{4, 500, 3}));
  EXPECT_EQ(store.array("warmup_posterior/beta").shape, (std::vector<std::int64_t>{4, 67, 3}));
  EXPECT_EQ(store.texts("posterior/column"), (std::vector<std::string>{"intercept", "age (years)", "Größe"}));
  const std::vector<double> labels = store.numbers("observed_data/ill");
  EXPECT_EQ(labels.size(), 40U);
  EXPECT_EQ(labels[0], 1.0);
  EXPECT_EQ(labels[1], 0.0);
  EXPECT_EQ(store.array("constant_data/X").dims, (std::vector<std::string>{"ill_dim_0", "column"}));
  EXPECT_EQ(store.texts("constant_data/column"), store.texts("posterior/column"));
  EXPECT_EQ(store.slice("constant_data/X", 13), (std::vector<double>{1.0, 3.0, 3.0}));
}

/// Names of axes are those of files, as names of arrays are.
TEST_F(Zarr, AnOutcomeMayBeCalledAnything) {
  (void)file("odd.csv", "y/n (ill),x\n1,2\n0,3\n1,5\n0,1\n");
  ASSERT_EQ(run("sample logistic --data odd.csv --response 'y/n (ill)' --format zarr --draws 50 --warmup 50 --seed 1 "
                "--out out --quiet --log-likelihood")
                .status,
            0);
  const ZarrReader store(path("out/draws.zarr"));
  EXPECT_EQ(store.groups(), (std::vector<std::string>{"posterior", "sample_stats", "observed_data", "constant_data",
                                                      "log_likelihood"}));
  EXPECT_EQ(store.array("observed_data/y_n_ill").dims, std::vector<std::string>{"y_n_ill_dim_0"});
  EXPECT_EQ(store.array("log_likelihood/y_n_ill").dims, (std::vector<std::string>{"chain", "draw", "y_n_ill_dim_0"}));
}

TEST_F(Zarr, AloneIsSummarisedAndReportedLikeStanCsv) {
  const std::string arguments = "funnel --trajectory nuts --warmup 200 --draws 700 --seed 1";
  ASSERT_EQ(run("sample " + arguments + " --out csv --quiet").status, 0);
  ASSERT_EQ(run("sample " + arguments + " --out zarr --quiet --format zarr").status, 0);
  EXPECT_FALSE(fs::exists(path("zarr/chain_1.csv")));
  EXPECT_EQ(read_manifest(path("zarr/run.json")).min_bulk_ess, read_manifest(path("csv/run.json")).min_bulk_ess);
  for (const std::string folder : {"zarr", "zarr/draws.zarr"}) {
    const Outcome ours = run("summary " + folder + " --csv -");
    EXPECT_EQ(ours.status, 0) << ours.err;
    EXPECT_EQ(ours.out, run("summary csv --csv -").out);
  }
  EXPECT_EQ(run("report zarr --json report.json --out report.html").status,
            run("report csv --json other.json --out other.html").status);
}

TEST_F(Zarr, FormatsAreNamed) {
  const Outcome wrong = run("sample gaussian --format hdf5 --out out");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(mentions(wrong.err, {"format", "csv", "zarr"}));
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(Zarr, AnInterruptedRunAnnouncesWhatItHas) {
  const pid_t child = start("sample banana --draws 100000000 --seed 1 --format csv,zarr --out out --quiet");
  while (!fs::exists(path("out/tuning.json"))) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(100ms);
  ::kill(child, SIGINT);
  EXPECT_EQ(wait(child).status, 1);
  expect_same_rows("out");
}

/// While a real process writes and after it was killed: the store can be read whole, and gets longer.
TEST_F(Zarr, IsValidWhileTheRunGoesOnAndAfterAKill) {
  const std::string arguments =
      "sample banana --warmup 300 --draws 30000 --seed 3 --chains 3 --checkpoint-seconds 0.05";
  ASSERT_EQ(run(arguments + " --format csv,zarr --quiet --out out").status, 0);
  fs::rename(path("out"), path("whole"));
  std::vector<Table> all;
  for (const ChainReaders& chain : open_zarr(path("whole/draws.zarr"))) all.push_back(rows_of(chain.draws));
  std::mt19937 random(7);
  for (int kill = 0; kill < 4; ++kill) {
    fs::remove_all(path("out"));
    const pid_t child = start(arguments + " --format csv,zarr --quiet --out out");
    while (!fs::exists(path("out/draws.zarr/.zmetadata"))) std::this_thread::sleep_for(1ms);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(random() % 800);
    std::size_t before = 0;
    const auto look = [&] {
      const std::vector<ChainReaders> chains = open_zarr(path("out/draws.zarr"));
      for (std::size_t c = 0; c < chains.size(); ++c) {
        const Table rows = rows_of(chains[c].draws);
        ASSERT_LE(rows.size(), all[c].size());
        EXPECT_TRUE(std::equal(rows.begin(), rows.end(), all[c].begin())) << "chain " << c + 1;
        EXPECT_GE(rows.size(), before);
        if (c + 1 == chains.size()) before = rows.size();
      }
    };
    while (std::chrono::steady_clock::now() < until) look();
    ::kill(child, SIGKILL);
    (void)wait(child);
    look();
    const Outcome rest = run("resume out --quiet --threads " + std::to_string(1 + kill % 2));
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_TRUE(content_of("out/draws.zarr") == content_of("whole/draws.zarr"));
    expect_same_rows("out");
    for (const auto& entry : fs::directory_iterator(path("out")))
      EXPECT_FALSE(entry.path().filename().string().ends_with(".tmp")) << entry.path();
  }
}

TEST_F(Zarr, DrawsAreAddedToAFinishedRun) {
  const std::string arguments = "banana --seed 3 --format csv,zarr --save-warmup --checkpoint-seconds 0.01 --quiet";
  ASSERT_EQ(run("sample " + arguments + " --draws 5000 --out out").status, 0);
  fs::rename(path("out"), path("whole"));
  ASSERT_EQ(run("sample " + arguments + " --draws 900 --out out").status, 0);
  const Outcome more = run("resume out --draws 5000 --quiet");
  EXPECT_EQ(more.status, 0) << more.err;
  expect_same_rows("out");
  EXPECT_TRUE(content_of("out/draws.zarr") == content_of("whole/draws.zarr"));
}

TEST_F(Zarr, DamageIsNamed) {
  ASSERT_EQ(run("sample banana --seed 3 --format zarr --draws 3000 --checkpoint-seconds 0.01 --out out --quiet").status,
            0);
  std::string bytes = read_text(path("out/draws.zarr/sample_stats/lp/1.0"));
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  write_text(path("out/draws.zarr/sample_stats/lp/1.0"), bytes);
  const Outcome outcome = run("resume out --draws 5000");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(
      mentions(outcome.err, {"draws.zarr/sample_stats/lp is damaged", "chain 2", "3000 of draws.zarr", "seed = 3"}));
}

/// What is beside it has the same draws, and the refusal says what to do.
TEST_F(Zarr, ADamagedOneIsMadeOfStanCsv) {
  const std::string arguments = "sample banana --seed 3 --format csv,zarr --checkpoint-seconds 0.01 --quiet --draws ";
  ASSERT_EQ(run(arguments + "5000 --out out").status, 0);
  fs::rename(path("out"), path("whole"));
  ASSERT_EQ(run(arguments + "3000 --out out").status, 0);
  fs::resize_file(path("out/draws.zarr/sample_stats/lp/1.0"), 0);
  const Outcome damaged = run("resume out --draws 5000 --quiet");
  EXPECT_EQ(damaged.status, 2);
  const std::string remedy = "convert out --to zarr --output out/draws.zarr";
  EXPECT_TRUE(
      mentions(damaged.err, {"sample_stats/lp/1.0 has been cut", "remove out/draws.zarr", "darboux " + remedy}));
  fs::remove_all(path("out/draws.zarr"));
  ASSERT_EQ(run(remedy).status, 0);
  const Outcome rest = run("resume out --draws 5000 --quiet");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(content_of("out/draws.zarr") == content_of("whole/draws.zarr"));
  expect_same_rows("out");
}

class Converted : public Zarr {};

TEST_F(Converted, ToCsvAndBackKeepsEveryByte) {
  ASSERT_EQ(
      run("sample banana --seed 3 --format csv,zarr --save-warmup --warmup 300 --draws 500 --out out --quiet").status,
      0);
  const Outcome outcome = run("convert out/draws.zarr --to csv --output again");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const std::string name : {"chain_1.csv", "chain_4.csv", "statistics/chain_2.csv"})
    EXPECT_TRUE(read_text(path("again/" + name)) == read_text(path("out/" + name))) << name;
  ASSERT_EQ(run("convert again --to zarr --output back.zarr").status, 0);
  EXPECT_TRUE(content_of("back.zarr") == content_of("out/draws.zarr"));
}

/// A regression with what it says of its observations, whose store is not in its folder.
class ConvertedRegression : public Converted {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        run("sample logistic --data " + table() +
            " --draws 300 --warmup 200 --seed 1 --log-likelihood --posterior-predictive 20 --save-warmup --thin 2 "
            "--format csv,zarr --out out --quiet")
            .status,
        0);
    fs::rename(path("out/draws.zarr"), path("whole.zarr"));
  }
};

/// Made of Stan CSV files, a store is the one that the run would have written itself, to the last byte.
TEST_F(ConvertedRegression, HasWhatARunInZarrHas) {
  const Outcome outcome = run("convert out --to zarr --output made.zarr");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "nothing is left out";
  EXPECT_TRUE(content_of("made.zarr") == content_of("whole.zarr"));
  const ZarrReader made(path("made.zarr")), whole(path("whole.zarr"));
  EXPECT_EQ(made.groups(), whole.groups());
  EXPECT_EQ(made.arrays(), whole.arrays());
  EXPECT_EQ(made.array("posterior_predictive/ill").shape, (std::vector<std::int64_t>{4, 20, 40}));
}

/// A store that the run writes is copied, with all of its groups; one that was made of it may be of fewer draws.
TEST_F(ConvertedRegression, AStoreOfTheRunIsCopied) {
  ASSERT_EQ(run("convert whole.zarr --to zarr --output copy.zarr").status, 0);
  EXPECT_TRUE(content_of("copy.zarr") == content_of("whole.zarr"));
  fs::rename(path("copy.zarr"), path("out/draws.zarr"));
  fs::rename(path("out/log_likelihood"), path("elsewhere"));
  EXPECT_EQ(run("convert out --to zarr --output again.zarr").status, 0) << "of the store in the folder";
  std::string manifest = read_text(path("out/run.json"));
  manifest.replace(manifest.find("csv,zarr"), 8, "csv");
  write_text(path("out/run.json"), manifest);
  EXPECT_TRUE(mentions(run("convert out --to zarr --output of-csv.zarr").err, {"log_likelihood/chain_1.csv"}));
}

/// Names of columns and outcomes are known without the data; the design is not, and that is said.
TEST_F(ConvertedRegression, WhatIsLeftOutIsSaid) {
  write_text(path("table.csv"), "ill,age (years),Größe\n1,2,3\n0,1,2\n");
  const Outcome changed = run("convert out --to zarr --output a.zarr");
  EXPECT_EQ(changed.status, 0);
  EXPECT_TRUE(mentions(changed.err, {"constant_data is left out", "table.csv has changed", "convert again"}));
  const ZarrReader a(path("a.zarr")), whole(path("whole.zarr"));
  EXPECT_EQ(a.groups(),
            (std::vector<std::string>{"posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats",
                                      "observed_data", "log_likelihood", "posterior_predictive"}));
  for (const std::string array :
       {"posterior/beta", "observed_data/ill", "log_likelihood/ill", "posterior_predictive/ill"}) {
    EXPECT_EQ(a.array(array), whole.array(array));
    EXPECT_EQ(a.numbers(array), whole.numbers(array)) << array;
  }
  EXPECT_EQ(a.texts("posterior/column"), whole.texts("posterior/column"));

  fs::remove(path("table.csv"));
  fs::remove(path("out/observations.json"));
  const Outcome gone = run("convert out --to zarr --output b.zarr");
  EXPECT_EQ(gone.status, 0);
  EXPECT_TRUE(mentions(gone.err, {"observed_data and constant_data are left out", "no file table.csv"}));
  EXPECT_FALSE(ZarrReader(path("b.zarr")).has("observed_data/ill"));
}

TEST_F(ConvertedRegression, RowsOfOtherDrawsAreRefused) {
  std::string terms = read_text(path("out/log_likelihood/chain_2.csv"));
  terms.resize(terms.rfind('\n', terms.size() - 2) + 1);
  write_text(path("out/log_likelihood/chain_2.csv"), terms);
  const Outcome outcome = run("convert out --to zarr --output a.zarr");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"log_likelihood/chain_2.csv has 149 rows", "150 draws", "darboux resume"}));
  EXPECT_FALSE(fs::exists(path("a.zarr")));
}

TEST_F(Converted, NothingIsOverwritten) {
  ASSERT_EQ(run("sample gaussian --seed 3 --draws 100 --out out --quiet").status, 0);
  (void)file("mine", "of value");
  const Outcome outcome = run("convert out --to zarr --output mine");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"mine exists"}));
  EXPECT_EQ(run("convert out --to hdf5").status, 2);
  EXPECT_EQ(run("convert nowhere --to zarr").status, 2);
}

TEST_F(Converted, ToNetcdf) {
  ASSERT_EQ(run("sample gaussian --seed 3 --draws 100 --out out --quiet").status, 0);
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(path("."))) found.insert(entry.path().filename().string());
    found.erase("out.nc");
    return found;
  };
  const auto before = names();
  const Outcome outcome = run("convert out --to netcdf");
  EXPECT_EQ(names(), before) << "what it needed meanwhile is gone, and nothing else";
#ifdef DARBOUX_NETCDF
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_text(path("out.nc")).substr(1, 3), "HDF");
#else
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"built without netCDF", "libnetcdf-dev"}));
  GTEST_SKIP() << "this build has no netCDF: install libnetcdf-dev";
#endif
}

}  // namespace
}  // namespace darboux
