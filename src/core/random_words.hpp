#pragma once

#include <cstdint>
#include <span>

#include "darboux/core/random.hpp"

namespace darboux {

/// The first random bits at a key, as RandomStream::bits() has them one after the other: even ones, then odd ones. Both are as many, a
/// multiple of two.
void first_words(const RandomKey& key, std::span<std::uint64_t> even, std::span<std::uint64_t> odd) noexcept;

}  // namespace darboux
