#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "run/run_config.hpp"

/// Settings of the command line, from its own table, as Python has them.
namespace darboux::python {

/// Those that have a meaning in Python: (name, what it takes, help) each.
[[nodiscard]] nanobind::list settings();

/// What a run is told.
struct Config : RunConfig {
  bool starts_are_the_models = false;  ///< nobody gave them: a model of PyMC has initial values
};

/// Settings by the names of the command line, as text; the rest as values. Where there is an `initial_point`, all chains begin there.
/// Throws InputError for a name that is none of a setting's, or one of the command line's alone; `others` are further names in
/// Python, for suggestions.
[[nodiscard]] Config config_of(const std::string& model, const nanobind::dict& given,
                               const std::vector<std::string>& others, const std::optional<PoissonStructure>& structure,
                               const std::optional<Tuning>& tuning, const std::optional<FloatMatrix>& starts,
                               const std::vector<double>& initial_point);

/// What draws the same again, in Python.
[[nodiscard]] std::string rerun_call(const Config& config, std::uint64_t seed);

/// A message of the command line with settings spelt as in Python: max_draws for max-draws, stan=DIR for --stan DIR.
[[nodiscard]] std::string message_in_python(std::string message);

}  // namespace darboux::python
