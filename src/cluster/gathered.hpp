#pragma once

#include <iterator>
#include <vector>

#include "cluster/group.hpp"
#include "core/archive.hpp"

namespace darboux {

/// The entries that every process has, in the order of ranks.
template <class T>
[[nodiscard]] std::vector<T> gathered(Group& group, std::vector<T> mine) {
  if (group.is_alone()) return mine;
  std::vector<T> all;
  for (const std::string& part : group.gather(bytes_of(mine))) {
    std::vector<T> theirs;
    read_bytes(part, theirs);
    all.insert(all.end(), std::make_move_iterator(theirs.begin()), std::make_move_iterator(theirs.end()));
  }
  return all;
}

}  // namespace darboux
