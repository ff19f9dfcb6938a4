#include "darboux/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace darboux {

std::uint64_t RandomStream::bits() noexcept {
  if (used_ == words_.size()) {
    const r123::Philox4x64::key_type key{{key_.seed, key_.chain}};
    const r123::Philox4x64::ctr_type counter{
        {next_block_++, key_.iteration, static_cast<std::uint64_t>(key_.purpose), 0}};
    const auto block = r123::Philox4x64{}(counter, key);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = block[i];
    used_ = 0;
  }
  return words_[used_++];
}

double RandomStream::uniform() noexcept { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

double RandomStream::normal() noexcept {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

void RandomStream::fill_normal(std::span<double> out) noexcept {
  for (double& x : out) x = normal();
}

}  // namespace darboux
