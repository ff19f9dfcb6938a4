#pragma once

// The built-in models by name, as the command line knows them.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "darboux/core/export.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

/// What built-in models can be told. Each uses some of it and refuses the rest, so that no setting is silently ignored.
struct ModelOptions {
  std::string data;                   ///< a CSV file
  std::string response;               ///< its column with the labels
  std::optional<bool> intercept;      ///< yes when absent
  std::optional<double> prior_scale;  ///< 1 when absent
  std::optional<Index> dimension;
};

/// A built-in model: its name, what it is, and which options it takes.
struct BuiltInModel {
  std::string_view name;
  std::string_view description;
  std::string_view options;  ///< names of the options it uses, separated by spaces
};
[[nodiscard]] DARBOUX_API std::span<const BuiltInModel> built_in_models();

/// Throws InputError for an unknown name (with a suggestion), an option that the model does not take, or bad data.
[[nodiscard]] DARBOUX_API std::shared_ptr<const Model> make_model(std::string_view name, const ModelOptions& options);

}  // namespace darboux
