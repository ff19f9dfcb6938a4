#pragma once

#include <string>
#include <string_view>

namespace darboux {

/// Whether bytes are UTF-8: no stray or missing continuation bytes, no overlong forms, no surrogates.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// Bytes of Windows-1252, of which Latin-1 is the part without 0x80 to 0x9f, as UTF-8. Five bytes that it leaves undefined become the
/// control characters of the same number, as browsers have it.
[[nodiscard]] std::string utf8_from_windows_1252(std::string_view bytes);

}  // namespace darboux
