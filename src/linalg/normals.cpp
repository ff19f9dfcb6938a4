#include "linalg/normals.hpp"

#include <cstdint>
#include <vector>

#include "core/random_words.hpp"
#include "linalg/normal_kernel.hpp"

namespace darboux {

void mix_with_normals(const RandomKey& key, double keep, double renew, Batch x, Index lane) {
  // A thread's own memory: it grows to what is needed, then never allocates again.
  thread_local std::vector<std::uint64_t> of_radius, of_angle;
  thread_local std::vector<double> cosines, sines;
  const std::size_t pairs = (at(x.rows() + 1) / 2 + normals_together - 1) / normals_together * normals_together;
  for (auto* words : {&of_radius, &of_angle})
    if (words->size() < pairs) words->resize(pairs);
  for (auto* numbers : {&cosines, &sines})
    if (numbers->size() < pairs) numbers->resize(pairs);
  first_words(key, {of_radius.data(), pairs}, {of_angle.data(), pairs});
  DARBOUX_KERNEL(normals)
  ({.of_radius = of_radius.data(),
    .of_angle = of_angle.data(),
    .cosines = cosines.data(),
    .sines = sines.data(),
    .pairs = pairs});
  const auto mix = [&](Index j, double normal) { x(j, lane) = keep * x(j, lane) + renew * normal; };
  for (Index j = 0; j + 1 < x.rows(); j += 2) {
    mix(j, cosines[at(j / 2)]);
    mix(j + 1, sines[at(j / 2)]);
  }
  if (x.rows() % 2 != 0) mix(x.rows() - 1, cosines[at(x.rows() / 2)]);
}

}  // namespace darboux
