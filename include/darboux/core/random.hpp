#pragma once

// Random numbers that are looked up by key: the same whatever threads and blocks there are.

#include <array>
#include <cstdint>
#include <span>

#include "darboux/core/export.hpp"

namespace darboux {

/// What a random number is for. Numbers for different purposes never share a stream. The values are part of what a seed
/// means: do not renumber them.
enum class Purpose : std::uint64_t {
  momentum = 1,
  acceptance = 2,
  direction = 3,
  copy_offset = 4,
  start = 5,
  structure = 6,
  basis = 7,
  data = 8,
  first_direction = 10,
  first_momentum = 11,
  trajectory_length = 12,
  reverse_check = 13,
  tree_direction = 14,
  tree_choice = 15,
  generated_quantities = 16,
  posterior_predictive = 17
};

/// A place in the table of all random numbers. Numbers are looked up by key, not drawn from a moving state, so that they
/// do not depend on threads, blocks, or where a run was resumed.
struct RandomKey {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::data;
  std::uint64_t chain = 0;
  std::uint64_t iteration = 0;
};

/// The numbers at one key: Philox 4×64 with 10 rounds, key (seed, chain), counter (block, iteration, purpose, 0).
class DARBOUX_API RandomStream {
 public:
  explicit RandomStream(const RandomKey& key) noexcept : key_(key) {}

  std::uint64_t bits() noexcept;
  /// Uniform on the open interval (0, 1): the midpoints of 2^52 equal cells, so neither 0 nor 1 occurs.
  double uniform() noexcept;
  /// Standard normal, by the Box-Muller transform of two uniforms.
  double normal() noexcept;
  void fill_normal(std::span<double> out) noexcept;

 private:
  RandomKey key_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint64_t, 4> words_{};
  std::size_t used_ = 4;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

}  // namespace darboux
