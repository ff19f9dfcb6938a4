#include "draws/zarr_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <random>

#include "darboux/core/error.hpp"
#include "draws/temporary_folder.hpp"
#include "draws/zarr_reader.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;

constexpr Index chains = 2;

/// Rows of six numbers; those of a matrix are out of order, as Stan's.
std::vector<DrawVariable> variables() {
  return {{.group = "posterior", .name = "m", .dims = {{"i", 2}, {"j", 2, {"a", "b"}}}, .places = {0, 2, 1, 3}},
          {.group = "posterior", .name = "mu", .places = {4}},
          {.group = "sample_stats", .name = "diverging", .places = {5}, .type = zarr_type::truth},
          {.group = "sample_stats", .name = "n_steps", .places = {0}, .type = zarr_type::integer}};
}

std::array<double, 6> row(Index chain, std::int64_t i) {
  const double x = static_cast<double>(1000 * chain + i);
  return {x, x + 0.25, -x, 1.0 / (x + 1.0), x * x, static_cast<double>(i % 3 == 0)};
}

/// Throws, or fails, unless the store is valid and has what was written, as far as it says.
std::int64_t require_valid(const fs::path& root) {
  const ZarrReader found(root);
  const std::int64_t draws = found.array("posterior/mu").shape[1];
  for (const DrawVariable& variable : variables()) {
    const std::string name = variable.group + "/" + variable.name;
    EXPECT_EQ(found.array(name).shape[1], draws) << name;
    EXPECT_EQ(found.array(variable.group + "/draw").shape[0], draws);
    for (Index c = 0; c < chains; ++c) {
      const std::vector<double> values = found.slice(name, c);
      std::vector<double> expected;
      for (std::int64_t i = 0; i < draws; ++i)
        for (const std::size_t place : variable.places) expected.push_back(row(c, i)[place]);
      EXPECT_EQ(values, expected) << name;
    }
  }
  const std::vector<double> numbers = found.numbers("posterior/draw");
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<double>(i));
  return draws;
}

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[fs::relative(entry, folder).string()] = read_text(entry);
  return files;
}

class ZarrRowsTest : public testing::WithFolder {
 protected:
  struct Made {
    explicit Made(const fs::path& root) : store(root) {
      for (const std::string group : {"", "posterior", "sample_stats"}) store.add_group(group);
      rows.emplace(store, variables(), chains);
    }
    void add(Index chain, std::int64_t count) {
      while (count-- > 0) rows->add(chain, row(chain, rows->rows(chain)));
    }
    void flush() {
      for (Index c = 0; c < chains; ++c) rows->flush(c);
      (void)rows->publish();
    }
    void go_on(const std::vector<ZarrMark>& marks) {
      rows->go_on(marks);
      store.publish();
      rows->cut();
    }
    [[nodiscard]] std::vector<ZarrMark> marks() const { return {rows->mark(0), rows->mark(1)}; }
    ZarrStore store;
    std::optional<ZarrRows> rows;
  };
};

TEST_F(ZarrRowsTest, ReadersSeeWhatEveryChainHas) {
  Made made(path("a.zarr"));
  made.store.publish();
  EXPECT_EQ(require_valid(path("a.zarr")), 0);
  made.add(0, 700);
  made.add(1, 400);
  EXPECT_EQ(made.rows->publish(), 0) << "nothing is flushed";
  made.rows->flush(0);
  EXPECT_EQ(made.rows->publish(), 0) << "of one chain only";
  made.flush();
  EXPECT_EQ(require_valid(path("a.zarr")), 400);
  made.add(1, 2600);
  made.add(0, 2300);
  EXPECT_EQ(require_valid(path("a.zarr")), 400) << "whole chunks of later draws are there";
  made.flush();
  EXPECT_EQ(require_valid(path("a.zarr")), 3000);
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path().filename(), "a.zarr");
}

/// Whatever is written in whatever order: after each step there is a valid store.
TEST_F(ZarrRowsTest, TheStoreIsValidAtEveryMoment) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
  Made made(path("a.zarr"));
  made.store.publish();
  std::int64_t before = 0;
  for (int step = 0; step < 60; ++step) {
    const Index chain = below(2);
    made.add(chain, below(300));
    if (below(4) > 0) made.rows->flush(chain);
    if (below(3) > 0) (void)made.rows->publish();
    const std::int64_t now = require_valid(path("a.zarr"));
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GT(before, 1024);
}

/// A process that is killed while others go on; whatever it did after the mark, the bytes become the same.
TEST_F(ZarrRowsTest, GoesOnToTheSameBytes) {
  for (const std::int64_t first : {0, 1023, 1024, 1500}) {
    for (const char* name : {"a.zarr", "b.zarr"}) fs::remove_all(path(name));
    Made whole(path("a.zarr"));
    for (Index c = 0; c < chains; ++c) whole.add(c, 3000);
    whole.flush();

    std::vector<ZarrMark> marks;
    {
      Made killed(path("b.zarr"));
      for (Index c = 0; c < chains; ++c) killed.add(c, first);
      killed.flush();
      marks = killed.marks();
      for (Index c = 0; c < chains; ++c) killed.add(c, 2500);
      killed.flush();
    }
    Made resumed(path("b.zarr"));
    for (Index c = 0; c < chains; ++c) require_mark(path("b.zarr"), c, marks[at(c)]);
    resumed.go_on(marks);
    EXPECT_EQ(require_valid(path("b.zarr")), first);
    EXPECT_EQ(resumed.marks(), marks);
    Made exact(path("c.zarr"));
    for (Index c = 0; c < chains; ++c) exact.add(c, first);
    exact.flush();
    EXPECT_TRUE(files_in(path("b.zarr")) == files_in(path("c.zarr"))) << "what is after the mark is gone";
    fs::remove_all(path("c.zarr"));
    for (Index c = 0; c < chains; ++c) resumed.add(c, 3000 - first);
    resumed.flush();
    EXPECT_TRUE(files_in(path("b.zarr")) == files_in(path("a.zarr")));
    EXPECT_EQ(resumed.marks(), whole.marks());
  }
}

/// A store is of several such arrays, warm-up and sampling: none gets shorter before all are where they go on.
TEST_F(ZarrRowsTest, ReadersAreToldAtOnceWhereItGoesOn) {
  std::vector<ZarrMark> marks;
  {
    Made killed(path("a.zarr"));
    for (Index c = 0; c < chains; ++c) killed.add(c, 1000);
    marks = killed.marks();
    for (Index c = 0; c < chains; ++c) killed.add(c, 4000);
    killed.flush();
  }
  Made resumed(path("a.zarr"));
  resumed.rows->go_on(marks);
  EXPECT_EQ(require_valid(path("a.zarr")), 5000);
  resumed.store.publish();
  EXPECT_EQ(require_valid(path("a.zarr")), 1000);
  resumed.rows->cut();
  EXPECT_EQ(require_valid(path("a.zarr")), 1000);
}

/// Stopped by a chunk that cannot be removed, as by a kill: what is left has no gap, so that the next one finds all of it.
TEST_F(ZarrRowsTest, WhatComesAfterAMarkGoesFromItsEnd) {
  std::vector<ZarrMark> marks;
  {
    Made killed(path("a.zarr"));
    for (Index c = 0; c < chains; ++c) killed.add(c, 1000);
    killed.flush();
    marks = killed.marks();
    for (Index c = 0; c < chains; ++c) killed.add(c, 4000);
    killed.flush();
  }
  const auto chunk = [&](int i) { return path("a.zarr/posterior/mu/0." + std::to_string(i)); };
  const std::string bytes = read_text(chunk(2));
  fs::remove(chunk(2));
  fs::create_directories(chunk(2) / "in the way");
  EXPECT_THROW(Made(path("a.zarr")).go_on(marks), fs::filesystem_error);
  EXPECT_TRUE(fs::exists(chunk(1)));
  EXPECT_FALSE(fs::exists(chunk(3)));
  fs::remove_all(chunk(2));
  write_text(chunk(2), bytes);
  Made(path("a.zarr")).go_on(marks);
  for (int i = 1; i < 5; ++i) EXPECT_FALSE(fs::exists(chunk(i))) << i;
}

TEST_F(ZarrRowsTest, DamageIsNoticed) {
  Made made(path("a.zarr"));
  for (Index c = 0; c < chains; ++c) made.add(c, 1500);
  made.flush();
  const std::vector<ZarrMark> marks = made.marks();
  require_mark(path("a.zarr"), 0, marks[0]);
  const fs::path chunk = path("a.zarr/posterior/mu/0.0");
  std::string damaged = read_text(chunk);
  damaged[3000] = static_cast<char>(damaged[3000] ^ 1);
  write_text(chunk, damaged);
  EXPECT_THROW(require_mark(path("a.zarr"), 0, marks[0]), Error);
  require_mark(path("a.zarr"), 1, marks[1]);
  fs::resize_file(chunk, 100);
  EXPECT_THROW(require_mark(path("a.zarr"), 0, marks[0]), Error);
  fs::remove(chunk);
  EXPECT_THROW(require_mark(path("a.zarr"), 0, marks[0]), Error);
}

/// After a power cut what was written anew since the mark may be empty: descriptions, and chunks that are not full.
TEST_F(ZarrRowsTest, WhatIsWrittenAgainAndAgainIsNotNeeded) {
  Made made(path("a.zarr"));
  for (Index c = 0; c < chains; ++c) made.add(c, 1500);
  made.flush();
  const std::vector<ZarrMark> marks = made.marks();
  const auto whole = files_in(path("a.zarr"));
  for (const auto& [name, bytes] : whole)
    if (name.find(".z") != std::string::npos || name.ends_with(".1")) fs::resize_file(path("a.zarr/" + name), 0);
  fs::remove(path("a.zarr/posterior/mu/1.1"));
  for (Index c = 0; c < chains; ++c) require_mark(path("a.zarr"), c, marks[at(c)]);
  Made(path("a.zarr")).go_on(marks);
  EXPECT_TRUE(files_in(path("a.zarr")) == whole);
}

/// The memory that stretches take is bounded, however many chains there are and however wide rows are.
TEST_F(ZarrRowsTest, StretchesGetShorterWhereRowsAreWide) {
  ZarrStore store(path("a.zarr"));
  for (const std::string group : {"", "posterior"}) store.add_group(group);
  std::vector<std::size_t> places(100'000);
  const ZarrRows wide(store, {{.group = "posterior", .name = "x", .dims = {{"i", 100'000}}, .places = places}}, 100);
  store.publish();
  EXPECT_EQ(ZarrReader(store.root()).array("posterior/x").chunk, (std::vector<std::int64_t>{1, 1, 100'000}));
}

}  // namespace
}  // namespace darboux
