#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "darboux/run/draws.hpp"

/// What a run came to, as Python has it.
namespace darboux::python {

using ByName = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;
using TextByName = nanobind::typed<nanobind::dict, nanobind::str, nanobind::str>;

/// Settings in force, what warm-up found, and cost: attributes of a trace.
[[nodiscard]] ByName facts_of(const Draws& draws);

/// What the command line says of a run at its end, by the word that each line begins with. Of one that goes on only what was chosen:
/// why is in its result, which comes at the end.
[[nodiscard]] TextByName how_of(const Draws& draws, bool is_running);

/// A tuning with what matters most in it.
[[nodiscard]] std::string repr_of(const Tuning& tuning);

}  // namespace darboux::python
