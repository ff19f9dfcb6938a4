#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draws/draw_sink.hpp"

namespace darboux {

/// The draws of one chain in memory, column by column.
class ChainStore final : public DrawSink {
 public:
  explicit ChainStore(std::size_t columns, std::size_t expected_draws = 0);

  void draw(std::span<const double> values, const DrawStatistics& statistics) override;
  void end_warmup(const Adaptation& adaptation) override;
  void finish(const ElapsedSeconds& elapsed) override { elapsed_ = elapsed; }

  /// Draws of one phase; all are warm-up draws until that has ended.
  [[nodiscard]] std::size_t draws(DrawPhase phase = DrawPhase::sampling) const noexcept;
  [[nodiscard]] std::span<const double> column(std::size_t column, DrawPhase phase = DrawPhase::sampling) const;
  [[nodiscard]] std::span<const DrawStatistics> statistics(DrawPhase phase = DrawPhase::sampling) const;
  /// None before warm-up has ended.
  [[nodiscard]] const std::optional<Adaptation>& adaptation() const noexcept { return adaptation_; }
  [[nodiscard]] const std::optional<ElapsedSeconds>& elapsed() const noexcept { return elapsed_; }

 private:
  [[nodiscard]] std::size_t warmup_draws() const noexcept { return adaptation_ ? warmup_draws_ : statistics_.size(); }

  std::vector<std::vector<double>> columns_;
  std::vector<DrawStatistics> statistics_;
  std::size_t warmup_draws_ = 0;
  std::optional<Adaptation> adaptation_;
  std::optional<ElapsedSeconds> elapsed_;
};

/// The draws of a run in memory: chains × draws × columns. Chains may be filled from different threads, each through its own
/// ChainStore; reading waits for all of them.
class DrawStore {
 public:
  /// Throws InputError if two names are equal.
  DrawStore(std::vector<std::string> names, std::size_t chains, std::size_t expected_draws = 0);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] std::size_t chains() const noexcept { return chains_.size(); }
  /// Stays where it is as long as the store lives.
  [[nodiscard]] ChainStore& chain(std::size_t chain) { return chains_.at(chain); }
  [[nodiscard]] const ChainStore& chain(std::size_t chain) const { return chains_.at(chain); }

  /// One quantity of all chains after warm-up. Throws InputError for a name that is not there.
  [[nodiscard]] std::vector<std::span<const double>> column(std::string_view name) const;
  [[nodiscard]] std::vector<std::span<const double>> column(std::size_t column) const;

 private:
  std::vector<std::string> names_;
  std::deque<ChainStore> chains_;  // which neither moves nor copies them
};

}  // namespace darboux
