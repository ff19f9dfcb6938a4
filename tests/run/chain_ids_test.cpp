#include "run/chain_ids.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "darboux/core/error.hpp"
#include "model/gaussian.hpp"
#include "run/run_config.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;

std::string refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(ChainIds, AreReadAndWritten) {
  EXPECT_EQ(parse_chain_ids("chain-ids", "5-8"), (std::vector<Index>{5, 6, 7, 8}));
  EXPECT_EQ(parse_chain_ids("chain-ids", "7"), (std::vector<Index>{7}));
  EXPECT_EQ(parse_chain_ids("chain-ids", "1-2,4,6-7"), (std::vector<Index>{1, 2, 4, 6, 7}));
  for (const std::string text : {"5-8", "7", "1-2,4,6-7", "1-1000"})
    EXPECT_EQ(chain_ids_text(parse_chain_ids("chain-ids", text)), text);
}

TEST(ChainIds, AreRefusedWhereTheyAreNone) {
  for (const char* text :
       {"", "0-3", "8-5", "five", "5-", "-5", "1-4,4-6", "5-8,1", "1,,2", "1-1000001", "1-2-3", " 1"})
    EXPECT_TRUE(mentions(refused([&] { (void)parse_chain_ids("chain-ids", text); }),
                         {"chain-ids = ", text, "the first and the last id, as in 5-8"}))
        << text;
}

TEST(ChainIds, SayHowManyChainsThereAre) {
  RunConfig config;
  set_field(config, "chain-ids", "5-7");
  EXPECT_EQ(config.chains, 3);
  EXPECT_EQ(config.first_chain, 4);
}

RunConfig part(const std::string& ids) {
  RunConfig config;
  config.model = "gaussian";
  config.seed = 1;
  set_field(config, "chain-ids", ids);
  return config;
}

TEST(ChainIds, NeedWhatPartsHaveInCommon) {
  const auto why_not = [](const RunConfig& config) { return refused([&] { (void)make_plan(config); }); };
  EXPECT_TRUE(mentions(why_not(part("5-8")), {"chain-ids is given", "no tuning", "--tuning"}));
  RunConfig without_seed = part("5-8");
  without_seed.seed.reset();
  EXPECT_TRUE(mentions(why_not(without_seed), {"chain-ids is given", "no seed"}));
  EXPECT_TRUE(mentions(why_not(part("1-2,4")), {"chain-ids = 1-2,4", "one range"}));
  RunConfig more = part("5-8");
  more.chains = 5;
  EXPECT_TRUE(mentions(why_not(more), {"chains = 5, but chain-ids = 5-8", "give one of them"}));
  RunConfig store = part("5-8");
  store.format = "csv,zarr";
  EXPECT_TRUE(mentions(why_not(store), {"format = csv,zarr", "darboux convert --to zarr"}));
}

TEST(ChainIds, AreNotForWhatDependsOnHowManyThereAre) {
  const auto why_not = [](SampleOptions options) {
    options.seed = 1;
    options.first_chain = 4;
    options.tuning = Tuning();
    options.tuning->center = {0.0, 0.0};
    options.tuning->factor = StructuredMatrix::identity(2);
    return refused([&] { (void)plan_sampling(std::make_shared<Gaussian>(Gaussian::standard(2)), options); });
  };
  EXPECT_EQ(why_not({}), "");
  SampleOptions paths;
  paths.start = StartMethod::paths;
  EXPECT_TRUE(mentions(why_not(paths), {"chain-ids is given", "init = paths"}));
  SampleOptions target;
  target.target_ess = 100.0;
  EXPECT_TRUE(mentions(why_not(target), {"chain-ids is given", "target-ess", "--draws"}));
}

}  // namespace
}  // namespace darboux
