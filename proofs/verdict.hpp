#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// What is made of many tests at once.
namespace darboux::proofs {

/// The chance that all tests together raise a false alarm.
inline constexpr double false_alarm = 0.01;

/// P(|N| ≥ |z|).
[[nodiscard]] double p_value(double z);
/// Holm's correction: the smallest level at which each would be rejected, given all of them, in their order.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);
/// |z| from which the first of so many tests is rejected.
[[nodiscard]] double critical_z(std::size_t tests);
/// The smallest bias, in standard deviations of the quantity, that a test of so many independent draws rejects with probability
/// 0.9, among so many tests.
[[nodiscard]] double visible_bias(double draws, std::size_t tests);

/// A seed from words: cells are independent of each other, and each can be repeated alone.
[[nodiscard]] std::uint64_t seed_of(std::uint64_t seed, std::string_view words);

}  // namespace darboux::proofs
