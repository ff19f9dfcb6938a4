#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "darboux/core/random.hpp"

/// Breiman's artificial sets twonorm, ringnorm and waveform, as rows y, x1, … of files: README.md has the definitions. Row i is
/// made from the random numbers at its own key, so that a longer set begins with the same rows.
namespace darboux::data {

struct Row {
  int y = 0;
  std::vector<double> x;
};

inline constexpr double shift = 0.4472135954999579;  // 2/√20

/// Two Gaussians with unit covariance, around (a, …, a) for y = 1 and (−a, …, −a) for y = 0.
inline Row twonorm(RandomStream random) {
  Row row{.y = random.uniform() < 0.5 ? 1 : 0, .x = std::vector<double>(20)};
  for (double& x : row.x) x = (row.y == 1 ? shift : -shift) + random.normal();
  return row;
}

/// One Gaussian inside another: covariance 4 around 0 for y = 1, and 1 around (a, …, a) for y = 0.
inline Row ringnorm(RandomStream random) {
  Row row{.y = random.uniform() < 0.5 ? 1 : 0, .x = std::vector<double>(20)};
  for (double& x : row.x) x = row.y == 1 ? 2.0 * random.normal() : shift + random.normal();
  return row;
}

/// Triangles of height 6 that peak at places 7, 11 and 15 of 21: a mixture of two of them, at random weights, and noise. The
/// two that meet in a row of class 0 are the first and second (y = 1); other classes (y = 0) have one of these and the third.
inline Row waveform(RandomStream random) {
  constexpr std::array<std::array<int, 2>, 3> peaks{{{7, 11}, {7, 15}, {11, 15}}};
  const auto triangle = [](int place, int peak) { return std::fmax(6.0 - std::abs(place - peak), 0.0); };
  const auto kind = static_cast<std::size_t>(3.0 * random.uniform());
  const double weight = random.uniform();
  Row row{.y = kind == 0 ? 1 : 0, .x = {}};
  for (int place = 1; place <= 21; ++place)
    row.x.push_back(weight * triangle(place, peaks[kind][0]) + (1.0 - weight) * triangle(place, peaks[kind][1]) +
                    random.normal());
  return row;
}

struct GeneratedSet {
  const char* name;
  std::uint64_t seed;
  Row (*make)(RandomStream random);
};

inline constexpr std::array<GeneratedSet, 3> generated_sets{{{.name = "twonorm", .seed = 1, .make = twonorm},
                                                             {.name = "ringnorm", .seed = 2, .make = ringnorm},
                                                             {.name = "waveform", .seed = 3, .make = waveform}}};

inline std::vector<Row> rows_of(const GeneratedSet& set, std::uint64_t count) {
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < count; ++i)
    rows.push_back(set.make(RandomStream({.seed = set.seed, .purpose = Purpose::data, .iteration = i})));
  return rows;
}

/// The file. Numbers are rounded to six decimals: the last bits of log and cos are not the same on all machines.
inline std::string csv_of(const GeneratedSet& set, std::uint64_t count) {
  const std::vector<Row> rows = rows_of(set, count);
  std::string text = "y";
  for (std::size_t j = 1; j <= rows.front().x.size(); ++j) text += ",x" + std::to_string(j);
  for (const Row& row : rows) {
    text += "\n" + std::to_string(row.y);
    for (const double x : row.x) {
      std::array<char, 32> digits{};
      const double rounded = std::round(x * 1e6) / 1e6 + 0.0;  // + 0.0: not "-0"
      text += ',';
      text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), rounded).ptr);
    }
  }
  return text + "\n";
}

inline constexpr std::uint64_t generated_rows = 400;

}  // namespace darboux::data
