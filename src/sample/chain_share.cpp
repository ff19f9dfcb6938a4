#include "sample/chain_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

/// A transition as numbers, before its position and its gradient.
constexpr Index numbers_of_transition = 10;

void write(const SeenTransition& seen, std::vector<double>& out) {
  const JumpSums& j = seen.jump;
  for (const double x : {seen.acceptance, seen.log_density, j.duration, j.linear, j.radial, j.norm, j.norm_squared,
                         j.gradients, j.count, j.undefined})
    out.push_back(x);
  out.insert(out.end(), seen.position.begin(), seen.position.end());
  out.insert(out.end(), seen.gradient.begin(), seen.gradient.end());
}

SeenTransition read(std::span<const double> in, std::size_t dim) {
  return {.acceptance = in[0],
          .log_density = in[1],
          .jump = {.duration = in[2],
                   .linear = in[3],
                   .radial = in[4],
                   .norm = in[5],
                   .norm_squared = in[6],
                   .gradients = in[7],
                   .count = in[8],
                   .undefined = in[9]},
          .position = in.subspan(at(numbers_of_transition), dim),
          .gradient = in.subspan(at(numbers_of_transition) + dim)};
}

}  // namespace

ChainShare::ChainShare(Group& group, Index chains)
    : group_(group), chains_(chains), own_(share_of(chains, group.rank(), group.size())) {
  if (chains < group.size())
    throw InputError(fmt::format("chains = {}: must be at least {}, the number of processes, of which each draws some",
                                 chains, group.size()));
}

ChainShare::Round ChainShare::agree(const Round& mine) const {
  if (has_all()) return mine;
  std::string bytes(sizeof mine, '\0');
  std::memcpy(bytes.data(), &mine, sizeof mine);
  Round all = mine;
  all.divergences = 0;
  for (const std::string& other : group_.gather(bytes)) {
    Round round;
    if (other.size() != sizeof round)
      throw Error("processes are not at the same place: another is at no round of draws");
    std::memcpy(&round, other.data(), sizeof round);
    if (round.where != mine.where || round.step_size != mine.step_size)
      throw Error(
          fmt::format("processes are not at the same place: iteration {} with step size {} and iteration {} with step "
                      "size {}. Their "
                      "machines compute different numbers: they must be of one kind",
                      mine.where, mine.step_size, round.where, round.step_size));
    all.iterations = std::min(all.iterations, round.iterations);
    all.failed = all.failed || round.failed;
    all.asked_to_stop = all.asked_to_stop || round.asked_to_stop;
    all.out_of_time = all.out_of_time || round.out_of_time;
    all.seconds = std::max(all.seconds, round.seconds);
    all.divergences += round.divergences;
  }
  return all;
}

std::vector<double> ChainShare::of_all(std::vector<double> mine) const {
  if (has_all()) return mine;
  std::vector<Index> counts;
  for (int r = 0; r < group_.size(); ++r) counts.push_back(share(r).count);
  const std::span<const double> all = group_.gather(mine, counts);
  return {all.begin(), all.end()};
}

OwnedBatch ChainShare::of_all(std::span<const Index> chains, Index dim,
                              const std::function<std::vector<double>(std::size_t k)>& of) const {
  std::vector<double> mine;
  std::vector<Index> counts(static_cast<std::size_t>(group_.size()));
  std::vector<std::size_t> order;  // of what comes: by ranks
  for (int r = 0; r < group_.size(); ++r)
    for (std::size_t k = 0; k < chains.size(); ++k) {
      const Share theirs = share(r);
      if (chains[k] < theirs.first || chains[k] >= theirs.first + theirs.count) continue;
      counts[static_cast<std::size_t>(r)] += dim;
      order.push_back(k);
      if (r != group_.rank()) continue;
      const std::vector<double> point = of(k);
      mine.insert(mine.end(), point.begin(), point.end());
    }
  const std::span<const double> all = group_.gather(mine, counts);
  OwnedBatch out(dim, std::ssize(chains));
  for (std::size_t i = 0; i < order.size(); ++i)
    for (Index j = 0; j < dim; ++j) out(j, static_cast<Index>(order[i])) = all[i * at(dim) + at(j)];
  return out;
}

void ChainShare::of_all(int iterations, Index dim, bool with_gradients,
                        const std::function<SeenTransition(int i, Index place)>& of, Observation& seen) const {
  const Index width = numbers_of_transition + dim * (with_gradients ? 2 : 1);
  std::vector<double> mine;
  mine.reserve(at(width * iterations * own_.count));
  for (int i = 0; i < iterations; ++i)
    for (Index place = 0; place < own_.count; ++place) write(of(i, place), mine);
  std::vector<Index> counts, places;  // of what every process gives
  for (int r = 0; r < group_.size(); ++r) {
    counts.push_back(share(r).count * iterations * width);
    places.push_back(share(r).first * iterations * width);
  }
  const std::span<const double> numbers = group_.gather(mine, counts);
  for (int i = 0; i < iterations; ++i) {
    seen.jumps.emplace_back();
    for (int r = 0; r < group_.size(); ++r)
      for (Index place = 0; place < share(r).count; ++place) {
        const Index from = places[static_cast<std::size_t>(r)] + (i * share(r).count + place) * width;
        seen.add(share(r).first + place, read(numbers.subspan(at(from), at(width)), at(dim)));
      }
  }
}

}  // namespace darboux
