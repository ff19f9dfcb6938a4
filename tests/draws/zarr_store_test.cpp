#include "draws/zarr_store.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "darboux/core/error.hpp"
#include "draws/temporary_folder.hpp"
#include "draws/zarr_reader.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

class ZarrStoreTest : public testing::WithFolder {};

TEST_F(ZarrStoreTest, ArraysAndLabelsComeBack) {
  ZarrStore store(path("a.zarr"));
  store.add_group("", R"({"who": "we"})");
  store.add_group("data", R"({"what": 3})");
  const std::vector<double> values{0.1, -0.0, 1e300, -5e-324, std::numeric_limits<double>::infinity(), 6.0};
  const std::vector<Dimension> dims{{"row", 2}, {"column", 3, {"a", "Größe", "x€𝄞"}}};
  store.add_data("data", "x", dims, values);
  store.add_data("data", "y", std::vector<Dimension>{{"row", 2}}, std::vector<double>{1, 0}, zarr_type::truth);
  store.add_data("data", "n", {}, std::vector<double>{-7}, zarr_type::integer);
  store.publish();

  const ZarrReader found(store.root());
  EXPECT_EQ(found.groups(), std::vector<std::string>{"data"});
  EXPECT_EQ(nlohmann::json::parse(found.attributes(""))["who"], "we");
  EXPECT_EQ(nlohmann::json::parse(found.attributes("data"))["what"], 3);
  EXPECT_EQ(found.numbers("data/x"), values);
  EXPECT_TRUE(std::signbit(found.numbers("data/x")[1]));
  EXPECT_EQ(found.dimensions("data/x"), dims);
  EXPECT_EQ(found.slice("data/x", 1), std::vector<double>(values.begin() + 3, values.end()));
  EXPECT_EQ(found.numbers("data/y"), (std::vector<double>{1, 0}));
  EXPECT_EQ(found.numbers("data/n"), std::vector<double>{-7});
  EXPECT_EQ(found.numbers("data/row"), (std::vector<double>{0, 1}));
}

/// What the specification of version 2 demands, for readers that are not ours.
TEST_F(ZarrStoreTest, MetadataAreWhatTheSpecificationDemands) {
  ZarrStore store(path("a.zarr"));
  store.add_group("");
  store.add_group("data");
  store.add_data("data", "x", std::vector<Dimension>{{"row", 2}}, std::vector<double>{1, 2});
  store.publish();
  const auto array = nlohmann::json::parse(read_text(store.root() / "data/x/.zarray"));
  EXPECT_EQ(array,
            nlohmann::json::parse(R"({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f8", "order": "C",
                                            "compressor": null, "fill_value": null, "filters": null})"));
  const auto all = nlohmann::json::parse(read_text(store.root() / ".zmetadata"));
  EXPECT_EQ(all["zarr_consolidated_format"], 1);
  for (const std::string file : {".zgroup", ".zattrs", "data/.zgroup", "data/.zattrs", "data/x/.zarray",
                                 "data/x/.zattrs", "data/row/.zarray", "data/row/.zattrs"})
    EXPECT_EQ(all["metadata"].at(file), nlohmann::json::parse(read_text(store.root() / file))) << file;
  EXPECT_EQ(all["metadata"]["data/x/.zattrs"]["_ARRAY_DIMENSIONS"][0], "row");
  EXPECT_EQ(std::filesystem::file_size(store.root() / "data/x/0"), 16U);
}

TEST_F(ZarrStoreTest, NothingCountsBeforeItIsPublished) {
  ZarrStore store(path("a.zarr"));
  store.add_group("");
  store.publish();
  store.add_group("data");
  store.add_data("data", "x", std::vector<Dimension>{{"row", 1}}, std::vector<double>{1});
  EXPECT_FALSE(ZarrReader(store.root()).has("data/x"));
  store.publish();
  EXPECT_TRUE(ZarrReader(store.root()).has("data/x"));
}

TEST_F(ZarrStoreTest, WhatIsNoStoreOfOursIsRefused) {
  EXPECT_THROW(ZarrReader(path("nowhere")), InputError);
  std::filesystem::create_directory(path("a.zarr"));
  (void)file("a.zarr/.zmetadata", R"({"metadata": {"x/.zarray": {"compressor": {"id": "blosc"}, "order": "C"}}})");
  EXPECT_THROW(ZarrReader(path("a.zarr")), InputError);
  for (const char* damaged : {R"({"metadata": {"x/.zarray": {"shape": 3}}})", "{", ""}) {
    (void)file("a.zarr/.zmetadata", damaged);
    EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)ZarrReader(path("a.zarr")); }),
                         {".zmetadata", "zarr.consolidate_metadata(\"" + path("a.zarr").string(), "darboux convert"}))
        << damaged;
  }
}

TEST_F(ZarrStoreTest, AChunkThatWasCutIsRefused) {
  ZarrStore store(path("a.zarr"));
  store.add_group("");
  store.add_data("", "x", std::vector<Dimension>{{"row", 2}}, std::vector<double>{1, 2});
  store.publish();
  std::filesystem::resize_file(store.root() / "x/0", 15);
  EXPECT_THROW((void)ZarrReader(store.root()).numbers("x"), InputError);
}

/// What a store says of itself may be anything: its size is what is on the disk.
class HostileZarr : public ZarrStoreTest {
 protected:
  /// A store with an array x of two numbers, whose description is something else.
  [[nodiscard]] ZarrReader described(const std::string& shape, const std::string& chunks,
                                     const std::string& type = "<f8", const std::string& name = "x") const {
    std::filesystem::create_directories(path("a.zarr/x"));
    (void)file("a.zarr/x/0", std::string(16, '\0'));
    (void)file("a.zarr/.zmetadata", "{\"metadata\": {\"" + name + "/.zarray\": {\"shape\": " + shape +
                                        ", \"chunks\": " + chunks + ", \"dtype\": \"" + type +
                                        "\", \"compressor\": null, \"order\": \"C\"}, \"" + name +
                                        "/.zattrs\": {\"_ARRAY_DIMENSIONS\": [\"row\"]}}}");
    return ZarrReader(path("a.zarr"));
  }
};

TEST_F(HostileZarr, SizesAreNotBelieved) {
  EXPECT_EQ(described("[2]", "[2]").numbers("x"), (std::vector<double>{0, 0}));
  EXPECT_THROW((void)described("[1000000000000]", "[2]").numbers("x"), InputError) << "a second chunk is not there";
  EXPECT_THROW((void)described("[1000000000000]", "[1000000000000]").numbers("x"), InputError);
  for (const std::string shape : {"[-1]", "[1e300]", "[2.5]", "[true]", "2", "[9223372036854775807]", "[2, 2]"})
    EXPECT_THROW((void)described(shape, "[2]"), InputError) << shape;
  EXPECT_THROW((void)described("[2]", "[0]"), InputError);
  for (const std::string type : {"<U", "<Uabc", "<U99999999999999999999", "<f4", ""})
    EXPECT_THROW((void)described("[2]", "[2]", type), InputError) << type;
}

TEST_F(HostileZarr, NoArrayIsOutsideOfTheStore) {
  for (const std::string name : {"../x", "/x", "x/../../y"})
    EXPECT_TRUE(
        mentions(message_of<InputError>([&] { (void)described("[2]", "[2]", "<f8", name); }), {name, "outside"}));
}

TEST_F(HostileZarr, WhatIsNotThereIsNotRead) {
  const ZarrReader found = described("[2]", "[2]");
  EXPECT_THROW((void)found.attributes("nowhere"), InputError);
  EXPECT_THROW((void)found.rows("x", 1, 3), InputError);
  EXPECT_THROW((void)found.slice("x", 0, 0, 1), InputError) << "it has one dimension";
  EXPECT_THROW((void)found.texts("x"), InputError);
  EXPECT_EQ(described("[1]", "[2]", "<U2").texts("x"), std::vector<std::string>{""});
}

}  // namespace
}  // namespace darboux
