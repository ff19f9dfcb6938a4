#include "darboux/core/batch.hpp"

#include <algorithm>
#include <cassert>

namespace darboux {

void copy(ConstBatch from, Batch to) {
  assert(from.rows() == to.rows() && from.lanes() == to.lanes());
  for (Index j = 0; j < from.rows(); ++j) std::copy_n(from.row(j), from.lanes(), to.row(j));
}

}  // namespace darboux
