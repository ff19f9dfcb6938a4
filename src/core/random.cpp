#include "darboux/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include "core/random_words.hpp"

namespace darboux {

namespace {

r123::Philox4x64::ctr_type words_of(const RandomKey& key, std::uint64_t block) noexcept {
  return r123::Philox4x64{}({{block, key.iteration, static_cast<std::uint64_t>(key.purpose), 0}},
                            {{key.seed, key.chain}});
}

}  // namespace

void first_words(const RandomKey& key, std::span<std::uint64_t> even, std::span<std::uint64_t> odd) noexcept {
  for (std::size_t i = 0; i < even.size(); i += 2) {
    const auto block = words_of(key, i / 2);
    even[i] = block[0];
    odd[i] = block[1];
    even[i + 1] = block[2];
    odd[i + 1] = block[3];
  }
}

std::uint64_t RandomStream::bits() noexcept {
  if (used_ == words_.size()) {
    const auto block = words_of(key_, next_block_++);
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
