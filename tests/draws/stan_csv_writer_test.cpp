#include "draws/stan_csv_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <darboux/core/error.hpp>
#include <darboux/version.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "draws/stan_csv_reader.hpp"
#include "read_columns.hpp"
#include "support/expect.hpp"
#include "temporary_folder.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;

constexpr double inf = std::numeric_limits<double>::infinity();

class StanCsvWriterTest : public testing::WithFolder {
 protected:
  static StanCsvHeader small_header() {
    return {.model = "skewed",
            .seed = 7,
            .warmup_iterations = 10,
            .sampling_iterations = 2,
            .started = "2030-01-31 12:00:00 UTC"};
  }
  [[nodiscard]] StanCsvFiles files() const { return {.draws = path("chain_1.csv"), .statistics = path("more.csv")}; }
};

Transition example_statistics() {
  return {.log_density = -1.5,
          .step_size = 0.25,
          .energy_error = inf,
          .acceptance_probability = 0.875,
          .energy = 3.125,
          .direction = -1.0,
          .status = Status::diverged,
          .gradients = 13,
          .solver_iterations = 40,
          .steps = 12};
}

TEST_F(StanCsvWriterTest, WritesTheLayoutOfCmdStan) {
  StanCsvHeader header = small_header();
  header.metric = MetricShape::diagonal;
  header.data_file = "data/german.csv";
  header.notes = {{"structure", "coupled"}, {"two words", "one\nline"}};
  StanCsvWriter writer(files(), header, {"a[1,2]", "b"});
  writer.end_warmup({.step_size = 0.25, .metric = MetricShape::diagonal, .inverse_metric = {1.5, 0.1}});
  writer.draw(std::vector{0.1, -0.0}, example_statistics());
  writer.draw(std::vector{std::nan(""), -inf}, {.log_density = 1e-300, .accepted = true, .gradients = 11, .steps = 10});
  writer.finish({.warmup = 0.0094, .sampling = 1.25});

  EXPECT_EQ(read_text(path("chain_1.csv")),
            "# stan_version_major = 2\n"
            "# stan_version_minor = 36\n"
            "# stan_version_patch = 0\n"
            "# model = skewed\n"
            "# start_datetime = 2030-01-31 12:00:00 UTC\n"
            "# method = sample\n"
            "#   sample\n"
            "#     num_samples = 2\n"
            "#     num_warmup = 10\n"
            "#     save_warmup = 0\n"
            "#     thin = 1\n"
            "#     adapt\n"
            "#       engaged = 1\n"
            "#       delta = 0.8\n"
            "#     algorithm = hmc\n"
            "#       hmc\n"
            "#         engine = nuts\n"
            "#           nuts\n"
            "#             max_depth = 10\n"
            "#         metric = diag_e\n"
            "#         stepsize = 1\n"
            "#     num_chains = 1\n"
            "# id = 1\n"
            "# data\n"
            "#   file = data/german.csv\n"
            "# random\n"
            "#   seed = 7\n"
            "# output\n"
            "#   file = chain_1.csv\n"
            "# darboux_version = " +
                std::string(version()) +
                "\n"
                "# darboux_structure = coupled\n"
                "# darboux_two_words = one line\n"
                "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,a.1.2,b\n"
                "# Adaptation terminated\n"
                "# Step size = 0.25\n"
                "# Diagonal elements of inverse mass matrix:\n"
                "# 1.5, 0.1\n"
                "-1.5,0.875,0.25,0,12,1,3.125,0.1,-0\n"
                "1e-300,0,0,0,10,0,0,nan,-inf\n"
                "# \n"
                "#  Elapsed Time: 0.009 seconds (Warm-up)\n"
                "#                1.250 seconds (Sampling)\n"
                "#                1.259 seconds (Total)\n"
                "# \n");
}

TEST_F(StanCsvWriterTest, WritesStatisticsBesideTheDraws) {
  StanCsvWriter writer(files(), small_header(), {"a"});
  writer.end_warmup({.step_size = 0.25});
  writer.draw(std::vector{0.1}, example_statistics());
  writer.draw(std::vector{0.2}, {.log_density = 1e-300, .accepted = true, .gradients = 11, .steps = 10});
  writer.finish({});
  EXPECT_EQ(read_text(path("more.csv")),
            "# Row by row what belongs to the draws of chain 1 of skewed\n"
            "# num_warmup = 10\n"
            "# save_warmup = 0\n"
            "# thin = 1\n"
            "# status__: 0 ok, 1 diverged, 2 not_converged, 3 not_reversible, 4 model_error\n"
            "energy_error__,solver_iterations__,gradients__,direction__,accepted__,status__\n"
            "# Adaptation terminated\n"
            "inf,40,13,-1,0,1\n"
            "0,0,11,1,1,0\n");
}

TEST_F(StanCsvWriterTest, MetricsOfEveryShape) {
  const auto block = [&](const std::string& name, const Adaptation& adaptation) {
    StanCsvHeader header = small_header();
    header.metric = adaptation.metric;
    StanCsvWriter writer({.draws = path(name)}, header, {"x"});
    writer.end_warmup(adaptation);
    const std::string text = read_text(path(name));
    return text.substr(text.find("# Step size"));
  };
  EXPECT_EQ(block("unit.csv", {.step_size = 1e-5}), "# Step size = 1e-05\n# No free parameters for unit metric\n");
  EXPECT_EQ(block("dense.csv", {.step_size = 1, .metric = MetricShape::dense, .inverse_metric = {2, 0.5, 0.5, 3}}),
            "# Step size = 1\n# Elements of inverse mass matrix:\n# 2, 0.5\n# 0.5, 3\n");
}

TEST_F(StanCsvWriterTest, EveryBitComesBack) {
  std::mt19937_64 bits(1);
  std::vector<double> sent{0.0, -0.0, 0.1, 1.0 / 3.0, 5e-324, -1.7976931348623157e308, inf, -inf, 123456789012345680.0};
  while (sent.size() < 3000)
    if (const auto x = std::bit_cast<double>(bits()); !std::isnan(x)) sent.push_back(x);
  sent.push_back(std::nan(""));
  sent.push_back(-std::nan(""));
  StanCsvHeader header = small_header();
  header.sampling_iterations = static_cast<std::int64_t>(sent.size());
  StanCsvWriter writer(files(), header, {"x", "y"});
  writer.end_warmup({.step_size = 1});
  for (const double x : sent) writer.draw(std::vector{x, -x}, {.log_density = x, .energy = x});
  writer.finish({});

  const StanCsvReader reader(path("chain_1.csv"));
  const auto came = testing::read_columns(reader, std::vector<std::size_t>{0, 6, 7, 8});
  for (std::size_t i = 0; i < sent.size(); ++i) {
    for (std::size_t column = 0; column < 4; ++column) {
      const double expected = column == 3 ? -sent[i] : sent[i];
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(came[column][i]));
      else
        EXPECT_EQ(std::bit_cast<std::uint64_t>(came[column][i]), std::bit_cast<std::uint64_t>(expected));
    }
  }
}

TEST_F(StanCsvWriterTest, AnInterruptedRunAnnouncesWhatItHas) {
  StanCsvHeader header = small_header();
  header.save_warmup = true;
  header.warmup_iterations = 100;
  header.sampling_iterations = 1000;
  header.thin = 3;
  StanCsvWriter writer(files(), header, {"x"});
  for (int i = 0; i < 34; ++i) writer.draw(std::vector{double(i)}, {});
  writer.end_warmup({.step_size = 1});
  for (int i = 0; i < 4; ++i) writer.draw(std::vector{double(i)}, {});
  writer.finish({});
  const StanCsvReader reader(path("chain_1.csv"));
  EXPECT_EQ(reader.setting("num_samples"), "12");  // 4 rows of every third iteration
  EXPECT_EQ(reader.setting("num_warmup"), "100");  // complete: ⌈100/3⌉ = 34 rows
  EXPECT_NE(read_text(path("chain_1.csv")).find("num_samples = 12  \n#     num_warmup = 100\n"), std::string::npos);
  EXPECT_EQ(reader.count_rows().sampling_rows, 4);
}

TEST_F(StanCsvWriterTest, AnInterruptedWarmUpHasNoDraws) {
  StanCsvHeader header = small_header();
  header.save_warmup = true;
  StanCsvWriter writer(files(), header, {"x"});
  for (int i = 0; i < 4; ++i) writer.draw(std::vector{double(i)}, {});
  writer.finish({});
  const StanCsvReader reader(path("chain_1.csv"));
  EXPECT_EQ(reader.setting("num_warmup"), "4");
  EXPECT_EQ(reader.setting("num_samples"), "0");
  EXPECT_EQ(reader.count_rows().warmup_rows, 4);
  EXPECT_EQ(reader.count_rows().sampling_rows, 0);
}

TEST_F(StanCsvWriterTest, RowsAppearInTime) {
  const auto rows_after = [&](const std::string& name, const FlushPolicy& policy, bool flush) {
    StanCsvWriter writer({.draws = path(name), .statistics = path("s" + name)}, small_header(), {"x"}, policy);
    writer.end_warmup({.step_size = 1});
    writer.draw(std::vector{1.0}, {});
    if (flush) writer.flush();
    const auto rows = StanCsvReader(path(name)).count_rows().sampling_rows;
    EXPECT_EQ(rows, StanCsvReader(path("s" + name)).count_rows().sampling_rows);
    return rows;
  };
  using std::chrono::milliseconds;
  EXPECT_EQ(rows_after("a.csv", {.interval = milliseconds(100000), .rows = 0}, false), 0);
  EXPECT_EQ(rows_after("b.csv", {.interval = milliseconds(100000), .rows = 0}, true), 1);
  EXPECT_EQ(rows_after("c.csv", {.interval = milliseconds(100000), .rows = 1}, false), 1);
  EXPECT_EQ(rows_after("d.csv", {.interval = milliseconds(0), .rows = 0}, false), 1);
  EXPECT_EQ(StanCsvReader(path("a.csv")).count_rows().sampling_rows, 1) << "the destructor writes what is left";
}

/// A row whose numbers all follow from its place.
void draw_numbered(StanCsvWriter& sink, int i) {
  sink.draw(std::vector{i + 0.5, -1.0 / i, 1e-100 * i}, {.log_density = -1.0 * i, .steps = i});
}

void expect_numbered_prefix(const fs::path& file, std::int64_t least) {
  const StanCsvReader reader(file);
  int i = 0;
  const StanCsvPass pass = reader.for_each_row(std::vector<std::size_t>{0, 4, 7, 8, 9}, [&](std::span<const double> row,
                                                                                            Phase phase) {
    ++i;
    EXPECT_EQ(phase, Phase::sampling);
    EXPECT_EQ((std::vector(row.begin(), row.end())), (std::vector{-1.0 * i, double(i), i + 0.5, -1.0 / i, 1e-100 * i}));
  });
  EXPECT_EQ(pass.sampling_rows, i);
  EXPECT_GE(pass.sampling_rows, least);
}

TEST_F(StanCsvWriterTest, AKilledProcessLeavesAReadablePrefix) {
  for (const std::int64_t rows_at_once : {1, 1000}) {
    const fs::path file = path("killed_" + std::to_string(rows_at_once) + ".csv");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      StanCsvHeader header = small_header();
      header.sampling_iterations = 1000000000;
      const FlushPolicy policy{.interval = std::chrono::milliseconds(20), .rows = rows_at_once};
      StanCsvWriter writer({.draws = file}, header, {"a", "b", "c"}, policy);
      writer.end_warmup({.step_size = 1});
      for (int i = 1; i < 1000000000; ++i) draw_numbered(writer, i);
      ::_exit(1);
    }
    std::error_code error;
    while (!fs::exists(file, error) || fs::file_size(file, error) < 200000)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    expect_numbered_prefix(file, 1000);
  }
}

TEST_F(StanCsvWriterTest, AFullDiskIsAnError) {
  const auto at_start =
      message_of<Error>([&] { const StanCsvWriter writer({.draws = "/dev/full"}, small_header(), {"x"}); });
  EXPECT_TRUE(mentions(at_start, {"cannot write", "/dev/full", "No space left"}));
}

TEST_F(StanCsvWriterTest, ADiskThatFillsUpKeepsWholeRows) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 5003, .rlim_max = before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  StanCsvHeader header = small_header();
  header.sampling_iterations = 1000;
  std::optional<StanCsvWriter> writer(std::in_place, StanCsvFiles{.draws = path("a.csv")}, header,
                                      std::vector<std::string>{"a", "b", "c"});
  writer->end_warmup({.step_size = 1});
  for (int i = 1; i < 1000; ++i) draw_numbered(*writer, i);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto message = message_of<Error>([&] { writer->flush(); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_TRUE(mentions(message, {"cannot write", path("a.csv").string(), "File too large"}));
  EXPECT_TRUE(mentions(message_of<Error>([&] { draw_numbered(*writer, 1000); }), {"closed"}));
  writer.reset();
  expect_numbered_prefix(path("a.csv"), 30);
  EXPECT_TRUE(read_text(path("a.csv")).ends_with('\n'));
}

TEST_F(StanCsvWriterTest, NothingIsOverwritten) {
  const auto precious = file("chain_1.csv", "precious");
  EXPECT_TRUE(mentions(message_of<Error>([&] { const StanCsvWriter writer(files(), small_header(), {"x"}); }),
                       {"cannot write", "chain_1.csv", "File exists"}));
  EXPECT_EQ(read_text(precious), "precious");
}

TEST_F(StanCsvWriterTest, BadInputLeavesNoFile) {
  const auto refusal = [&](const StanCsvHeader& header, const std::vector<std::string>& names) {
    return message_of<InputError>([&] { const StanCsvWriter writer(files(), header, names); });
  };
  StanCsvHeader header = small_header();
  EXPECT_TRUE(mentions(refusal(header, {"x", "x"}), {"\"x\"", "rename"}));
  header.thin = 0;
  EXPECT_TRUE(mentions(refusal(header, {"x"}), {"thin = 0", "at least 1"}));
  header = small_header();
  header.sampling_iterations = -5;
  EXPECT_TRUE(mentions(refusal(header, {"x"}), {"sampling_iterations = -5"}));
  header = small_header();
  header.notes = {{"metric", "diag"}};
  EXPECT_TRUE(mentions(refusal(header, {"x"}), {"note \"metric\""}));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(StanCsvWriterTest, CallsOutOfOrderAreErrors) {
  StanCsvWriter writer(files(), small_header(), {"x"});
  const Adaptation unit{.step_size = 1};
  EXPECT_TRUE(mentions(message_of<Error>([&] { writer.draw(std::vector{1.0}, {}); }), {"warm-up is not saved"}));
  EXPECT_TRUE(mentions(message_of<Error>([&] {
                         writer.end_warmup({.step_size = 1, .metric = MetricShape::diagonal, .inverse_metric = {1}});
                       }),
                       {"unit_e", "diag_e"}));
  writer.end_warmup(unit);
  EXPECT_TRUE(mentions(message_of<Error>([&] { writer.end_warmup(unit); }), {"ended before"}));
  EXPECT_TRUE(mentions(message_of<Error>([&] { writer.draw(std::vector{1.0, 2.0}, {}); }), {"2 values", "1 columns"}));
  writer.draw(std::vector{1.0}, {});
  writer.draw(std::vector{1.0}, {});
  EXPECT_TRUE(mentions(message_of<Error>([&] { writer.draw(std::vector{1.0}, {}); }), {"all sampling rows"}));
  writer.finish({});
  EXPECT_TRUE(mentions(message_of<Error>([&] { writer.flush(); }), {"closed"}));
  EXPECT_EQ(writer.sampling_rows(), 2);
}

}  // namespace
}  // namespace darboux
