#include "run/tuning_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/shown.hpp"
#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "io/json_text.hpp"
#include "sample/sampler.hpp"

namespace darboux {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view schema = "darboux-tuning/1";
constexpr double most_steps = 1e6;  // of a trajectory, as of the setting

Json rows_of(const Matrix& m) {
  Json rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i)
    rows.push_back(std::vector<double>(m.data() + i * m.cols(), m.data() + (i + 1) * m.cols()));
  return rows;
}

/// Of low rank it is L = diag(scales) (I + Vᵀ diag(stretches − 1) V), with rows V: directions.
Json factor_to_json(const StructuredMatrix& factor) {
  switch (factor.kind()) {
    case StructuredMatrix::Kind::zero:
    case StructuredMatrix::Kind::identity: return "identity";
    case StructuredMatrix::Kind::diagonal: {
      Json entries = Json::array();
      for (Index i = 0; i < factor.dim(); ++i) entries.push_back(factor(i, i));
      return {{"diagonal", entries}};
    }
    case StructuredMatrix::Kind::low_rank: {
      const auto& [scales, directions, stretches, before] = factor.low_rank().parts();
      return {{"scales", scales}, {"directions", rows_of(directions)}, {"stretches", stretches}};
    }
    case StructuredMatrix::Kind::dense: break;
  }
  return rows_of(factor.matrix());
}

/// As [place, scale, skew, tail] each; of straight coordinates just null.
Json shapes_to_json(const std::vector<MarginalShape>& shapes) {
  Json all = Json::array();
  for (const MarginalShape& s : shapes)
    all.push_back(s == MarginalShape{} ? Json() : Json{s.place, s.scale, s.skew, s.tail});
  return all;
}

/// Reads fields of one file, and says what is wrong with which.
class TuningReader {
 public:
  TuningReader(const std::string& text, std::string file, const TunedModel& model)
      : file_(std::move(file)), dim_(model.dim) {
    require_json(text, file_);
    json_ = Json::parse(text);
    if (!json_.is_object() || !json_.contains("schema") || json_["schema"] != schema)
      throw InputError(fmt::format("{}: schema must be \"{}\", as a run writes it to tuning.json", file_, schema));
    require_same("model", model.name);
    require_same("dimension", model.dim);
  }

  [[nodiscard]] double positive(const char* field, double most = std::numeric_limits<double>::infinity()) const {
    const double value = number(at(field), field);
    if (!(value > 0.0)) refuse(field, "must be a positive number");
    if (value > most) refuse(field, fmt::format("must be at most {}", most));
    return value;
  }
  [[nodiscard]] std::vector<double> numbers(const char* field) const { return numbers(at(field), field); }
  // What files of version 0.1.0 and earlier do not say.
  [[nodiscard]] Index whole(const char* field, Index least, Index otherwise, Index most = 1'000'000'000) const {
    if (!json_.contains(field)) return otherwise;
    const Json& value = json_.at(field);
    if (!value.is_number_unsigned() || value.get<Index>() < least || value.get<Index>() > most)
      refuse(field, fmt::format("must be a whole number from {} to {}", least, most));
    return value.get<Index>();
  }
  [[nodiscard]] MotionKind motion() const {
    if (!json_.contains("motion")) return MotionKind::hamiltonian;
    const Json& value = json_.at("motion");
    for (const auto& [kind, name] : names_of<MotionKind>)
      if (value == name) return kind;
    refuse("motion", "must be hamiltonian or microcanonical");
  }
  /// From 0 up to, but not, 1.
  [[nodiscard]] double share(const char* field) const {
    if (!json_.contains(field)) return 0.0;
    const double value = number(json_.at(field), field);
    if (!(value >= 0.0 && value < 1.0)) refuse(field, "must be a number from 0 to below 1");
    return value;
  }
  /// Earlier files have none.
  [[nodiscard]] std::vector<MarginalShape> shapes() const {
    std::vector<MarginalShape> out;
    if (!json_.contains("shapes")) return out;
    const Json& value = json_.at("shapes");
    if (!value.is_array() || (!value.empty() && std::ssize(value) != dim_))
      refuse("shapes", fmt::format("must have {} entries, one for each dimension of the model, or none", dim_));
    for (const Json& entry : value) {
      out.emplace_back();
      if (entry.is_null()) continue;
      const std::vector<double> s = numbers(entry, 4, "an entry of shapes");
      if (!(s[1] > 0.0 && s[3] > 0.0))
        refuse("shapes", "must be [place, scale, skew, tail] each, scale and tail greater than 0, or null");
      out.back() = {.place = s[0], .scale = s[1], .skew = s[2], .tail = s[3]};
    }
    return out;
  }
  [[nodiscard]] StructuredMatrix factor() const {
    const Json& value = at("factor");
    if (value == "identity") return StructuredMatrix::identity(dim_);
    if (value.is_object() && value.contains("diagonal"))
      return StructuredMatrix::diagonal(numbers(value.at("diagonal"), "factor"));
    if (value.is_object() && value.contains("directions")) return low_rank_factor(value);
    return StructuredMatrix::from(matrix(value, dim_, "factor"));
  }

 private:
  void require_same(const char* field, const Json& wanted) const {
    if (json_.contains(field) && json_.at(field) != wanted)
      refuse(field, fmt::format("is {}: must be {}, as in this run; a tuning serves the model that it was found for",
                                beginning_of(json_.at(field).dump()), wanted.dump()));
  }
  [[nodiscard]] StructuredMatrix low_rank_factor(const Json& value) const {
    const auto part = [&](const char* name) -> const Json& {
      if (!value.contains(name)) refuse("factor", fmt::format("must have \"{}\"", name));
      return value.at(name);
    };
    const Json& stretches = part("stretches");
    const auto rank = static_cast<Index>(stretches.size());
    try {
      return StructuredMatrix::from(
          LowRankMatrix({.after = numbers(part("scales"), "scales of factor"),
                         .directions = matrix(part("directions"), rank, "directions of factor"),
                         .stretches = numbers(stretches, rank, "stretches of factor"),
                         .before = std::vector<double>(static_cast<std::size_t>(dim_), 1.0)}));
    } catch (const InputError& e) {
      refuse("factor", e.what());
    }
  }
  [[nodiscard]] Matrix matrix(const Json& value, Index rows, const char* field) const {
    if (!value.is_array() || std::ssize(value) != rows) refuse(field, fmt::format("must have {} rows", rows));
    for (const Json& row : value)
      require_numbers(row, field);  // so that there is no more memory than the file has numbers
    Matrix m(rows, dim_);
    for (Index i = 0; i < rows; ++i) {
      const auto row = numbers(value[static_cast<std::size_t>(i)], field);
      for (Index j = 0; j < dim_; ++j) m(i, j) = row[static_cast<std::size_t>(j)];
    }
    return m;
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
  void require_numbers(const Json& value, const char* field) const {
    if (!value.is_array() || std::ssize(value) != dim_)
      refuse(field, fmt::format("must have {} numbers, one for each dimension of the model", dim_));
  }
  [[nodiscard]] std::vector<double> numbers(const Json& value, const char* field) const {
    require_numbers(value, field);
    return numbers(value, dim_, field);
  }
  [[nodiscard]] std::vector<double> numbers(const Json& value, Index count, const char* field) const {
    if (!value.is_array() || std::ssize(value) != count) refuse(field, fmt::format("must have {} numbers", count));
    std::vector<double> out;
    for (const Json& x : value) out.push_back(number(x, field));
    return out;
  }

  std::string file_;
  Index dim_;
  Json json_;
};

}  // namespace

std::string tuning_text(const Tuning& tuning, const TunedModel& model) {
  const Json json{{"schema", schema},
                  {"model", model.name},
                  {"dimension", model.dim},
                  {"step_size", tuning.step_size},
                  {"steps", tuning.steps},
                  {"center", tuning.center},
                  {"metric", name(metric_of(tuning.factor))},
                  {"metric_draws", tuning.metric_draws},
                  {"factor", factor_to_json(tuning.factor)},
                  {"copy_spread", tuning.copy_spread},
                  {"binding_angle", tuning.binding_angle},
                  {"stages", tuning.stages},
                  {"step_spread", tuning.step_spread},
                  {"momentum_kept", tuning.momentum_kept},
                  {"motion", name(tuning.motion)},
                  {"shapes", shapes_to_json(tuning.shapes)}};
  return json.dump(2) + "\n";
}

void write_tuning(const Tuning& tuning, const TunedModel& model, const std::filesystem::path& file) {
  write_text(file, tuning_text(tuning, model));
}

Tuning read_tuning(const std::filesystem::path& file, const TunedModel& model) {
  return parse_tuning(read_text(file), file.string(), model);
}

Tuning parse_tuning(const std::string& text, std::string name, const TunedModel& model) {
  const TuningReader reader(text, std::move(name), model);
  return {.step_size = reader.positive("step_size"),
          .steps = reader.positive("steps", most_steps),
          .center = reader.numbers("center"),
          .factor = reader.factor(),
          .metric_draws = reader.whole("metric_draws", 0, 0),
          .copy_spread = reader.positive("copy_spread"),
          .binding_angle = reader.positive("binding_angle"),
          .stages = static_cast<int>(reader.whole("stages", 1, 1, 3)),
          .step_spread = reader.share("step_spread"),
          .momentum_kept = reader.share("momentum_kept"),
          .motion = reader.motion(),
          .shapes = reader.shapes()};
}

}  // namespace darboux
