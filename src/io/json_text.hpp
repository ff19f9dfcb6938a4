#pragma once

#include <string_view>

namespace darboux {

/// Throws InputError, in words of the file and not of a parser, unless the text is JSON whose objects have every field once
/// and whose numbers are doubles: what passes can be parsed. `source` is what messages call it.
void require_json(std::string_view text, std::string_view source);

}  // namespace darboux
