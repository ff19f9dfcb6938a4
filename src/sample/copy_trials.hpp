#pragma once

#include <array>

#include "core/archive.hpp"
#include "darboux/sample/tuning.hpp"

namespace darboux {

/// σ and θ of `doubled` by trial, a few iterations for each pair: that with the highest acceptance, at the step size that there is.
class CopyTrials {
  static constexpr std::array spreads{0.05, 0.1, 0.2, 0.3};
  static constexpr std::array angles{0.25, 0.5, 1.0};

 public:
  static constexpr int iterations = 5;  // for each pair
  static constexpr int all_iterations = iterations * static_cast<int>(spreads.size() * angles.size());

  CopyTrials() = default;
  explicit CopyTrials(const Tuning& present) : best_(present) {}

  [[nodiscard]] bool are_done() const { return tried_ >= std::ssize(spreads) * std::ssize(angles); }
  [[nodiscard]] Tuning next(Tuning tuning) const {
    tuning.copy_spread = spreads[at(tried_) / angles.size()];
    tuning.binding_angle = angles[at(tried_) % angles.size()];
    return tuning;
  }
  void observe(const Tuning& tuning, double acceptance) {
    ++tried_;
    if (acceptance <= acceptance_) return;
    acceptance_ = acceptance;
    best_ = tuning;
  }
  [[nodiscard]] const Tuning& best() const { return best_; }

  template <class Archive>
  void archive(Archive& fields) {
    fields(tried_, acceptance_, best_);
    require_sense(tried_ >= 0, "fewer copies than none were tried");
  }

 private:
  Index tried_ = 0;
  double acceptance_ = -1.0;
  Tuning best_;
};

}  // namespace darboux
