#pragma once

#include <chrono>
#include <cstdint>

namespace darboux {

/// When rows are handed from memory to the system, where other processes see them and where they survive a killed process.
/// Whatever comes first; a large buffer that is full is handed over in any case. Time is looked at when a row is written.
struct FlushPolicy {
  std::chrono::milliseconds interval{500};
  std::int64_t rows = 0;  ///< 0: as many as there is time for; 1: every row at once, as CmdStan does
};

}  // namespace darboux
