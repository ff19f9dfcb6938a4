#pragma once

#include <cstdint>
#include <darboux/core/choices.hpp>
#include <darboux/core/random.hpp>
#include <darboux/model/model.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Distributions of which everything is known: how to draw from them exactly, and what the means of many functions are.
namespace darboux::proofs {

/// Where a chain is: in the model's own coordinates, with the momentum and direction that it has besides.
struct ChainState {
  std::span<const double> q, p;
  double direction = 1.0;
};

/// A function of a chain's state whose mean and variance in the law of the chain are known.
struct Quantity {
  enum class Of { position, product, below, above, momentum, momentum_square, mixed_product, lifted } of;
  Index i = 0, j = 0;
  double threshold = 0.0;  ///< of below and above
  double mean = 0.0, variance = 0.0;

  [[nodiscard]] double operator()(const ChainState& at) const;
  [[nodiscard]] std::string label() const;
};

/// E q, …, E q⁴ of a coordinate, and what lies beyond two thresholds.
struct Marginal {
  double m1 = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0;
  double low = 0.0, below = 0.0;   ///< P(q < low)
  double high = 0.0, above = 0.0;  ///< P(q > high)
};

struct KnownLaw {
  std::string name{};
  std::string formula{};  ///< what it is, for people
  std::shared_ptr<const Model> model{};
  std::function<void(RandomStream& random, std::span<double> q)> draw{};
  std::vector<Quantity> quantities{};  ///< of q alone
  std::vector<double> second{};        ///< E q_i², of the coordinates that quantities speak of

  [[nodiscard]] Index dim() const { return model->dim(); }
};

/// All of them.
[[nodiscard]] std::vector<KnownLaw> known_laws();
/// Throws InputError for a name that is not among them.
[[nodiscard]] KnownLaw known_law(std::string_view name);

/// What is known of momenta and direction: p standard normal or, in microcanonical motion, uniform on the sphere ‖p‖² = n; the
/// direction fair; all of them independent of q. Where directions are drawn anew each time, the last one is no part of the
/// state: it tells how the chain came to where it is.
[[nodiscard]] std::vector<Quantity> quantities_of_motion(const KnownLaw& law, MotionKind motion,
                                                         DirectionMode direction);

/// A sum over independent chains. The error of its mean comes from the variance that the law has, not from that of the sample:
/// where a sample misses a long tail, its mean and its variance are too small together, and their quotient is far off.
struct Tally {
  std::int64_t count = 0;
  double sum = 0.0;

  void add(double x) {
    sum += x;
    ++count;
  }
  void add(const Tally& more) {
    sum += more.sum;
    count += more.count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  /// How many of its standard errors the mean is away from what it should be.
  [[nodiscard]] double z(const Quantity& of) const;
};

}  // namespace darboux::proofs
