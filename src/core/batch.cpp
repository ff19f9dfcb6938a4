#include "darboux/core/batch.hpp"

#include <algorithm>
#include <cassert>

namespace darboux {

void copy(ConstBatch from, Batch to) {
  assert(from.rows() == to.rows() && from.lanes() == to.lanes());
  const bool compact = from.lanes() == from.stride() && to.lanes() == to.stride();
  if (compact) {
    std::copy_n(from.row(0), from.rows() * from.lanes(), to.row(0));
    return;
  }
  for (Index j = 0; j < from.rows(); ++j) std::copy_n(from.row(j), from.lanes(), to.row(j));
}

}  // namespace darboux
