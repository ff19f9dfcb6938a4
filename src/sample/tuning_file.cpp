#include "darboux/sample/tuning_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "darboux/core/error.hpp"
#include "darboux/io/file.hpp"
#include "io/json_text.hpp"

namespace darboux {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view schema = "darboux-tuning/1";

Json factor_to_json(const StructureBlock& factor) {
  switch (factor.kind()) {
    case StructureBlock::Kind::zero:
    case StructureBlock::Kind::identity: return "identity";
    case StructureBlock::Kind::diagonal: {
      Json entries = Json::array();
      for (Index i = 0; i < factor.dim(); ++i) entries.push_back(factor(i, i));
      return {{"diagonal", entries}};
    }
    case StructureBlock::Kind::dense: break;
  }
  Json rows = Json::array();
  for (Index i = 0; i < factor.dim(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < factor.dim(); ++j) row.push_back(factor(i, j));
    rows.push_back(row);
  }
  return rows;
}

/// Reads fields of one file, and says what is wrong with which.
class TuningReader {
 public:
  TuningReader(const std::filesystem::path& file, const TunedModel& model) : file_(file.string()), dim_(model.dim) {
    const std::string text = read_text(file);
    require_json(text, file_);
    json_ = Json::parse(text);
    if (!json_.is_object() || !json_.contains("schema") || json_["schema"] != schema)
      throw InputError(fmt::format("{}: schema must be \"{}\", as a run writes it to tuning.json", file_, schema));
    require_same("model", model.name);
    require_same("dimension", model.dim);
  }

  [[nodiscard]] double positive(const char* field) const {
    const double value = number(at(field), field);
    if (!(value > 0.0)) refuse(field, "must be a positive number");
    return value;
  }
  [[nodiscard]] std::vector<double> numbers(const char* field) const { return numbers(at(field), field); }
  [[nodiscard]] StructureBlock factor() const {
    const Json& value = at("factor");
    if (value == "identity") return StructureBlock::identity(dim_);
    if (value.is_object() && value.contains("diagonal"))
      return StructureBlock::diagonal(numbers(value.at("diagonal"), "factor"));
    if (!value.is_array() || std::ssize(value) != dim_) refuse("factor", fmt::format("must have {} rows", dim_));
    Matrix m(dim_, dim_);
    for (Index i = 0; i < dim_; ++i) {
      const auto row = numbers(value[static_cast<std::size_t>(i)], "factor");
      for (Index j = 0; j < dim_; ++j) m(i, j) = row[static_cast<std::size_t>(j)];
    }
    return StructureBlock::from(m);
  }

 private:
  void require_same(const char* field, const Json& wanted) const {
    if (json_.contains(field) && json_.at(field) != wanted)
      refuse(field, fmt::format("is {}: must be {}, as in this run; a tuning serves the model that it was found for",
                                json_.at(field).dump(), wanted.dump()));
  }
  [[noreturn]] void refuse(const char* field, const std::string& rule) const {
    throw InputError(fmt::format("{}: {} {}", file_, field, rule));
  }
  [[nodiscard]] const Json& at(const char* field) const {
    if (!json_.contains(field)) refuse(field, "is missing");
    return json_.at(field);
  }
  [[nodiscard]] double number(const Json& value, const char* field) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(field, "must be a finite number");
    return value.get<double>();
  }
  [[nodiscard]] std::vector<double> numbers(const Json& value, const char* field) const {
    if (!value.is_array() || std::ssize(value) != dim_)
      refuse(field, fmt::format("must have {} numbers, one for each dimension of the model", dim_));
    std::vector<double> out;
    for (const Json& x : value) out.push_back(number(x, field));
    return out;
  }

  std::string file_;
  Index dim_;
  Json json_;
};

}  // namespace

void write_tuning(const Tuning& tuning, const TunedModel& model, const std::filesystem::path& file) {
  const Json json{{"schema", schema},
                  {"model", model.name},
                  {"dimension", model.dim},
                  {"step_size", tuning.step_size},
                  {"steps", tuning.steps},
                  {"center", tuning.center},
                  {"factor", factor_to_json(tuning.factor)},
                  {"copy_spread", tuning.copy_spread},
                  {"binding_angle", tuning.binding_angle}};
  write_text(file, json.dump(2) + "\n");
}

Tuning read_tuning(const std::filesystem::path& file, const TunedModel& model) {
  const TuningReader reader(file, model);
  return {.step_size = reader.positive("step_size"),
          .steps = reader.positive("steps"),
          .center = reader.numbers("center"),
          .factor = reader.factor(),
          .copy_spread = reader.positive("copy_spread"),
          .binding_angle = reader.positive("binding_angle")};
}

}  // namespace darboux
