#include "structure/structure_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "darboux/structure/recipes.hpp"
#include "io/file.hpp"
#include "io/json_text.hpp"

namespace darboux {

namespace {

using nlohmann::json;

constexpr Index max_dimension = 100000;
constexpr Index max_dense_dimension = 5000;  // a dense block then takes 200 MB

/// Reads the fields of one JSON object and knows how to complain about them.
class StructureReader {
 public:
  StructureReader(json object, std::string_view source) : object_(std::move(object)), source_(source) {}

  [[nodiscard]] PoissonStructure read() const {
    if (!object_.is_object())
      fail(fmt::format("expected an object {{…}} that describes a structure, not {}", object_.type_name()));
    if (has("poisson_matrix")) {
      only("with \"poisson_matrix\"", std::array<std::string_view, 1>{"poisson_matrix"});
      return PoissonStructure::from_poisson_matrix(matrix("poisson_matrix"));
    }
    if (has("symplectic_matrix")) {
      only("with \"symplectic_matrix\"", std::array<std::string_view, 1>{"symplectic_matrix"});
      return PoissonStructure::from_symplectic_matrix(matrix("symplectic_matrix"));
    }
    return has("recipe") ? from_recipe() : from_blocks();
  }

 private:
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }

  [[noreturn]] void fail(std::string_view what) const { throw InputError(fmt::format("{}: {}", source_, what)); }
  [[noreturn]] void fail(std::string_view field, std::string_view what) const {
    throw InputError(fmt::format("{}: field \"{}\": {}", source_, field, what));
  }

  /// Refuses keys that do not belong to this form of description. `where` says which form it is.
  void only(std::string_view where, std::span<const std::string_view> known) const {
    static constexpr std::array<std::string_view, 10> all{
        "dimension", "E", "A", "G", "poisson_matrix", "symplectic_matrix", "recipe", "strength", "k", "seed"};
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      if (std::find(all.begin(), all.end(), key) != all.end())
        fail(key, fmt::format("does not belong {}; known there: {}", where, fmt::join(known, ", ")));
      fail(unknown_name("field", key, known));
    }
  }

  [[nodiscard]] PoissonStructure from_blocks() const {
    only("in a structure given by blocks", std::array<std::string_view, 4>{"dimension", "E", "A", "G"});
    const Index n = dimension();
    const auto E = has("E") ? block("E", n) : StructuredMatrix::zero(n);
    const auto A = has("A") ? block("A", n) : StructuredMatrix::identity(n);
    const auto G = has("G") ? block("G", n) : StructuredMatrix::zero(n);
    return PoissonStructure::from_blocks(E, A, G);
  }

  [[nodiscard]] PoissonStructure from_recipe() const {
    only("in a recipe", std::array<std::string_view, 6>{"recipe", "dimension", "strength", "k", "seed", "A"});
    if (!object_["recipe"].is_string())
      fail("recipe", fmt::format("expected a name in quotes, not {}", described(object_["recipe"])));
    const auto given = object_["recipe"].get<std::string>();
    const auto recipe = find_name<Recipe>(given);
    if (!recipe) fail("recipe", unknown_name("recipe", given, all_names<Recipe>()));
    const Index n = dimension();
    if (recipe != Recipe::canonical) require_room_for_dense("dimension", n);
    if (has("k") && has("strength")) fail("k", R"(give "k" or "strength", not both)");
    RecipeOptions options;
    if (has("k")) options.size = Divisor{number("k", object_["k"])};
    if (has("strength")) options.size = SpectralStrength{number("strength", object_["strength"])};
    if (has("seed")) options.seed = seed();
    if (has("A")) options.A = block("A", n);
    return make_structure(*recipe, n, options);
  }

  [[nodiscard]] std::uint64_t seed() const {
    const json& value = object_["seed"];
    if (!value.is_number_unsigned())
      fail("seed", fmt::format("expected an integer from 0 to 2^64 - 1, not {}", described(value)));
    return value.get<std::uint64_t>();
  }

  /// The field "dimension", or the size of the first block that has one.
  [[nodiscard]] Index dimension() const {
    if (!has("dimension")) {
      for (const char* key : {"E", "A", "G"}) {
        if (!has(key)) continue;
        const json& value = object_[key];
        if (value.is_array()) return checked_dimension(key, value.size());
        if (value.is_object() && value.contains("diagonal") && value["diagonal"].is_array())
          return checked_dimension(key, value["diagonal"].size());
      }
      fail("dimension", fmt::format("is missing: expected an integer from 1 to {}", max_dimension));
    }
    const json& value = object_["dimension"];
    if (!value.is_number_unsigned())
      fail("dimension", fmt::format("expected an integer from 1 to {}, not {}", max_dimension, described(value)));
    return checked_dimension("dimension", value.get<std::uint64_t>());
  }

  [[nodiscard]] Index checked_dimension(std::string_view field, std::uint64_t n) const {
    if (n < 1 || n > static_cast<std::uint64_t>(max_dimension))
      fail(field, fmt::format("a dimension from 1 to {} is expected, not {}", max_dimension, n));
    return static_cast<Index>(n);
  }

  void require_room_for_dense(std::string_view field, Index n) const {
    if (n > max_dense_dimension)
      fail(field, fmt::format("a dense block has at most {0} x {0} entries, not {1} x {1}", max_dense_dimension, n));
  }

  [[nodiscard]] StructuredMatrix block(const char* field, Index n) const {
    const json& value = object_[field];
    if (value.is_string() && value == "zero") return StructuredMatrix::zero(n);
    if (value.is_string() && value == "identity") return StructuredMatrix::identity(n);
    if (value.is_object() && value.size() == 1 && value.contains("diagonal")) {
      std::vector<double> entries = numbers(fmt::format("{}.diagonal", field), value["diagonal"]);
      if (static_cast<Index>(entries.size()) != n)
        fail(fmt::format("{}.diagonal", field),
             fmt::format("expected {} numbers, as the dimension is {}, not {}", n, n, entries.size()));
      return StructuredMatrix::diagonal(std::move(entries));
    }
    if (!value.is_array())
      fail(field, fmt::format("expected \"zero\", \"identity\", {{\"diagonal\": […]}} or a list of rows, not {}",
                              described(value)));
    if (static_cast<Index>(value.size()) != n)
      fail(field, fmt::format("expected {} rows, as the dimension is {}, not {}", n, n, value.size()));
    Matrix m = matrix(field);
    if (m.cols() != n)
      fail(field, fmt::format("expected rows of {} numbers, as the dimension is {}, not {}", n, n, m.cols()));
    return StructuredMatrix::from(std::move(m));
  }

  /// A list of rows of equal length.
  [[nodiscard]] Matrix matrix(const char* field) const {
    const json& rows = object_[field];
    if (!rows.is_array() || rows.empty()) fail(field, fmt::format("expected a list of rows, not {}", described(rows)));
    const auto n = static_cast<Index>(rows.size());
    if (n > 2 * max_dense_dimension)
      fail(field, fmt::format("at most {} rows are accepted, not {}", 2 * max_dense_dimension, n));
    Matrix m;
    for (Index i = 0; i < n; ++i) {
      const std::vector<double> row =
          numbers(fmt::format("{}, row {}", field, i + 1), rows[static_cast<std::size_t>(i)]);
      if (i == 0) {
        if (static_cast<Index>(row.size()) > 2 * max_dense_dimension)
          fail(field, fmt::format("at most {} columns are accepted, not {}", 2 * max_dense_dimension, row.size()));
        m = Matrix(n, static_cast<Index>(row.size()));
      }
      if (static_cast<Index>(row.size()) != m.cols())
        fail(field, fmt::format("row {} has {} numbers, but row 1 has {}: rows must have equal length", i + 1,
                                row.size(), m.cols()));
      std::copy(row.begin(), row.end(), m.data() + i * m.cols());
    }
    return m;
  }

  [[nodiscard]] std::vector<double> numbers(const std::string& field, const json& list) const {
    if (!list.is_array()) fail(field, fmt::format("expected a list of numbers, not {}", described(list)));
    std::vector<double> out;
    out.reserve(list.size());
    for (const json& entry : list) {
      if (!entry.is_number())
        fail(field, fmt::format("entry {} must be a number, not {}", out.size() + 1, described(entry)));
      out.push_back(entry.get<double>());
    }
    return out;
  }

  [[nodiscard]] double number(const char* field, const json& value) const {
    if (!value.is_number()) fail(field, fmt::format("expected a number, not {}", described(value)));
    return value.get<double>();
  }

  /// A value as it may appear in a message: short.
  [[nodiscard]] static std::string described(const json& value) {
    if (value.is_array()) return fmt::format("a list of {}", value.size());
    if (value.is_object()) return fmt::format("an object of {}", value.size());
    return beginning_of(value.dump(-1, ' ', true));
  }

  json object_;
  std::string_view source_;
};

/// The shortest text that reads back as the same double; JSON would read a bare "-0" as the integer 0.
std::string number_text(double x) { return x == 0.0 && std::signbit(x) ? "-0.0" : fmt::format("{}", x); }

std::string list_text(Index count, const std::function<double(Index)>& entry) {
  std::string text = "[";
  for (Index i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + number_text(entry(i));
  return text + "]";
}

std::string block_text(const StructuredMatrix& block) {
  const Index n = block.dim();
  switch (block.kind()) {
    case StructuredMatrix::Kind::zero:
    case StructuredMatrix::Kind::identity: return fmt::format("\"{}\"", name(block.kind()));
    case StructuredMatrix::Kind::diagonal:
      return fmt::format("{{\"diagonal\": {}}}", list_text(n, [&](Index i) { return block(i, i); }));
    case StructuredMatrix::Kind::low_rank:
    case StructuredMatrix::Kind::dense: break;
  }
  std::string text = "[";
  for (Index i = 0; i < n; ++i)
    text += (i == 0 ? "\n    " : ",\n    ") + list_text(n, [&](Index j) { return block(i, j); });
  return text + "\n  ]";
}

}  // namespace

std::string structure_to_json(const PoissonStructure& structure) {
  return fmt::format("{{\n  \"dimension\": {},\n  \"E\": {},\n  \"A\": {},\n  \"G\": {}\n}}\n", structure.dim(),
                     block_text(structure.E()), block_text(structure.A()), block_text(structure.G()));
}

PoissonStructure structure_from_json(std::string_view text, std::string_view source) {
  require_json(text, source);
  try {
    return StructureReader(json::parse(text.begin(), text.end()), source).read();
  } catch (const StructureError& error) {  // from a matrix, which does not know where it came from
    throw StructureError(fmt::format("{}: {}", source, error.what()));
  }
}

PoissonStructure read_structure(const std::filesystem::path& file) {
  return structure_from_json(read_text(file), file.string());
}

void write_structure(const PoissonStructure& structure, const std::filesystem::path& file) {
  write_text(file, structure_to_json(structure));
}

}  // namespace darboux
