#pragma once

#include <string_view>

namespace darboux {

/// The text of shim.cc, which is compiled with the user's Stan and linked with every program.
extern const std::string_view shim_source;

}  // namespace darboux
