#include "linalg/autocovariance.hpp"

#include <algorithm>
#include <complex>
#include <numeric>
#include <string>
#include <unsupported/Eigen/FFT>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

/// Eigen's transforms count with int, and twice the length must fit.
constexpr std::size_t max_length = std::size_t{1} << 28;

/// The smallest 4·2^i·3^j·5^k that is at least n: Eigen (kissfft) is fast for these factors, and packs a real series
/// into a complex one of half the length if 4 divides it.
std::size_t fast_length(std::size_t n) {
  std::size_t best = 4;
  while (best < n) best *= 2;
  for (std::size_t fives = 4; fives < best; fives *= 5) {
    for (std::size_t threes = fives; threes < best; threes *= 3) {
      std::size_t candidate = threes;
      while (candidate < n) candidate *= 2;
      best = std::min(best, candidate);
    }
  }
  return best;
}

/// The plain sum loses digits when the mean is large; the mean of what is left after subtracting it does not.
double accurate_mean(std::span<const double> x) {
  const auto n = static_cast<double>(x.size());
  const double rough = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double rest = 0.0;
  for (const double value : x) rest += value - rough;
  return rough + rest / n;
}

}  // namespace

/// The spectrum of a real series is needed in one direction only: the power spectrum is real and even, so that the
/// forward transform also leads back.
struct Autocovariance::Transform {
  explicit Transform(std::size_t series_length)
      : padded(fast_length(2 * series_length)), signal(padded), spectrum(padded / 2 + 1), power(padded / 2 + 1) {
    fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  }
  void forward() { fft.fwd(spectrum.data(), signal.data(), static_cast<Eigen::Index>(padded)); }

  void clear() { std::fill(power.begin(), power.end(), 0.0); }
  void add(std::span<const double> x, double mean) {
    const auto end = std::transform(x.begin(), x.end(), signal.begin(), [mean](double value) { return value - mean; });
    std::fill(end, signal.end(), 0.0);
    forward();
    for (std::size_t k = 0; k < power.size(); ++k) power[k] += std::norm(spectrum[k]);
  }
  [[nodiscard]] std::vector<double> back(std::size_t length, std::size_t count) {
    std::copy(power.begin(), power.end(), signal.begin());
    for (std::size_t k = power.size(); k < padded; ++k) signal[k] = power[padded - k];
    forward();
    const double scale = 1.0 / (static_cast<double>(padded) * static_cast<double>(length * count));
    std::vector<double> result(length);
    for (std::size_t t = 0; t < length; ++t) result[t] = scale * spectrum[t].real();
    return result;
  }

  /// Twice the length, so that the two ends of a series do not meet.
  std::size_t padded;
  Eigen::FFT<double> fft;
  std::vector<double> signal;
  std::vector<std::complex<double>> spectrum;
  std::vector<double> power;
};

Autocovariance::Autocovariance(std::size_t length) : length_(length) {
  if (length > max_length)
    throw InputError("autocovariance: " + std::to_string(length) + " draws in a chain; at most " +
                     std::to_string(max_length));
  if (length > 0) transform_ = std::make_unique<Transform>(length);
}

Autocovariance::~Autocovariance() = default;
Autocovariance::Autocovariance(Autocovariance&&) noexcept = default;
Autocovariance& Autocovariance::operator=(Autocovariance&&) noexcept = default;

void Autocovariance::require_length(std::span<const double> series) const {
  if (series.size() != length_)
    throw InputError("autocovariance: a series of " + std::to_string(series.size()) + " values; expected " +
                     std::to_string(length_));
}

std::vector<double> Autocovariance::mean_over(std::span<const std::span<const double>> series) {
  if (series.empty()) throw InputError("autocovariance: there is no series");
  for (const auto x : series) require_length(x);
  if (length_ == 0) return {};
  transform_->clear();
  for (const auto x : series) transform_->add(x, accurate_mean(x));
  return transform_->back(length_, series.size());
}

std::vector<double> Autocovariance::about(double mean, std::span<const double> series) {
  require_length(series);
  if (length_ == 0) return {};
  transform_->clear();
  transform_->add(series, mean);
  return transform_->back(length_, 1);
}

std::vector<double> autocovariance(std::span<const double> series) {
  return Autocovariance(series.size()).mean_over({&series, 1});
}

}  // namespace darboux
