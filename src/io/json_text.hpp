#pragma once

#include <string_view>

namespace darboux {

/// Throws InputError, in words of the file and not of a parser, unless the text is JSON whose objects have every field once
/// and whose numbers are doubles, nested at most 100 deep, with at most 50,000 fields in an object: what passes can be parsed, and walked
/// through by recursion. `source` is what messages call it.
void require_json(std::string_view text, std::string_view source);

}  // namespace darboux
