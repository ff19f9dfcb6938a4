#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "darboux/structure/poisson_structure.hpp"

/// Structures as JSON text. Reading accepts any of
///
///     {"dimension": 3, "E": "zero", "A": "identity", "G": [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]}
///     {"poisson_matrix": [[…], …]}        {"symplectic_matrix": [[…], …]}
///     {"recipe": "coupled", "dimension": 5, "strength": 1.0, "seed": 7}       (or "k" instead of "strength")
///
/// where a block is "zero", "identity", {"diagonal": […]} or a list of rows; E and G default to "zero" and A to "identity".
/// A recipe may have a block "A" too. "dimension" may be left out where a block tells it. Writing uses the first form and
/// round-trips every bit.
///
/// Errors name the source, the field and what is expected there: InputError for the text, StructureError for a matrix or a
/// recipe that is well-formed but no structure.
namespace darboux {

[[nodiscard]] std::string structure_to_json(const PoissonStructure& structure);

/// `source` names the text in error messages (a file name, usually).
[[nodiscard]] PoissonStructure structure_from_json(std::string_view text, std::string_view source);

[[nodiscard]] PoissonStructure read_structure(const std::filesystem::path& file);
void write_structure(const PoissonStructure& structure, const std::filesystem::path& file);

}  // namespace darboux
