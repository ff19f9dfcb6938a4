#include "darboux/version.hpp"

namespace darboux {

std::string_view version() noexcept { return DARBOUX_VERSION; }

}  // namespace darboux
