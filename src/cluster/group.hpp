#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/loss_watch.hpp"
#include "darboux/core/batch.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

/// What was sent and waited for, by this process.
struct Traffic {
  std::int64_t exchanges = 0;  ///< calls that waited for all
  std::int64_t bytes = 0;      ///< that this process gave
  double seconds = 0.0;        ///< spent in them
};

/// Another process of the group cannot go on, or is there no more.
class PeerFailure : public Error {
 public:
  using Error::Error;
};

/// The processes that draw a run together, as one of them sees it. All make the same calls in the same order, from one thread each:
/// every call waits for all. What comes back is the same everywhere, in the order of ranks, so that sums that are formed of it have
/// the same bits everywhere.
///
/// A process that cannot go on says so, and calls of the others throw PeerFailure. So do those of processes of the same machine where
/// one ends without a word. A process of another machine that does so is missed by nobody but the launcher: calls wait until that
/// ends the others, for ever where it is told not to.
class Group {
 public:
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  virtual ~Group() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;  ///< of this process, from 0
  [[nodiscard]] virtual int size() const noexcept = 0;
  [[nodiscard]] bool is_first() const noexcept { return rank() == 0; }
  [[nodiscard]] bool is_alone() const noexcept { return size() == 1; }

  /// What every process gives, one string for each.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string_view mine) = 0;
  /// The numbers that every process gives, one after the other: counts[r] of them by rank r, which all processes know. They are the
  /// group's, for the caller to change, until the next call.
  [[nodiscard]] virtual std::span<double> gather(std::span<const double> mine, std::span<const Index> counts) = 0;

  /// Says that this process cannot go on, and why, in the place of the next call: that of the others throws. Does nothing where the
  /// group has failed already.
  virtual void fail(std::string_view why) noexcept = 0;
  /// The last call, after success and failure: when it returns all are here, or are no more. Calls of others who go on throw.
  virtual void leave() noexcept = 0;

  /// A process in words, for messages.
  [[nodiscard]] virtual std::string describe(int rank) const = 0;

  [[nodiscard]] virtual Traffic traffic() const noexcept = 0;

  /// What looks after the others between calls; none where these are no processes of this machine.
  [[nodiscard]] virtual LossWatch* watch() noexcept { return nullptr; }
};

/// A process by itself, which waits for nobody.
[[nodiscard]] Group& alone();

/// What the first process has.
[[nodiscard]] std::string of_first(Group& group, std::string_view mine);
[[nodiscard]] double smallest(Group& group, double mine);
[[nodiscard]] std::int64_t sum(Group& group, std::int64_t mine);
/// Whether it is so for one process at least.
[[nodiscard]] bool any(Group& group, bool mine);
/// Returns when all have called it.
void meet(Group& group);

/// Items dealt to processes in their order: as many each as there are, but for one.
struct Share {
  Index first = 0;
  Index count = 0;
};
[[nodiscard]] Share share_of(Index items, int rank, int size) noexcept;

}  // namespace darboux
