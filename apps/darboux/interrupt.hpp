#pragma once

#include <atomic>

namespace darboux::cli {

/// Whether Ctrl-C, SIGTERM or SIGHUP came since catch_signals().
[[nodiscard]] const std::atomic<bool>& interrupted() noexcept;

/// From now on the first of these signals only sets interrupted(), so that work ends in good order; a second one ends the
/// process at once. Under nohup, SIGHUP is none of them. Somebody who stops listening to what is printed does not end it.
void catch_signals();

}  // namespace darboux::cli
