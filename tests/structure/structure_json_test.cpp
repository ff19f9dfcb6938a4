#include "structure/structure_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cstring>
#include <darboux/core/error.hpp>
#include <darboux/structure/recipes.hpp>
#include <filesystem>
#include <vector>

#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;
using testing::random_structure;
using testing::Shape;

PoissonStructure read(std::string_view text) { return structure_from_json(text, "s.json"); }

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.rows() * a.cols())) == 0;
}

bool same_bits(const PoissonStructure& a, const PoissonStructure& b) {
  return a.E().kind() == b.E().kind() && a.A().kind() == b.A().kind() && a.G().kind() == b.G().kind() &&
         same_bits(a.matrix(), b.matrix());
}

RC_GTEST_PROP(StructureJson, round_trip_keeps_every_bit, ()) {
  const auto n = static_cast<Index>(*rc::gen::inRange(1, 21));
  const auto shape = *rc::gen::elementOf(std::vector<Shape>(testing::all_shapes.begin(), testing::all_shapes.end()));
  const auto structure = random_structure(n, shape, *rc::gen::inRange<std::uint64_t>(0, 100));
  RC_ASSERT(same_bits(read(structure_to_json(structure)), structure));
  RC_ASSERT(same_bits(read(structure_to_json(structure.reversed())), structure.reversed()));
}

TEST(StructureJson, round_trip_of_awkward_numbers) {
  const double tiny = 5e-324, third = 1.0 / 3.0, large = 1.7976931348623157e308;
  const auto structure = PoissonStructure::from_blocks(
      Matrix{{0, tiny}, {-tiny, 0}}, Matrix{{third, -0.0}, {1e-5, 2.5e10}}, Matrix{{-0.0, large}, {-large, -0.0}});
  EXPECT_TRUE(same_bits(read(structure_to_json(structure)), structure));
}

TEST(StructureJson, writes_tags) {
  const auto structure =
      PoissonStructure::from_blocks(Matrix(2, 2), Matrix::diagonal({2, 0.5}), Matrix{{0, 1}, {-1, 0}});
  EXPECT_EQ(structure_to_json(structure), R"({
  "dimension": 2,
  "E": "zero",
  "A": {"diagonal": [2, 0.5]},
  "G": [
    [0, 1],
    [-1, 0]
  ]
}
)");
  EXPECT_TRUE(mentions(structure_to_json(PoissonStructure::canonical(3)), {"\"A\": \"identity\""}));
}

TEST(StructureJson, reads_blocks) {
  const auto structure =
      read(R"({"dimension": 3, "E": "zero", "A": "identity", "G": [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]})");
  EXPECT_EQ(structure,
            PoissonStructure::from_blocks(Matrix(3, 3), Matrix::identity(3), plane_rotations(3, {{0, 1}}, 1.0)));
  EXPECT_EQ(read(R"({"dimension": 4})"), PoissonStructure::canonical(4));
}

TEST(StructureJson, takes_the_dimension_from_a_block) {
  EXPECT_EQ(read(R"({"A": {"diagonal": [1, 1]}})"), PoissonStructure::canonical(2));
  EXPECT_EQ(read(R"({"G": [[0, 1], [-1, 0]]})").dim(), 2);
  EXPECT_EQ(read(R"({"recipe": "canonical", "A": {"diagonal": [1, 1, 1]}})"), PoissonStructure::canonical(3));
}

TEST(StructureJson, reads_whole_matrices) {
  EXPECT_EQ(read(R"({"poisson_matrix": [[0, 2], [-2, 0]]})").A().matrix(), (Matrix{{2}}));
  EXPECT_EQ(read(R"({"symplectic_matrix": [[0, 2], [-2, 0]]})").A().matrix(), (Matrix{{0.5}}));
}

TEST(StructureJson, reads_recipes) {
  EXPECT_EQ(read(R"({"recipe": "coupled", "dimension": 5, "strength": 0.5, "seed": 7})"),
            make_structure(Recipe::coupled, 5, {.size = SpectralStrength{0.5}, .seed = 7, .A = {}}));
  EXPECT_EQ(read(R"({"recipe": "magnetic-momentum", "dimension": 5, "k": 50})"),
            make_structure(Recipe::magnetic_momentum, 5, {.size = Divisor{50.0}, .seed = 0, .A = {}}));
  EXPECT_EQ(read(R"({"recipe": "magnetic-position", "dimension": 2, "seed": 18446744073709551615})"),
            make_structure(Recipe::magnetic_position, 2, {.size = Divisor{}, .seed = ~std::uint64_t{0}, .A = {}}));
}

struct BadText {
  std::string_view text;
  std::vector<std::string_view> parts;
};

class BadStructureJson : public ::testing::TestWithParam<BadText> {};

TEST_P(BadStructureJson, is_refused_with_source_field_and_rule) {
  const std::string message = message_of<InputError>([] { (void)read(GetParam().text); });
  EXPECT_TRUE(message.starts_with("s.json: ")) << message;
  for (const std::string_view part : GetParam().parts) EXPECT_TRUE(mentions(message, {part}));
  EXPECT_LT(message.size(), 400U);
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadStructureJson,
    ::testing::Values(
        BadText{"", {"line 1, column 1", "ends too early"}},
        BadText{"{\"dimension\": 3,\n  \"E\" \"zero\"}",
                {"not JSON at line 2, column 12, where it reads \"  \"E\" \"zero\"\""}},
        BadText{"{\"dimension\": 2,\n \"A\": {\"diagonal\": [1,\n   1e999]}}", {"line 3, column 4", "1e999"}},
        BadText{R"({"dimension": NaN})", {"line 1, column"}}, BadText{R"({"dimension": 3} {})", {"line 1, column"}},
        BadText{R"({"dimension": 3, "dimension": 4})", {"\"dimension\" is given twice"}},
        BadText{"[1, 2]", {"expected an object", "array"}}, BadText{"3", {"expected an object", "number"}}));

INSTANTIATE_TEST_SUITE_P(
    Keys, BadStructureJson,
    ::testing::Values(BadText{R"({"dimensions": 3})",
                              {"unknown field \"dimensions\"", "did you mean \"dimension\"", "dimension, E, A, G"}},
                      BadText{R"({"dimension": 3, "e": "zero"})", {"unknown field \"e\"", "did you mean \"E\""}},
                      BadText{R"({"dimension": 3, "strength": 1})",
                              {"\"strength\"", "does not belong in a structure given by blocks"}},
                      BadText{R"({"recipe": "coupled", "dimension": 3, "G": "zero"})",
                              {"\"G\"", "does not belong in a recipe"}},
                      BadText{R"({"poisson_matrix": [[0, 1], [-1, 0]], "dimension": 1})",
                              {"\"dimension\"", "does not belong with \"poisson_matrix\""}},
                      BadText{R"({"symplectic_matrix": [[0, 1], [-1, 0]], "A": "identity"})",
                              {"\"A\"", "does not belong with \"symplectic_matrix\""}}));

INSTANTIATE_TEST_SUITE_P(
    Dimension, BadStructureJson,
    ::testing::Values(BadText{"{}", {"\"dimension\"", "missing", "1 to 100000"}},
                      BadText{R"({"E": "zero"})", {"\"dimension\"", "missing"}},
                      BadText{R"({"dimension": 0})", {"\"dimension\"", "1 to 100000", "not 0"}},
                      BadText{R"({"dimension": -2})", {"\"dimension\"", "1 to 100000", "not -2"}},
                      BadText{R"({"dimension": 2.5})", {"\"dimension\"", "integer", "not 2.5"}},
                      BadText{R"({"dimension": "3"})", {"\"dimension\"", "integer", "not \"3\""}},
                      BadText{R"({"dimension": 100001})", {"\"dimension\"", "1 to 100000", "not 100001"}},
                      BadText{R"({"dimension": 18446744073709551615})", {"\"dimension\"", "1 to 100000"}},
                      BadText{R"({"recipe": "coupled", "dimension": 5001})",
                              {"\"dimension\"", "at most 5000 x 5000", "5001"}}));

INSTANTIATE_TEST_SUITE_P(
    Blocks, BadStructureJson,
    ::testing::Values(
        BadText{R"({"dimension": 2, "A": "unit"})",
                {"\"A\"", "\"zero\", \"identity\"", "a list of rows", "not \"unit\""}},
        BadText{R"({"dimension": 2, "A": 3})", {"\"A\"", "not 3"}},
        BadText{R"({"dimension": 2, "A": null})", {"\"A\"", "not null"}},
        BadText{R"({"dimension": 2, "A": {"diag": [1, 1]}})", {"\"A\"", "{\"diagonal\": […]}", "an object"}},
        BadText{R"({"dimension": 2, "A": {"diagonal": [1, 1, 1]}})", {"\"A.diagonal\"", "expected 2 numbers", "not 3"}},
        BadText{R"({"dimension": 2, "A": {"diagonal": [1, "x"]}})",
                {"\"A.diagonal\"", "entry 2", "number", "not \"x\""}},
        BadText{R"({"dimension": 2, "A": {"diagonal": 1}})", {"\"A.diagonal\"", "list of numbers", "not 1"}},
        BadText{R"({"dimension": 2, "G": [[0, 1], [-1, 0], [0, 0]]})", {"\"G\"", "expected 2 rows", "not 3"}},
        BadText{R"({"dimension": 2, "G": [[0, 1, 2], [-1, 0, 2]]})", {"\"G\"", "rows of 2 numbers", "not 3"}},
        BadText{R"({"dimension": 2, "G": [[0, 1], [-1]]})",
                {"\"G\"", "row 2 has 1 numbers, but row 1 has 2", "equal length"}},
        BadText{R"({"dimension": 2, "G": [[0, 1], [-1, null]]})", {"\"G, row 2\"", "entry 2", "number", "null"}},
        BadText{R"({"dimension": 2, "G": [[0, 1], 5]})", {"\"G, row 2\"", "list of numbers", "not 5"}},
        BadText{R"({"poisson_matrix": []})", {"\"poisson_matrix\"", "list of rows"}},
        BadText{R"({"poisson_matrix": "canonical"})", {"\"poisson_matrix\"", "list of rows", "canonical"}}));

INSTANTIATE_TEST_SUITE_P(
    Recipes, BadStructureJson,
    ::testing::Values(
        BadText{R"({"recipe": "copled", "dimension": 3})", {"unknown recipe \"copled\"", "did you mean \"coupled\""}},
        BadText{R"({"recipe": 3, "dimension": 3})", {"\"recipe\"", "name in quotes", "not 3"}},
        BadText{R"({"recipe": "coupled", "dimension": 3, "k": 2, "strength": 1})",
                {"\"k\"", "\"strength\"", "not both"}},
        BadText{R"({"recipe": "coupled", "dimension": 3, "k": "2"})", {"\"k\"", "a number", "not \"2\""}},
        BadText{R"({"recipe": "coupled", "dimension": 3, "k": -2})", {"k = -2", "positive"}},
        BadText{R"({"recipe": "coupled", "dimension": 3, "strength": -1})", {"strength = -1", "not negative"}},
        BadText{R"({"recipe": "coupled", "dimension": 3, "seed": -1})", {"\"seed\"", "2^64", "not -1"}},
        BadText{R"({"recipe": "coupled", "dimension": 3, "seed": 1.5})", {"\"seed\"", "integer", "not 1.5"}}));

INSTANTIATE_TEST_SUITE_P(Matrices, BadStructureJson,
                         ::testing::Values(BadText{R"({"dimension": 2, "E": [[0, 1], [1, 0]]})",
                                                   {"E is not skew", "E(1,2) = 1 and E(2,1) = 1"}},
                                           BadText{R"({"dimension": 2, "A": "zero"})", {"A = 0"}},
                                           BadText{R"({"poisson_matrix": [[0, 1], [1, 0]]})",
                                                   {"B is not skew", "B(1,2) = 1"}},
                                           BadText{R"({"symplectic_matrix": [[0, 0], [0, 0]]})", {"J is singular"}}));

TEST(StructureJson, tells_bad_text_from_bad_matrices) {
  EXPECT_THROW((void)read(R"({"dimension": 2, "E": [[0, 1], [1, 0]]})"), StructureError);
  try {
    (void)read(R"({"dimension": -1})");
    FAIL() << "no exception";
  } catch (const InputError& error) {  // a text that describes nothing is no bad structure
    EXPECT_EQ(dynamic_cast<const StructureError*>(&error), nullptr);
  }
}

TEST(StructureJson, files_round_trip_and_errors_name_the_file) {
  const auto folder = std::filesystem::temp_directory_path() / ("darboux-structure-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto structure = random_structure(6, Shape::general, 3);
  write_structure(structure, folder / "s.json");
  EXPECT_TRUE(same_bits(read_structure(folder / "s.json"), structure));
  const auto missing = message_of<InputError>([&] { (void)read_structure(folder / "none.json"); });
  EXPECT_TRUE(mentions(missing, {"cannot read", (folder / "none.json").string()}));
  std::filesystem::resize_file(folder / "s.json", 50);
  const auto broken = message_of<InputError>([&] { (void)read_structure(folder / "s.json"); });
  EXPECT_TRUE(mentions(broken, {(folder / "s.json").string() + ": not JSON: it ends too early, at line"}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace darboux
