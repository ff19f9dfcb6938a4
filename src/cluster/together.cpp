#include "cluster/together.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>

namespace darboux {

namespace {

constexpr char bad_input = 'i', other_failure = 'f';

/// Empty where nothing goes wrong.
std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const PeerFailure&) {
    throw;
  } catch (const InputError& e) {
    return bad_input + std::string(e.what());
  } catch (const std::exception& e) {
    return other_failure + std::string(e.what());
  }
  return {};
}

}  // namespace

void together(Group& group, const std::function<void()>& action) {
  if (group.is_alone()) return action();
  const auto failures = group.gather(failure_of(action));
  for (std::size_t r = 0; r < failures.size(); ++r) {
    if (failures[r].empty()) continue;
    const std::string words = fmt::format("{} (rank {} of {})", failures[r].substr(1), r, failures.size());
    if (failures[r].front() == bad_input) throw InputError(words);
    throw Error(words);
  }
}

}  // namespace darboux
