#include "draws/run_manifest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/version.hpp>
#include <limits>

#include "draws/machine.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "temporary_folder.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;
using Entries = ValueTree::Entries;
using List = ValueTree::List;

RunManifest example() {
  RunManifest manifest = new_manifest();
  manifest.status = RunStatus::failed;
  manifest.message = "cannot write chain_1.csv: No space left on device";
  manifest.stopped_by = StoppedBy::max_seconds;
  manifest.started = "2030-01-31 12:00:00 UTC";
  manifest.seed = 18446744073709551615U;
  manifest.decided.set("integrator", "midpoint");
  manifest.asked = Entries{{"model", "logistic"},
                           {"zeta_before_alpha", 1},
                           {"alpha", 0.1},
                           {"sampler", Entries{{"step_size", 1.0}, {"adapt", true}, {"none", Entries{}}}},
                           {"start", List{1, -2.5, "mode"}},
                           {"structure_seed", std::uint64_t{1} << 63U}};
  manifest.given = List{"alpha", "start"};
  manifest.data =
      Entries{{"rows", 12}, {"outcome", Entries{{"positive", "yes"}}}, {"predictors", List{Entries{{"mean", 0.1}}}}};
  manifest.prior = Entries{{"family", "normal"}};
  manifest.tuning.set("step_size", 1.0 / 3.0);
  manifest.tuning.set("minus_zero", -0.0);
  manifest.warmup = {.seconds = 0.1, .cpu_seconds = 0.375, .gradients = 12345678901};
  manifest.sampling = {.seconds = 1e-9, .gradients = 0};
  manifest.min_bulk_ess = 400.5;
  manifest.max_rhat = std::numeric_limits<double>::infinity();
  manifest.warnings = {"2 of 1000 transitions diverged", "quotes \" and\nlines"};
  manifest.told = {"quotes \" and\nlines"};
  manifest.files = {{.file = "chain_1.csv", .statistics = "statistics/chain_1.csv", .chain = 1, .rows = 12},
                    {.file = "chain_2.csv", .chain = 2, .warmup_rows = 3, .rows = 0}};
  return manifest;
}

TEST(RunManifest, ComesBackAsItWas) {
  const RunManifest manifest = example();
  EXPECT_EQ(manifest_from_json(manifest_to_json(manifest), "run.json"), manifest);
  EXPECT_EQ(manifest_from_json(manifest_to_json(RunManifest()), "run.json"), RunManifest());
  std::string earlier = manifest_to_json(manifest);  // as it was before that field
  earlier.erase(earlier.find("  \"stopped_by\""), std::string_view("  \"stopped_by\": \"max-seconds\",\n").size());
  EXPECT_EQ(manifest_from_json(earlier, "run.json").stopped_by, std::nullopt);
  EXPECT_EQ(manifest_from_json(earlier, "run.json").started, manifest.started);
  earlier.replace(earlier.find("\"told\""), std::string_view("\"told\"").size(), "\"more\"");
  EXPECT_TRUE(manifest_from_json(earlier, "run.json").told.empty());
}

/// Version 1 had one set of settings, with what was decided among them.
TEST(RunManifest, OfTheFirstSchemaIsStillRead) {
  std::string text = manifest_to_json(example());
  const auto replace = [&](std::string_view what, std::string_view with) {
    ASSERT_NE(text.find(what), std::string::npos) << what;
    text.replace(text.find(what), what.size(), with);
  };
  replace("darboux-run/2", "darboux-run/1");
  replace("\"asked\": {", "\"configuration\": {\n    \"metric\": \"dense\",");
  const RunManifest manifest = manifest_from_json(text, "run.json");
  EXPECT_EQ(*manifest.asked.find("model"), ValueTree("logistic"));
  EXPECT_EQ(*manifest.decided.find("metric"), ValueTree("dense"));
  EXPECT_EQ(manifest.decided.find("integrator"), nullptr) << "that version had no such part";
}

TEST(RunManifest, ReadsWellAsText) {
  const std::string text = manifest_to_json(example());
  EXPECT_TRUE(text.starts_with("{\n  \"schema\": \"darboux-run/2\",\n  \"status\": \"failed\","));
  EXPECT_LT(text.find("zeta_before_alpha"), text.find("\"alpha\": 0.1")) << "in the order given";
  EXPECT_TRUE(mentions(text, {"\"step_size\": 1.0,", "\"min_tail_ess\": null", "\"max_rhat\": \"inf\"",
                              "\"seed\": 18446744073709551615", "\"minus_zero\": -0.0"}));
}

TEST(RunManifest, ANumberThatIsNoneStaysOne) {
  RunManifest manifest;
  manifest.min_bulk_ess = std::nan("");
  manifest.tuning.set("angle", -std::numeric_limits<double>::infinity());
  const RunManifest back = manifest_from_json(manifest_to_json(manifest), "run.json");
  EXPECT_TRUE(back.min_bulk_ess && std::isnan(*back.min_bulk_ess));
  EXPECT_EQ(*back.tuning.find("angle"), ValueTree("-inf"));
}

TEST(RunManifest, TextThatIsNoUtf8DoesNotStopIt) {
  RunManifest manifest;
  manifest.message = "bad \xFF byte";
  EXPECT_TRUE(mentions(manifest_from_json(manifest_to_json(manifest), "run.json").message, {"bad ", " byte"}));
}

TEST(RunManifest, FieldsOfLaterVersionsArePassedOver) {
  std::string text = manifest_to_json(example());
  text.insert(1, R"("from_the_future": {"x": [1]},)");
  EXPECT_EQ(manifest_from_json(text, "run.json"), example());
}

TEST(RunManifest, ErrorsNameSourceFieldAndRule) {
  const auto refusal = [](const std::string& before, const std::string& after) {
    std::string text = manifest_to_json(example());
    const auto at = text.find(before);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, before.size(), after);
    return message_of<InputError>([&] { (void)manifest_from_json(text, "out/run.json"); });
  };
  EXPECT_TRUE(mentions(refusal("darboux-run/2", "darboux-run/3"),
                       {"out/run.json", "schema", "darboux-run/3", "reads \"darboux-run/2\"", "newer darboux"}));
  EXPECT_TRUE(mentions(refusal("\"schema\"", "\"shema\""), {"\"schema\"", "missing"}));
  EXPECT_TRUE(mentions(refusal("\"failed\"", "\"faild\""), {"\"status\"", "faild", "did you mean \"failed\""}));
  EXPECT_TRUE(mentions(refusal("18446744073709551615", "-1"), {"\"seed\"", "from 0 to", "-1"}));
  EXPECT_TRUE(mentions(refusal("12345678901", "\"many\""), {"\"warmup.gradients\"", "\"many\""}));
  EXPECT_TRUE(mentions(refusal("\"chain\": 2", "\"chain\": 99999999999"), {"\"files[2].chain\"", "99999999999"}));
  EXPECT_TRUE(mentions(refusal("400.5", "true"), {"\"diagnostics.min_bulk_ess\"", "expected a number"}));
  EXPECT_TRUE(mentions(refusal("\"seconds\": 0.1", "\"seconds\": null"), {"\"warmup.seconds\"", "null"}));
  EXPECT_TRUE(mentions(refusal("{\n  \"schema\"", "{,\n  \"schema\""), {"out/run.json", "line 1"}));
  EXPECT_TRUE(mentions(refusal("12345678901", "9223372036854775807"), {"\"warmup.gradients\"", "from 0 to"}))
      << "sums of such would be no numbers";
  EXPECT_TRUE(
      mentions(message_of<InputError>([] { (void)manifest_from_json("[1]", "x.json"); }), {"x.json", "object"}));
}

/// Who reads a folder that came from elsewhere reads nothing but this folder.
TEST(RunManifest, FilesAreInTheFolder) {
  for (const std::string name : {"/etc/passwd", "../other/chain_1.csv", "statistics/../../chain_1.csv"})
    for (const auto file : {&DrawFile::file, &DrawFile::statistics, &DrawFile::log_likelihood}) {
      RunManifest manifest = example();
      manifest.files[0].*file = name;
      EXPECT_TRUE(
          mentions(message_of<InputError>([&] { (void)manifest_from_json(manifest_to_json(manifest), "run.json"); }),
                   {"run.json", "files[1].", name, "folder of the run"}));
    }
}

TEST(Machine, SaysWhatItIs) {
  EXPECT_FALSE(cpu_class().empty());
#if defined(__x86_64__)
  EXPECT_TRUE(cpu_class().starts_with("x86-64"));
  const std::string best = [] {
    const testing::OnCpu on_the_best(supported_cpu_kinds().back());
    return cpu_class();
  }();
  testing::on_every_cpu([&](CpuKind kind) {
    const bool is_best = kind == supported_cpu_kinds().back();
    EXPECT_EQ(new_manifest().cpu_class, is_best ? best : best + " with kernels for " + std::string(name(kind)));
  });
#endif
  EXPECT_TRUE(compiler().starts_with("g++ ") || compiler().starts_with("clang++ "));
  EXPECT_EQ(new_manifest().darboux_version, version());
}

using ManifestFile = testing::WithFolder;

TEST_F(ManifestFile, IsWrittenWhole) {
  write_manifest(RunManifest(), path("run.json"));
  write_manifest(example(), path("run.json"));
  EXPECT_EQ(read_manifest(path("run.json")), example());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace darboux
