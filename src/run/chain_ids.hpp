#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/batch.hpp"

namespace darboux {

/// The ids of a run's chains, counted from 1, as one writes them: "5-8", "5", or, of a merged run, "1-4,9-12". Throws
/// InputError("FIELD = TEXT: …") unless they are whole numbers from 1 that increase.
[[nodiscard]] std::vector<Index> parse_chain_ids(std::string_view field, std::string_view text);
/// The shortest text for ids that increase.
[[nodiscard]] std::string chain_ids_text(std::span<const Index> ids);

}  // namespace darboux
