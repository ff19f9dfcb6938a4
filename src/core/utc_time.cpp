#include "core/utc_time.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace darboux {

std::string utc_now() { return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr))); }

}  // namespace darboux
