#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "sample/sampler_settings.hpp"
#include "sample/stragglers.hpp"

namespace darboux {

/// Shapes of coordinates from a window of warm-up: which of those that the new preconditioner makes are to be bent, and how.
///
/// A coordinate is bent only if that makes draws likelier that had no say in its shape: half of the chains judge what the other
/// half fits, by at least `least_gain` in the mean log likelihood and `least_errors` times its error. Then all draws fit it.
class ShapeEstimate {
 public:
  static constexpr int shortest_window = 100;  ///< iterations: of shorter ones nothing is kept
  static constexpr double least_gain = 0.02, least_errors = 2.0;

  ShapeEstimate(const SamplerSettings& settings, Index dim, int iterations);

  /// Positions of all chains, iteration by iteration, in the model's own coordinates; late chains are left out. An even choice of
  /// them is kept, at most `capacity`.
  void add(std::span<const double> positions, const Stragglers& stragglers);
  /// At most 1200, and 16 MB in all; none where that is too few to judge by.
  [[nodiscard]] static Index capacity(Index dim) noexcept;
  [[nodiscard]] Index count() const noexcept { return std::ssize(kept_); }
  /// Their numbers, by which they are told apart: iteration × chains + chain.
  [[nodiscard]] const std::vector<std::uint64_t>& kept() const noexcept { return kept_; }

  /// Sets the shapes that go with the tuning's preconditioner: none where there are too few draws.
  void put_into(Tuning& tuning) const;

  template <class Archive>
  void archive(Archive& fields) {
    fields(capacity_, seen_, halvings_, kept_, positions_);
    require_sense(
        capacity_ >= 0 && halvings_ >= 0 && count() <= capacity_ && positions_.size() == kept_.size() * at(dim_),
        "draws and their positions do not go together");
  }

 private:
  /// Whether a draw belongs to those that are left after so many halvings.
  [[nodiscard]] bool is_kept(std::uint64_t draw) const noexcept;
  void halve();
  /// Draws as chains have them, one row for each coordinate: those of every second chain first.
  struct Ordered {
    OwnedBatch x;
    Index first_fold = 0;
  };
  [[nodiscard]] Ordered whitened(const Tuning& tuning) const;

  Index dim_, chains_, capacity_ = 0;
  bool is_asked_for_;
  std::uint64_t seen_ = 0;  // draws, of all chains
  int halvings_ = 0;
  std::vector<std::uint64_t> kept_;  // their numbers
  std::vector<double> positions_;    // one after the other
};

}  // namespace darboux
