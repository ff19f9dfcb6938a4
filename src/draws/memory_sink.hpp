#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "darboux/sample/draw_sink.hpp"

namespace darboux {

/// Keeps draws in memory, phase by phase, chain by chain and column by column. Draws of different chains may come from different
/// threads; reading waits for all of them, but for what another sink takes over.
class MemorySink final : public DrawSink {
 public:
  MemorySink(Index chains, std::size_t columns);

  void draw(const Draw& draw) override;
  /// Takes over what another has so far, while it goes on: of each phase the iterations that all of its chains have finished.
  void take_finished(const MemorySink& other);

  [[nodiscard]] Index chains() const noexcept { return std::ssize(chains_); }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  /// One quantity of one chain.
  [[nodiscard]] std::span<const double> column(Index chain, std::size_t column, Phase phase = Phase::sampling) const;
  /// The same of all chains.
  [[nodiscard]] std::vector<std::span<const double>> column(std::size_t column, Phase phase = Phase::sampling) const;
  /// The log densities of all chains.
  [[nodiscard]] std::vector<std::span<const double>> log_densities(Phase phase = Phase::sampling) const;
  [[nodiscard]] std::span<const Transition> transitions(Index chain, Phase phase = Phase::sampling) const;

 private:
  struct Stored {
    std::vector<std::vector<double>> columns;
    std::vector<double> log_density;
    std::vector<Transition> transitions;
  };
  struct alignas(cache_line) Chain {  // threads that fill different chains do not disturb each other
    Stored warmup, sampling;
    mutable std::mutex growing;
  };
  [[nodiscard]] const Stored& stored(Index chain, Phase phase) const;
  [[nodiscard]] std::size_t finished(Phase phase) const;

  std::size_t columns_;
  std::vector<Chain> chains_;
};

}  // namespace darboux
