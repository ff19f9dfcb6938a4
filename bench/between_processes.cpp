/// What processes that draw a run together do beside computing.
///
/// usage: between_processes            what each does with what all have told it
///        mpirun -n N between_processes MODULE      how long they take to tell each other something, by way of MODULE (libdarboux_mpi.so)

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "cluster/mpi_group.hpp"
#include "cluster/tree_sum.hpp"
#include "sample/chain_share.hpp"
#include "sample/metric_estimate.hpp"
#include "stopwatch.hpp"

namespace {

using namespace darboux;
using Clock = std::chrono::steady_clock;

/// Of one exchange in which each gives so many bytes: the fastest of some batches, as others use the machine, too.
double seconds_of_exchange(Group& group, std::size_t bytes) {
  constexpr int batches = 7;
  const std::vector<double> mine(bytes / sizeof(double), 1.0);
  const std::vector<Index> counts(static_cast<std::size_t>(group.size()), std::ssize(mine));
  const int calls = std::clamp(static_cast<int>(100'000'000 / bytes), 20, 5000);
  double fastest = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < batches; ++batch) {
    meet(group);
    const auto begin = Clock::now();
    for (int call = 0; call < calls; ++call) (void)group.gather(mine, counts);
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - begin).count() / calls);
  }
  return fastest;
}

int tell_exchanges(const Launch& launch, const char* module) {
  const auto group = open_mpi_group(launch, module, [](const std::string&) { std::_Exit(1); });
  for (const std::size_t bytes : {48U, 1024U, 16384U, 262144U, 4194304U}) {
    const double seconds = seconds_of_exchange(*group, bytes);
    if (group->is_first()) fmt::print("exchange {} {} {:.3e}\n", group->size(), bytes, seconds);
  }
  group->leave();
  return 0;
}

/// Warm-up of many chains: seconds for one position of so many coordinates.
double seconds_to_pool(Metric metric, Index dim) {
  constexpr Index chains = 1000;
  constexpr int iterations = 5;
  const ChainShare share(alone(), chains);
  const std::vector<double> position(static_cast<std::size_t>(dim), 0.5);
  const double all = bench::seconds_of(
      [&] {
        Observation seen;
        seen.begin(chains);
        share.of_all(
            iterations, dim, false, [&](int, Index) { return SeenTransition{.jump = {}, .position = position}; }, seen);
        MetricEstimate(metric, dim).add(seen.positions, {});
      },
      0.2);
  return all / (chains * iterations);
}

/// Rows over processes: seconds to add up the sums of so many subtrees.
double seconds_to_add_up(Index subtrees, Index numbers) {
  const std::array<Index, 2> bounds{0, subtrees};
  TreeSum sum(alone(), bounds);
  std::vector<double> own(static_cast<std::size_t>(subtrees * numbers), 1e-6), total(static_cast<std::size_t>(numbers));
  return bench::seconds_of([&] { sum.add_up(own, total); }, 0.2);
}

int tell_what_each_does() {
  for (const Index dim : {21, 101})
    for (const Metric metric : {Metric::diagonal, Metric::dense})
      fmt::print("pool {} {} {:.3e}\n", name(metric), dim, seconds_to_pool(metric, dim));
  fmt::print("add-up 64 1616 {:.3e}\n", seconds_to_add_up(64, 1616));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto launch = find_launch();
  return launch && argc == 2 ? tell_exchanges(*launch, argv[1]) : tell_what_each_does();
}
