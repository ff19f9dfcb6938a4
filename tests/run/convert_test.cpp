#include "run/convert.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "darboux/core/error.hpp"
#include "draws/temporary_folder.hpp"
#include "report/run_input.hpp"
#include "support/expect.hpp"

namespace darboux::testing {
namespace {

class Convert : public WithFolder {
 protected:
  [[nodiscard]] RunInput draws(const std::string& text) const { return open_runs(std::array{file("draws.csv", text)}); }
  [[nodiscard]] std::string refusal(const std::string& column, const std::string& value) const {
    const RunInput run = draws("lp__," + column + ",x\n-1," + value + ",2\n");
    std::filesystem::remove_all(path("out"));
    return message_of<InputError>([&] { convert_to_csv(run, std::nullopt, path("out")); });
  }
};

/// What is whole in our files cannot be just any number of somebody else's.
TEST_F(Convert, NumbersThatAreNoCountsAreRefused) {
  for (const std::string column : {"treedepth__", "n_leapfrog__", "gradients__", "solver_iterations__"})
    for (const std::string value : {"1e300", "-inf", "NaN"})
      EXPECT_TRUE(mentions(refusal(column, value), {"column " + column, "must be within"})) << value;
  EXPECT_TRUE(mentions(refusal("treedepth__", "2147483648"), {"2147483647"}));
  for (const std::string value : {"7", "-1", "0.5", "NaN", "1e300"})
    EXPECT_TRUE(mentions(refusal("status__", value), {"column status__", "from 0 to 4"})) << value;
}

TEST_F(Convert, SettingsBeyondAllBoundsDoNotOverflow) {
  const RunInput run = draws("# num_samples = 9223372036854775807\n# thin = 9223372036854775807\nlp__,x\n-1,2\n-2,3\n");
  convert_to_zarr(run, path("a.zarr"));
  EXPECT_EQ(open_runs(std::array{path("a.zarr")}).draws[0].count_rows().sampling_rows, 2);
  EXPECT_TRUE(mentions(message_of<Error>([&] { convert_to_csv(run, std::nullopt, path("out")); }),
                       {"all sampling rows that its header announced"}));
}

/// A process that is killed in the middle, as of the second chain, leaves nothing that could be taken for the whole.
TEST_F(Convert, IsWholeOrNotThere) {
  const RunInput good = draws("lp__,x\n-1,2\n-2,3\n");
  for (const std::string target : {"a.zarr", "a-csv"}) {
    if (const pid_t child = ::fork(); child == 0) {
      RunInput run = good;
      run.draws.emplace_back(path("killed"), run.draws[0].columns(), run.draws[0].settings(),
                             [](auto, const auto&) -> StanCsvPass { ::_exit(0); });
      run.statistics.emplace_back();
      if (target == "a.zarr") convert_to_zarr(run, path(target));
      convert_to_csv(run, std::nullopt, path(target));
      ::_exit(1);
    } else {
      int status = -1;
      ::waitpid(child, &status, 0);
      ASSERT_EQ(status, 0) << "it was to die in the middle";
    }
    EXPECT_FALSE(std::filesystem::exists(path(target)));
  }
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    left.push_back(entry.path().filename().string());
  EXPECT_EQ(std::ranges::count_if(left, [](const std::string& name) { return name.starts_with("unfinished-"); }), 2);

  convert_to_zarr(good, path("new/a.zarr"));
  convert_to_csv(good, std::nullopt, path("new/csv/"));  // as a shell completes it
  left.clear();
  for (const auto& entry : std::filesystem::directory_iterator(path("new")))
    left.push_back(entry.path().filename().string());
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"a.zarr", "csv"}));
}

}  // namespace
}  // namespace darboux::testing
