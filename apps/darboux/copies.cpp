#include "copies.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <darboux/core/error.hpp>
#include <thread>

#include "cluster/launch.hpp"

namespace darboux::cli {

void refuse_copies() {
  const auto launch = find_launch();
  if (!launch) return;
  if (launch->rank > 0) {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    std::_Exit(2);
  }
  throw InputError(fmt::format(
      "{0} started this program {1} times, and each would do the same work and write over what the others write. Start "
      "it once, without {0}: a process uses all processors of its machine, see --threads. For several machines: each "
      "draws some of the chains (--chain-ids, with a common --tuning and --seed), and darboux merge puts the parts "
      "together",
      launch->launcher, launch->size));
}

}  // namespace darboux::cli
