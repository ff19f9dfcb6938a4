#include "copies.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <darboux/core/error.hpp>
#include <filesystem>
#include <memory>
#include <thread>

#include "cluster/launch.hpp"
#include "cluster/mpi_group.hpp"
#include "installed.hpp"
#include "io/folder_lock.hpp"
#include "report/printable_text.hpp"

namespace darboux::cli {

namespace {

constexpr const char* instead =
    "Start it once, without {0}: a process uses all processors of its machine, see --threads. For several machines: "
    "each "
    "draws some of the chains (--chain-ids, with a common --tuning and --seed), and darboux merge puts the parts "
    "together";

std::unique_ptr<Group> group;  // once there is one

void let_the_first_speak() { std::this_thread::sleep_for(std::chrono::seconds(2)); }

/// The message has the launcher, and how many processes it started.
[[noreturn]] void refuse(const Launch& launch, const std::string& message) {
  if (launch.rank > 0) {
    let_the_first_speak();
    std::_Exit(2);
  }
  throw InputError(fmt::format(fmt::runtime(message), launch.launcher, launch.size));
}

/// Where another has ended, and this one cannot be thrown at.
void end_this_process(const std::string& message) {
  (void)std::fflush(stdout);
  if (const PeerFailure failure(message); is_to_tell(failure))
    (void)std::fputs(printable_lines(fmt::format("darboux: failed: {}\n", message)).c_str(), stderr);
  std::_Exit(1);
}

}  // namespace

void refuse_copies() {
  if (const auto launch = find_launch())
    refuse(*launch,
           std::string("{0} started this program {1} times, and each would do the same work and write over what the "
                       "others write. ") +
               instead);
}

Group& started_group() {
  if (group) return *group;
  const auto launch = find_launch();
  if (!launch) return alone();
  const std::filesystem::path module = installed_library(mpi_module);
  if (!std::filesystem::exists(module))
    refuse(*launch,
           std::string("{0} started this program {1} times, but it was built without MPI, and each would do the same "
                       "work and write over what the others write. Build it with MPI (-DDARBOUX_MPI=ON), so that "
                       "they draw one run together. Or: ") +
               instead);
  group = open_mpi_group(*launch, module, end_this_process);
  return *group;
}

int as_part(const std::function<int()>& draw) {
  const auto launch = find_launch();
  if (!launch) return draw();
  try {
    return draw();
  } catch (const FolderTaken& taken) {
    throw InputError(fmt::format(
        "{}. {} started this program {} times: where all of them have the same --chain-ids, start each part "
        "once, with ids and a folder (--out) of its own; or leave --chain-ids out, so that they draw one run "
        "together",
        taken.what(), launch->launcher, launch->size));
  }
}

void leave_started_group() noexcept {
  if (group) group->leave();
}

bool is_to_tell(const std::exception& trouble) {
  const auto launch = find_launch();
  if (!launch || launch->rank == 0) return true;
  if (!group) {
    let_the_first_speak();
    return true;
  }
  const bool is_of_first = std::string_view(trouble.what()).starts_with(group->describe(0));
  return is_of_first && group->rank() == 1 && dynamic_cast<const PeerFailure*>(&trouble) != nullptr;
}

}  // namespace darboux::cli
