// What a process of a group does in the tests of MPI: processes MODULE WHAT.

#include <signal.h>

#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/mpi_group.hpp"

namespace {

using namespace darboux;

/// Strings and numbers of any size, and sums of them.
bool all_is_right(Group& group) {
  bool right = true;
  const auto size = static_cast<std::size_t>(group.size());
  for (int round = 0; round < 200; ++round) {
    const auto text = [&](int rank) {
      return std::string(static_cast<std::size_t>(round * (rank + 1)), static_cast<char>('a' + rank));
    };
    const auto all = group.gather(text(group.rank()));
    right = right && all.size() == size;
    for (int r = 0; r < group.size(); ++r) right = right && all[static_cast<std::size_t>(r)] == text(r);
    std::vector<Index> counts(size);
    for (std::size_t r = 0; r < size; ++r) counts[r] = static_cast<Index>(r) * round * 100;
    const std::vector<double> mine(static_cast<std::size_t>(counts[static_cast<std::size_t>(group.rank())]), 0.5);
    const std::span<const double> numbers = group.gather(mine, counts);
    right = right && std::ssize(numbers) == std::accumulate(counts.begin(), counts.end(), Index{0});
    for (const double x : numbers) right = right && x == 0.5;
  }
  return right && sum(group, group.rank()) == group.size() * (group.size() - 1) / 2;
}

/// Where another has ended while this one was apart.
void end_process(const std::string& message) {
  std::printf("%s\n", message.c_str());
  (void)std::fflush(stdout);
  std::_Exit(1);
}

/// For longer than anybody waits.
int compute(Group& group, bool dies) {
  meet(group);
  if (dies) ::raise(SIGKILL);
  const AtLoss said_after(group, [&](std::string& message) {
    message = "ended " + std::to_string(group.rank()) + ": " + message + " meanwhile";
  });
  const Apart apart(group);
  std::this_thread::sleep_for(std::chrono::seconds(60));
  return 1;
}

int act(Group& group, std::string_view what) {
  if (what == "exchange") {
    const bool right = all_is_right(group);
    if (group.is_first()) std::printf("%s\n", right ? "all right" : "WRONG");
    return right ? 0 : 1;
  }
  const bool is_last = group.rank() == group.size() - 1;
  if (what == "compute") return compute(group, is_last);
  if (what == "fail" && is_last) {
    group.fail("of a reason of its own");
    return 1;
  }
  if (is_last && what == "killed") ::raise(SIGKILL);
  if (is_last && what == "leaves") std::_Exit(0);
  try {
    meet(group);
    std::printf("it went on\n");
  } catch (const PeerFailure& e) {
    std::printf("heard by %d: %s\n", group.rank(), e.what());
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  ::signal(SIGTERM, SIG_IGN);  // that a launcher sends to those who are left
  try {
    const auto launch = find_launch().value_or(Launch{.launcher = "nobody", .rank = 0, .size = 1});
    const auto group = open_mpi_group(launch, argv[1], end_process);
    const int status = act(*group, argv[2]);
    (void)std::fflush(stdout);
    group->leave();
    return status;
  } catch (const Error& e) {
    std::printf("refused: %s\n", e.what());
    return 2;
  }
}
