#include "model/sharded_logistic.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "darboux/core/error.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"
#include "support/split_table.hpp"

namespace darboux {
namespace {

using testing::MadeUpTable;
using testing::mentions;
using testing::message_of;
using testing::TableFiles;
using testing::with_shards;

const RegressionOptions outcome{.response = "outcome"};

/// What a model says at some points: log densities, gradients, and gradients in single precision.
std::vector<double> answers_of(const Model& model) {
  constexpr Index lanes = 7;
  const OwnedBatch q = testing::normal_points(model.dim(), lanes, 0.7, 3);
  std::vector<double> out;
  const auto add = [&](const OwnedBatch& gradient) {
    for (Index j = 0; j < gradient.rows(); ++j)
      for (Index l = 0; l < lanes; ++l) out.push_back(gradient(j, l));
  };
  const auto evaluator = model.make_evaluator();
  const auto both = testing::evaluate(*evaluator, q);
  const auto value = testing::evaluate(*evaluator, q, {.gradient = false});
  for (const auto& answer : {both, value}) out.insert(out.end(), answer.log_density.begin(), answer.log_density.end());
  add(both.gradient);
  add(testing::evaluate(*evaluator, q, {.value = false}).gradient);
  OwnedBatch single(model.dim(), lanes);
  std::vector<Status> status(lanes);
  evaluator->evaluate({.q = q, .active = {}, .value = false, .single_precision = true},
                      {.log_density = {}, .gradient = single, .status = status});
  add(single);
  return out;
}

std::vector<double> answers(int processes, const std::string& data, int threads = 1,
                            const RegressionOptions& options = outcome) {
  std::vector<double> out;
  with_shards(processes, data, options, [&](const auto& model) { out = answers_of(*model); }, threads);
  return out;
}

std::string refusal(int processes, const std::string& data, const RegressionOptions& options = outcome) {
  return message_of<InputError>([&] { with_shards(processes, data, options, [](const auto&) {}); });
}

/// To the last bit; lengths of rows, and so the rows of a piece, differ.
TEST(ShardedLogistic, DoesNotDependOnHowManyProcessesAndThreadsThereAre) {
  TableFiles files;
  const std::string data = files.add("a.csv", MadeUpTable(500).text());
  testing::on_every_cpu([&](CpuKind) {
    const std::vector<double> alone = answers(1, data);
    for (const int processes : {2, 3, 8, 16}) EXPECT_EQ(answers(processes, data), alone) << processes;
    for (const int threads : {2, 5}) EXPECT_EQ(answers(2, data, threads), alone) << threads << " threads";
  });
}

/// Within rounding; gradients in single precision within theirs.
TEST(ShardedLogistic, IsTheRegressionOfTheWholeTable) {
  TableFiles files;
  const std::string data = files.add("a.csv", MadeUpTable(500).text());
  for (const RegressionOptions& options :
       {outcome, RegressionOptions{.response = "outcome", .intercept = false, .standardise = Standardising::all},
        RegressionOptions{.response = "outcome", .drop = {"age"}, .reference = {"town=Chur"}, .prior_scale = 0.3},
        RegressionOptions{.response = "outcome", .category = {"member"}, .reference = {"member=2"}}}) {
    const StandardisedLogistic whole = logistic_from_file(data, options);
    const std::vector<double> expected = answers_of(whole);
    with_shards(3, data, options, [&](const auto& model) {
      const std::vector<double> found = answers_of(*model);
      ASSERT_EQ(found.size(), expected.size());
      const std::size_t singles = expected.size() - static_cast<std::size_t>(7 * whole.dim());
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], (i < singles ? 1e-10 : 1e-3) * (1.0 + std::abs(expected[i]))) << i;
      EXPECT_EQ(model->names(), whole.names());
      const auto facts = model->describe(), facts_of_whole = whole.describe();
      ASSERT_EQ(facts.size(), facts_of_whole.size());
      for (std::size_t k = 0; k < facts.size(); ++k) EXPECT_EQ(facts[k].note, facts_of_whole[k].note);
      std::vector<double> q(static_cast<std::size_t>(model->dim()), 0.3), natural(q), natural_of_whole(q);
      model->constrain(q, {}, natural);
      whole.constrain(q, {}, natural_of_whole);
      for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(natural[j], natural_of_whole[j], 1e-12);
      EXPECT_TRUE(model->draw_prior({.seed = 4}, natural) && whole.draw_prior({.seed = 4}, natural_of_whole));
      EXPECT_EQ(natural, natural_of_whole);
    });
  }
}

/// Files are read as a whole, in the order of their names; a category may be all there is in one of them.
TEST(ShardedLogistic, ReadsGzippedParts) {
  TableFiles files;
  const MadeUpTable table(400);
  const std::string whole = files.add("whole.csv", table.text());
  files.add_gzipped("part-1.csv.gz", table.text(0, 50));
  files.add_gzipped("part-2.csv.gz", table.text(50, 300));
  files.add_gzipped("part-3.csv.gz", table.text(300, 397));
  files.add_gzipped("part-4.csv.gz", table.text(397, 400));
  const std::string parts = files.path("part-*.csv.gz");
  const std::vector<double> alone = answers(1, parts);
  for (const int processes : {2, 3, 4}) EXPECT_EQ(answers(processes, parts), alone) << processes;
  const std::vector<double> expected = answers_of(logistic_from_file(whole, outcome));
  ASSERT_EQ(alone.size(), expected.size());
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(alone[i], expected[i], 1e-9) << i;
  EXPECT_TRUE(mentions(refusal(5, parts), {"5 processes", "4 parts", "no more processes than parts"}));
  EXPECT_TRUE(mentions(refusal(2, files.path("part-1.csv.gz")), {"2 processes", "it has 1 part that"}));
  EXPECT_TRUE(mentions(refusal(2, files.path("part-*.txt")), {"part-*.txt", "no such file"}));
}

/// Those that have rows know nothing of the run, but for what it left with them.
TEST(ShardedLogistic, FollowersSayWhatTheFirstLeftWithThem) {
  const auto lose_the_first = [](const std::string& words) {
    return testing::message_of<PeerFailure>([&] {
      testing::in_group(2, [&](Group& group) {
        if (!group.is_first()) return follow(group, 1);
        const Lead lead(group);
        if (!words.empty()) lead.leave_word(words);
        group.fail("no more");
      });
    });
  };
  EXPECT_TRUE(mentions(lose_the_first(". Go on in out"), {"rank 0 could not go on: no more. Go on in out"}));
  EXPECT_TRUE(mentions(lose_the_first(""), {"no more. Nothing is lost by that: start the same again"}));
}

TEST(ShardedLogistic, OddTablesAreCutWell) {
  TableFiles files;
  std::string text = "# made up\nid;y;x;g\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format("{};{};{};{}\n{}", i, i % 3 == 0 ? 1 : 0, (i * 37) % 11, i == 20 ? std::string(2000, 'a') : "b",
                        i % 7 == 0 ? "\n# a comment\n" : "");
  text += "40;1;3;b";  // no line end
  const std::string data = files.add("a.csv", text);
  const RegressionOptions options{.response = "y"};
  const std::vector<double> alone = answers(1, data, 1, options),
                            expected = answers_of(logistic_from_file(data, options));
  for (const int processes : {2, 3, 8}) EXPECT_EQ(answers(processes, data, 1, options), alone) << processes;
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(alone[i], expected[i], 1e-10);
  with_shards(2, data, options, [](const auto& model) {
    const std::vector<std::string> remarks = model->remarks();
    ASSERT_EQ(remarks.size(), 3U);
    EXPECT_TRUE(mentions(remarks[0], {"g[", "1 row"}));
    EXPECT_TRUE(mentions(remarks[1], {"id goes up by one"})) << "from one process to the next, too";
    EXPECT_TRUE(mentions(remarks[2], {"collinear", "not looked for"}));
  });
}

/// A blank line in it is a missing value, unless it is at the end of the file: a piece cannot tell.
TEST(ShardedLogistic, ATableOfOneColumnIsRefused) {
  TableFiles files;
  const std::string data = files.add("a.csv", "outcome\n0\n1\n\n0\n1\n");
  for (const int processes : {1, 2})
    EXPECT_TRUE(mentions(refusal(processes, data), {"a.csv", "one column", "leave shard = rows out"}));
}

TEST(ShardedLogistic, LeavesOutRowsThatLackAValue) {
  TableFiles files;
  MadeUpTable table(200);
  MadeUpTable complete = table;
  table.rows[3] = "yes,NA,20000,1,Bern\n";
  table.rows[198] = "no,30,20000,,Zug\n";
  complete.rows.erase(complete.rows.begin() + 198);
  complete.rows.erase(complete.rows.begin() + 3);
  const std::string data = files.add("a.csv", table.text());
  for (const int processes : {1, 3})
    EXPECT_TRUE(mentions(refusal(processes, data), {"a.csv:5, column age is missing (and 1 more)", "--na drop"}));
  RegressionOptions options = outcome;
  options.na = MissingValues::drop;
  const std::vector<double> expected = answers_of(logistic_from_file(files.add("b.csv", complete.text()), outcome));
  const std::vector<double> found = answers(3, data, 1, options);
  ASSERT_EQ(found.size(), expected.size()) << "Zug is in none of the rows that stay";
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(found[i], expected[i], 1e-10);
}

/// What one process finds ends all of them, with its file and line.
TEST(ShardedLogistic, BadRowsAreToldWithTheirLines) {
  TableFiles files;
  const MadeUpTable good(200);
  const auto with = [&](std::size_t row, const std::string& text) {
    MadeUpTable table = good;
    table.rows[row] = text;
    return files.add("bad.csv", table.text());
  };
  for (const int processes : {1, 2, 3, 8}) {
    EXPECT_TRUE(mentions(refusal(processes, with(150, "yes,1,2\n")), {"bad.csv:152: 3 fields"}));
    EXPECT_TRUE(mentions(refusal(processes, with(170, "no,x,2,1,Bern\n")), {"bad.csv:172, column age", "\"x\""}));
    EXPECT_TRUE(mentions(refusal(processes, with(199, "no,1,inf,1,Bern\n")), {"bad.csv:201, column income is inf"}));
    EXPECT_TRUE(mentions(refusal(processes, with(60, "maybe,1,2,1,Bern\n")), {"column outcome is text", "\"maybe\""}));
    EXPECT_TRUE(mentions(refusal(processes, with(180, "no,1,2,1,\"Bern\nor not\"\n")), {"bad.csv:182", "one line"}));
  }
  EXPECT_TRUE(mentions(refusal(3, with(150, "yes,1,2\n")), {"rank 2: "}));
  EXPECT_TRUE(mentions(refusal(17, files.add("a.csv", good.text())), {"17 processes", "16 parts"}));
  EXPECT_TRUE(mentions(refusal(2, files.add("empty.csv", good.header)), {"empty.csv has no rows"}));
}

TEST(ShardedLogistic, PartsMustHaveTheSameColumns) {
  TableFiles files;
  const MadeUpTable table(60);
  MadeUpTable other = table, shorter = table, text = table;
  other.header = "outcome,age,salary,member,town\n";
  shorter.header = "outcome,age,income,member\n";
  for (std::string& row : text.rows) row.replace(row.find(',') + 1, 2, "\"x\",\"");
  files.add_gzipped("a-1.csv.gz", table.text(0, 30));
  files.add_gzipped("a-2.csv.gz", other.text(30, 60));
  files.add_gzipped("b-1.csv.gz", table.text(0, 30));
  files.add("b-2.csv", shorter.text(30, 60));
  for (const int processes : {1, 2}) {
    EXPECT_TRUE(mentions(refusal(processes, files.path("a-*.csv.gz")),
                         {"a-2.csv.gz: column 3 is called \"salary\"", "a-1.csv.gz called \"income\""}));
    EXPECT_TRUE(mentions(refusal(processes, files.path("b-*")), {"b-2.csv: column 5 is not there", "called \"town\""}));
  }
  EXPECT_TRUE(mentions(refusal(2, files.path("a-*.csv.gz")), {"rank 1: "}));
  files.add_gzipped("c-1.csv.gz", "outcome,x\nyes,1\nno,2\n");
  files.add_gzipped("c-2.csv.gz", "outcome,x\nyes,a\nno,b\n");
  EXPECT_TRUE(mentions(refusal(2, files.path("c-*.csv.gz")),
                       {"column x is of numbers (1, ", "c-1.csv.gz:2", "text further on (\"a\", ", "c-2.csv.gz:2"}));
}

/// Where machines have disks of their own, a file may be missing, or another one, for a single process.
TEST(ShardedLogistic, AFileThatOneProcessLacksEndsAll) {
  TableFiles files;
  const std::string data = files.add("a.csv", MadeUpTable(60).text());
  for (const int lacking : {0, 1, 2}) {
    const std::string message = message_of<InputError>([&] {
      const PiecedTable table = find_pieces(data, {});
      testing::in_group(3, [&](Group& group) {
        PiecedTable own = table;
        if (group.rank() == lacking) own.files[0].name = files.path("missing.csv");
        (void)open_sharded(group, own, outcome, 1);
      });
    });
    EXPECT_TRUE(mentions(message, {"missing.csv", fmt::format("rank {}: ", lacking)}));
  }
  const std::string message = message_of<InputError>([&] {
    const PiecedTable table = find_pieces(data, {});
    const std::string other = files.add("other.csv", MadeUpTable(70).text());
    testing::in_group(2, [&](Group& group) {
      PiecedTable own = table;
      if (group.rank() == 1) own.files[0].name = other;
      (void)open_sharded(group, own, outcome, 1);
    });
  });
  EXPECT_TRUE(mentions(message, {"other.csv has", "must be the same file", "rank 1: "}));
}

/// After one that was refused another is opened, and after that another still.
TEST(ShardedLogistic, ModelsMayFollowEachOther) {
  TableFiles files;
  const std::string data = files.add("a.csv", MadeUpTable(60).text());
  testing::in_group(2, [&](Group& group) {
    if (!group.is_first()) return follow(group, 1);
    const Lead lead(group);
    EXPECT_THROW((void)lead.open_logistic(data, {.response = "nothing"}, 1), InputError);
    const std::vector<double> first = answers_of(*lead.open_logistic(data, outcome, 1));
    EXPECT_EQ(answers_of(*lead.open_logistic(data, outcome, 1)), first);
  });
}

/// One exchange with the numbers of a sum, and one that asks for it; each process gives one sum, however many pieces it has.
TEST(ShardedLogistic, ASumIsOneReduction) {
  TableFiles files;
  const std::string data = files.add("a.csv", MadeUpTable(500).text());
  testing::in_group(2, [&](Group& group) {
    if (!group.is_first()) return follow(group, 1);
    const Lead lead(group);
    const auto model = lead.open_logistic(data, outcome, 1);
    const auto evaluator = model->make_evaluator();
    const OwnedBatch q = testing::normal_points(model->dim(), 64, 1.0, 1);
    const Traffic before = group.traffic();
    (void)testing::evaluate(*evaluator, q);
    const std::int64_t bytes = group.traffic().bytes - before.bytes, numbers = 64 * model->dim() * 8;
    EXPECT_EQ(group.traffic().exchanges - before.exchanges, 2);
    EXPECT_GE(bytes, 2 * numbers + 64 * 8);
    EXPECT_LE(bytes, 2 * numbers + 64 * 8 + 100);
  });
}

}  // namespace
}  // namespace darboux
