#pragma once

#include <string>

namespace darboux {

/// The present time as files say it: "2030-01-31 12:00:00 UTC".
[[nodiscard]] std::string utc_now();

}  // namespace darboux
