#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cluster/group.hpp"
#include "sample/observation.hpp"

namespace darboux {

/// The chains of a run that this process has, neighbours, and what it tells the others of them. Numbers come back in the order of
/// chains, so that what is formed of them has the same bits, whoever has which chain.
class ChainShare {
 public:
  /// Throws InputError where there are fewer chains than processes.
  ChainShare(Group& group, Index chains);

  [[nodiscard]] Group& group() const noexcept { return group_; }
  [[nodiscard]] bool has_all() const noexcept { return group_.is_alone(); }
  [[nodiscard]] Index first() const noexcept { return own_.first; }
  [[nodiscard]] Index count() const noexcept { return own_.count; }
  [[nodiscard]] bool has(Index chain) const noexcept { return chain >= own_.first && chain < own_.first + own_.count; }

  /// Of a round, after it. What steers the run must not depend on who looks, and when.
  struct Round {
    std::int64_t iterations = 0;  ///< that all chains have made
    bool failed = false;          ///< something threw
    bool asked_to_stop = false;
    bool out_of_time = false;
    double seconds = 0.0;          ///< that the slowest took
    std::int64_t divergences = 0;  ///< of draws that are kept, in all chains
    std::int64_t where = 0;        ///< the iteration it began at, which must be the same everywhere
    double step_size = 0.0;        ///< likewise
  };
  /// Of all, from what each has seen. Throws Error where processes are not at the same place.
  [[nodiscard]] Round agree(const Round& mine) const;

  /// One number of each chain, from those of this process.
  [[nodiscard]] std::vector<double> of_all(std::vector<double> mine) const;
  /// The points of these chains, a lane each; of(k) is that of the k-th, where this process has it.
  [[nodiscard]] OwnedBatch of_all(std::span<const Index> chains, Index dim,
                                  const std::function<std::vector<double>(std::size_t k)>& of) const;
  /// Adds some iterations of all chains; of(i, place) is a transition of the chain at that place among those of this process.
  void of_all(int iterations, Index dim, bool with_gradients,
              const std::function<SeenTransition(int i, Index place)>& of, Observation& seen) const;

 private:
  [[nodiscard]] Share share(int rank) const noexcept { return share_of(chains_, rank, group_.size()); }

  Group& group_;
  Index chains_;
  Share own_;
};

}  // namespace darboux
