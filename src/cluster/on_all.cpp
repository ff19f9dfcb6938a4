#include "cluster/on_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr char is_refused = 'r', has_failed = 'f';

/// Nothing where it went well.
std::string outcome_of(Group& group, const std::function<void()>& action) {
  const Apart apart(group);
  try {
    action();
    return "";
  } catch (const InputError& e) {
    return is_refused + std::string(e.what());
  } catch (const std::exception& e) {
    return has_failed + std::string(e.what());
  }
}

}  // namespace

void on_all(Group& group, const std::function<void()>& action) {
  if (group.is_alone()) return action();
  const std::vector<std::string> outcomes = group.gather(outcome_of(group, action));
  const auto trouble = std::ranges::find_if(outcomes, [](const std::string& outcome) { return !outcome.empty(); });
  if (trouble == outcomes.end()) return;
  const bool is_everywhere =
      std::ranges::all_of(outcomes, [&](const std::string& outcome) { return outcome == *trouble; });
  const std::string place = group.describe(static_cast<int>(trouble - outcomes.begin()));
  const std::string message = is_everywhere ? trouble->substr(1) : fmt::format("{}: {}", place, trouble->substr(1));
  if (trouble->front() == is_refused) throw InputError(message);
  throw Error(message);
}

void require_same(Group& group, const std::string& what, const std::string& mine) {
  if (group.is_alone()) return;
  const std::vector<std::string> all = group.gather(mine);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all.front())
      throw InputError(fmt::format("{}: {} has {}, and {} has {}: must be the same for all processes of a run", what,
                                   group.describe(0), all.front(), group.describe(static_cast<int>(r)), all[r]));
}

}  // namespace darboux
