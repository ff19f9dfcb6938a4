#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace darboux::cli {

/// Draws every Vega-Lite specification in a folder (NAME.vl.json) as NAME.svg, by Node.js. Returns why not, where it could not
/// be done.
[[nodiscard]] std::optional<std::string> render_figures(const std::filesystem::path& folder);

}  // namespace darboux::cli
