#include "darboux/core/enumeration.hpp"

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

void refuse_name(std::string_view what, std::string_view given, std::span<const std::string_view> known) {
  throw InputError(unknown_name(what, given, known));
}

}  // namespace darboux
