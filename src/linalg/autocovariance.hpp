#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace darboux {

/// Autocovariances of series of one length n, at all lags, by fast Fourier transforms:
///   c(t) = (1/n) Σ_{i < n − t} (x_i − x̄)(x_{i+t} − x̄),   t = 0 … n − 1.
/// Dividing by n, not n − t, keeps the sequence positive definite, which Geyer's truncation rule relies on. The object
/// holds the tables of the transform, which cost about as much as a transform does: keep one for series of equal length.
class Autocovariance {
 public:
  explicit Autocovariance(std::size_t length);
  ~Autocovariance();
  Autocovariance(Autocovariance&&) noexcept;
  Autocovariance& operator=(Autocovariance&&) noexcept;

  /// The mean over the series of their autocovariances, each about its own mean: spectra are added before the one
  /// transform back. All series must have the length given before, and there must be at least one.
  [[nodiscard]] std::vector<double> mean_over(std::span<const std::span<const double>> series);
  /// Of one series about a mean that is known: c(t) = (1/n) Σ_{i < n − t} (x_i − μ)(x_{i+t} − μ).
  [[nodiscard]] std::vector<double> about(double mean, std::span<const double> series);

 private:
  struct Transform;
  void require_length(std::span<const double> series) const;

  std::size_t length_;
  std::unique_ptr<Transform> transform_;
};

/// Of one series.
[[nodiscard]] std::vector<double> autocovariance(std::span<const double> series);

}  // namespace darboux
