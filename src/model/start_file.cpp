#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "checks.hpp"
#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "io/json_text.hpp"
#include "model/start.hpp"

namespace darboux {

namespace {

using nlohmann::json;

class StartFile {
 public:
  StartFile(const Model& model, std::string file) : model_(model), file_(std::move(file)), names_(model.names()) {
    names_.resize(at(model.natural_size()));
  }

  [[nodiscard]] OwnedBatch read(Index chains) const {
    const std::string text = read_text(file_);
    require_json(text, file_);
    const json content = json::parse(text);
    if (content.is_object()) return read(std::vector<json>(static_cast<std::size_t>(chains), content));
    if (!content.is_array())
      fail(fmt::format("must hold an object {{name: value, …}} or a list of one per chain, not {}",
                       content.type_name()));
    if (std::ssize(content) != chains)
      fail(fmt::format(
          "a list of starting points for {}, but there are {}: give as many, or one object for all chains, {{…}} "
          "without a list around it",
          counted(std::ssize(content), "chain", "chains"), chains));
    return read(content.get<std::vector<json>>());
  }

 private:
  [[noreturn]] void fail(std::string_view why) const { throw InputError(fmt::format("{}: {}", file_, why)); }

  [[nodiscard]] OwnedBatch read(const std::vector<json>& per_chain) const {
    OwnedBatch starts(model_.dim(), std::ssize(per_chain));
    std::vector<double> q(at(model_.dim()));
    for (Index l = 0; l < starts.lanes(); ++l) {
      model_.unconstrain(natural_values(per_chain[static_cast<std::size_t>(l)]), q);
      for (Index j = 0; j < starts.rows(); ++j) starts(j, l) = q[static_cast<std::size_t>(j)];
    }
    require_finite_starts(model_, starts, file_ + ": ");
    return starts;
  }

  [[nodiscard]] std::vector<double> natural_values(const json& object) const {
    if (!object.is_object())
      fail(fmt::format("a chain's starting point must be an object, not {}", object.type_name()));
    std::map<std::string, double> values;
    for (const auto& [key, value] : object.items()) collect(key, "", value, values);
    std::vector<double> out;
    for (const std::string& wanted : names_) {
      const auto found = values.find(wanted);
      if (found == values.end()) fail(fmt::format("no value for {}: every parameter needs one", wanted));
      out.push_back(found->second);
      values.erase(found);
    }
    if (!values.empty()) {
      const std::vector<std::string_view> known(names_.begin(), names_.end());
      fail(unknown_name("parameter", values.begin()->first, known));
    }
    return out;
  }

  /// The entries of nested lists are called x[1], x[2], … or x[1,1], x[1,2], …, those of a tuple t:1, t:2.1, …; [re, im] is a
  /// complex number where there is one.
  void collect(const std::string& key, const std::string& indices, const json& value,
               std::map<std::string, double>& values) const {
    const bool in_tuple = key.find(':') != std::string::npos;
    const std::string full = indices.empty() ? key
                             : in_tuple      ? key + '.' + indices
                                             : fmt::format("{}[{}]", key, indices);
    if (value.is_object()) {
      for (const auto& [part, inner] : value.items()) collect(fmt::format("{}:{}", full, part), "", inner, values);
      return;
    }
    if (value.is_array() && value.size() == 2 && std::ranges::find(names_, full + ".real") != names_.end()) {
      collect(full + ".real", "", value[0], values);
      collect(full + ".imag", "", value[1], values);
      return;
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        collect(key,
                fmt::format("{}{}{}", indices,
                            indices.empty() ? ""
                            : in_tuple      ? "."
                                            : ",",
                            i + 1),
                value[i], values);
      return;
    }
    if (!value.is_number()) fail(fmt::format("{} is {}: must be a number", full, beginning_of(value.dump())));
    if (!values.emplace(full, value.get<double>()).second) fail(fmt::format("{} is given twice", full));
  }

  const Model& model_;
  std::string file_;
  std::vector<std::string> names_;
};

}  // namespace

OwnedBatch read_starts(const Model& model, const std::filesystem::path& file, Index chains) {
  check::dimension("chains", chains);
  return StartFile(model, file.string()).read(chains);
}

}  // namespace darboux
