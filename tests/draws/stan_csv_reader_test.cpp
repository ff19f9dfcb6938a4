#include "draws/stan_csv_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <darboux/core/error.hpp>
#include <limits>
#include <numeric>

#include "draws/column_passes.hpp"
#include "draws/stan_csv_writer.hpp"
#include "read_columns.hpp"
#include "support/expect.hpp"
#include "temporary_folder.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;

constexpr double inf = std::numeric_limits<double>::infinity();

/// As CmdStan 2.3x writes it. The argument tree is cut to what matters and a few things that must not.
std::string cmdstan_file(bool save_warmup, const std::string& yes, const std::string& no) {
  const std::string saved = save_warmup ? yes : no + " (Default)";
  return "# stan_version_major = 2\n"
         "# stan_version_minor = 33\n"
         "# stan_version_patch = 1\n"
         "# model = bernoulli_model\n"
         "# start_datetime = 2030-01-31 12:00:00 UTC\n"
         "# method = sample (Default)\n"
         "#   sample\n"
         "#     num_samples = 4\n"
         "#     num_warmup = 3\n"
         "#     save_warmup = " +
         saved +
         "\n"
         "#     thin = 1 (Default)\n"
         "#     adapt\n"
         "#       engaged = " +
         yes +
         " (Default)\n"
         "#       delta = 0.8 (Default)\n"
         "#     algorithm = hmc (Default)\n"
         "#       hmc\n"
         "#         engine = nuts (Default)\n"
         "#           nuts\n"
         "#             max_depth = 10 (Default)\n"
         "#         metric = diag_e (Default)\n"
         "#         metric_file =  (Default)\n"
         "# id = 1 (Default)\n"
         "# data\n"
         "#   file = a=b.data.json\n"
         "# init = 2 (Default)\n"
         "# random\n"
         "#   seed = 2785683124 (Default)\n"
         "# stanc_version = stanc3 v2.33.1\n"
         "# stancflags = \n"
         "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,theta,m.1.1,m.2.1\n" +
         std::string(save_warmup ? "-9.1,0.1,1,1,1,0,9.5,0.9,1,2\n"
                                   "-9.2,1,14.3855,1,1,0,9.6,0.8,inf,-inf\n"
                                   "-9.3,0,2.60965,1,1,1,9.7,0.7,nan,4\n"
                                 : "") +
         "# Adaptation terminated\n"
         "# Step size = 0.898549\n"
         "# Diagonal elements of inverse mass matrix:\n"
         "# 0.484268, 1.5, 2\n"
         "-7.24965,0.993979,0.898549,1,3,0,7.3,0.374871,10,+20\n"
         "-6.74935,0.984,0.898549,2,3,0,7.4,2.5e-1,11,-inf\n"
         "-7.1,1,0.898549,1,1,0,7.5,1E-3,nan,22\n"
         "-7.2,1,0.898549,1,3,0,7.6,-0.5,inf,1e-400\n"
         "# \n"
         "#  Elapsed Time: 0.005 seconds (Warm-up)\n"
         "#                0.017 seconds (Sampling)\n"
         "#                0.022 seconds (Total)\n"
         "# \n";
}

class StanCsvReaderTest : public testing::WithFolder {
 protected:
  void expect_cmdstan_draws(const fs::path& file, std::int64_t warmup_rows) {
    const StanCsvReader reader(file);
    ASSERT_EQ(reader.columns().size(), 10U);
    EXPECT_EQ(reader.find_column("m[2,1]"), 9U);
    EXPECT_EQ(reader.find_column("m.2.1"), 9U);
    EXPECT_EQ(reader.find_column("m"), std::nullopt);
    EXPECT_EQ(reader.setting("model"), "bernoulli_model");
    EXPECT_EQ(reader.setting("seed"), "2785683124");
    EXPECT_EQ(reader.setting("file"), "a=b.data.json");
    EXPECT_EQ(reader.setting("metric_file"), "");
    EXPECT_EQ(reader.setting("none"), std::nullopt);
    std::vector<double> theta, warmup_theta;
    const StanCsvPass pass =
        reader.for_each_row(std::vector<std::size_t>{7}, [&](std::span<const double> row, Phase phase) {
          (phase == Phase::warmup ? warmup_theta : theta).push_back(row[0]);
        });
    EXPECT_EQ(theta, (std::vector{0.374871, 0.25, 1e-3, -0.5}));
    EXPECT_EQ(warmup_theta, warmup_rows == 0 ? std::vector<double>{} : (std::vector{0.9, 0.8, 0.7}));
    EXPECT_EQ(pass.warmup_rows, warmup_rows);
    EXPECT_EQ(pass.sampling_rows, 4);
    EXPECT_EQ(pass.step_size, 0.898549);
    EXPECT_EQ(pass.warmup_seconds, 0.005);
    EXPECT_EQ(pass.sampling_seconds, 0.017);
    EXPECT_FALSE(pass.incomplete_line);
    EXPECT_EQ(testing::read_columns(reader, std::vector<std::size_t>{9, 0}),
              (std::vector<std::vector<double>>{{20, -inf, 22, 0}, {-7.24965, -6.74935, -7.1, -7.2}}));
  }
  [[nodiscard]] std::string refusal(std::string_view text) const {
    const fs::path bad = file("bad.csv", text);
    return message_of<InputError>([&] {
      const StanCsvReader reader(bad);
      std::vector<std::size_t> all(reader.columns().size());
      std::iota(all.begin(), all.end(), 0U);
      (void)testing::read_columns(reader, all);
    });
  }
};

TEST_F(StanCsvReaderTest, ReadsFilesOfCmdStan) {
  for (const auto& [yes, no] : {std::pair("1", "0"), std::pair("true", "false")}) {
    expect_cmdstan_draws(file("cmdstan.csv", cmdstan_file(false, yes, no)), 0);
    expect_cmdstan_draws(file("cmdstan.csv", cmdstan_file(true, yes, no)), 3);
  }
}

TEST_F(StanCsvReaderTest, ReadsWhatOtherToolsMakeOfThem) {
  std::string text = cmdstan_file(true, "1", "0");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
  expect_cmdstan_draws(file("windows.csv", std::string("\xEF\xBB\xBF").append(text)), 3);
  text = cmdstan_file(false, "1", "0");
  text.insert(text.find("-6.74935"), "# a comment between rows\n\n");
  expect_cmdstan_draws(file("comment.csv", text), 0);
  expect_cmdstan_draws(file("unended_comment.csv", cmdstan_file(false, "1", "0") + "# no end"), 0);
}

TEST_F(StanCsvReaderTest, ReadsGzippedFiles) {
  const fs::path plain = file("zipped.csv", cmdstan_file(true, "1", "0"));
  ASSERT_EQ(std::system(("gzip " + plain.string()).c_str()), 0);
  expect_cmdstan_draws(path("zipped.csv.gz"), 3);
  const std::string zipped = read_text(path("zipped.csv.gz"));
  const fs::path cut = file("cut.csv.gz", zipped.substr(0, zipped.size() - 12));  // a run of gzip that was killed
  EXPECT_LT(StanCsvReader(cut).count_rows().sampling_rows, 5);
  const fs::path damaged = file("damaged.csv.gz", zipped.substr(0, 100) + "damage" + zipped.substr(106));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)StanCsvReader(damaged).count_rows(); }), {"damaged.csv.gz"}));
}

TEST_F(StanCsvReaderTest, ATableWithoutCommentsIsEnough) {
  const StanCsvReader reader(file("plain.csv", "\"a\", b\n1, 2\n3,4\n"));
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(testing::read_columns(reader, std::vector<std::size_t>{0, 1}),
            (std::vector<std::vector<double>>{{1, 3}, {2, 4}}));
}

TEST_F(StanCsvReaderTest, WarmUpEndsWhereTheFileSaysSo) {
  const auto rows = [&](const std::string& settings, const std::string& body) {
    const StanCsvPass pass = StanCsvReader(file("w.csv", settings + "x\n" + body)).count_rows();
    return std::pair(pass.warmup_rows, pass.sampling_rows);
  };
  using Rows = std::pair<std::int64_t, std::int64_t>;
  const std::string adapted = "# Adaptation terminated\n";
  EXPECT_EQ(rows("# num_warmup = 2\n# save_warmup = 1\n", "1\n2\n3\n"), Rows(2, 1)) << "no lines on adaptation";
  EXPECT_EQ(rows("# num_warmup = 3\n# thin = 2\n# save_warmup = 1\n", "1\n2\n3\n"), Rows(2, 1)) << "half of three: two";
  EXPECT_EQ(rows("# save_warmup = true\n", "1\n2\n" + adapted + "3\n"), Rows(2, 1)) << "no number";
  EXPECT_EQ(rows("# num_warmup = 9\n# save_warmup = true\n", "1\n2\n" + adapted + "3\n"), Rows(2, 1)) << "interrupted";
  EXPECT_EQ(rows("# num_warmup = 9\n# save_warmup = 1\n", "1\n2\n"), Rows(2, 0)) << "killed during warm-up";
  EXPECT_EQ(rows("# num_warmup = 9\n# save_warmup = 0\n", adapted + "1\n2\n"), Rows(0, 2));
  EXPECT_EQ(rows("# num_warmup = 9\n", "1\n2\n"), Rows(0, 2));
}

TEST_F(StanCsvReaderTest, ACutFileIsReadToItsLastWholeRow) {
  const std::string text = cmdstan_file(true, "1", "0");
  const std::size_t first_row = text.find("-9.1,");
  const std::vector<double> all{0.9, 0.8, 0.7, 0.374871, 0.25, 1e-3, -0.5};
  const fs::path cut = file("cut.csv", text);
  for (std::size_t length = text.size() - 1; length >= first_row; --length) {
    fs::resize_file(cut, length);
    std::vector<double> theta;
    const StanCsvPass pass = StanCsvReader(cut).for_each_row(
        std::vector<std::size_t>{7}, [&](std::span<const double> row, Phase) { theta.push_back(row[0]); });
    std::size_t whole_rows = 0;
    bool in_a_row = false;
    for (std::size_t begin = first_row; begin < length;) {
      const std::size_t end = text.find('\n', begin);
      if (text[begin] != '#') (end < length ? whole_rows += 1 : in_a_row = true);
      begin = end + 1;
    }
    ASSERT_EQ(theta, std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(whole_rows))) << length;
    ASSERT_EQ(pass.incomplete_line.has_value(), in_a_row) << length;
  }
}

TEST_F(StanCsvReaderTest, ErrorsNameFileLineValueAndRule) {
  const std::string file_name = path("bad.csv").string();
  EXPECT_TRUE(mentions(refusal("# c\nx,y\n1,2\n3\n"), {file_name, "line 4", "1 value, but", "2 columns"}));
  EXPECT_TRUE(mentions(refusal("x,y\n1,2\n1,2,3\n"), {file_name, "line 3", "3 values", "2 columns"}));
  EXPECT_TRUE(mentions(refusal("x,y\n1,two\n"), {file_name, "line 2", "column y", "\"two\"", "not a number"}));
  EXPECT_TRUE(mentions(refusal("x,y\n1,\n"), {file_name, "line 2", "column y", "\"\"", "not a number"}));
  EXPECT_TRUE(mentions(refusal("x,y\n1,2 3\n"), {"column y", "\"2 3\"", "not a number"}));
  EXPECT_TRUE(mentions(refusal("x,y\n+-1,2\n"), {"column x", "\"+-1\"", "not a number"}));
  EXPECT_TRUE(mentions(refusal("# c\n1,2\n"), {file_name, "line 2", "column names are expected"}));
  EXPECT_TRUE(mentions(refusal("x,x\n1,2\n"), {file_name, "line 1", "two columns", "\"x\""}));
  EXPECT_TRUE(mentions(refusal("x,,y\n1,2,3\n"), {file_name, "line 1", "column 2 has no name"}));
  EXPECT_TRUE(mentions(refusal(""), {file_name, "empty"}));
  EXPECT_TRUE(mentions(refusal("# only\n# comments\n"), {file_name, "only comments"}));
  EXPECT_TRUE(mentions(refusal("# a\nx,y"), {file_name, "line 2", "ends in its line of column names"}));
  EXPECT_TRUE(mentions(refusal("x,y\n"), {file_name, "no draws"}));
  EXPECT_TRUE(mentions(refusal("# save_warmup = 1\n# num_warmup = 5\nx\n1\n2\n"), {"no draws", "2 of warm-up"}));
  EXPECT_TRUE(mentions(refusal("# save_warmup = maybe\nx\n1\n"), {file_name, "save_warmup", "\"maybe\"", "true"}));
  EXPECT_TRUE(mentions(refusal("# num_warmup = -3\nx\n1\n"), {file_name, "num_warmup", "\"-3\"", "whole number"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { const StanCsvReader reader(path("none.csv")); }),
                       {"cannot read", "none.csv", "No such file"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { const StanCsvReader reader(folder_); }), {"directory"}));
}

TEST_F(StanCsvReaderTest, ColumnsThatAreNotAskedForMayHoldAnything) {
  const StanCsvReader reader(file("a.csv", "x,label,y\n1,one,2\n3,two,4\n"));
  EXPECT_EQ(testing::read_columns(reader, std::vector<std::size_t>{2, 0}),
            (std::vector<std::vector<double>>{{2, 4}, {1, 3}}));
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)testing::read_columns(reader, std::vector<std::size_t>{3}); }),
               {"column 3", "there are 3"}));
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)testing::read_columns(reader, std::vector<std::size_t>{0, 0}); }),
               {"x", "twice"}));
}

TEST_F(StanCsvReaderTest, LinesMayBeLongerThanTheBuffer) {
  constexpr std::size_t columns = 60000;
  std::string names, row;
  for (std::size_t i = 0; i < columns; ++i) {
    names.append("x.").append(std::to_string(i + 1)) += ',';
    row.append(std::to_string(i)).append(".0625,");
  }
  names.back() = row.back() = '\n';
  const StanCsvReader reader(file("wide.csv", names + row + row));
  const auto draws = testing::read_columns(reader, std::vector<std::size_t>{0, columns - 1});
  EXPECT_EQ(draws, (std::vector<std::vector<double>>{{0.0625, 0.0625}, {59999.0625, 59999.0625}}));
}

}  // namespace
}  // namespace darboux
