#pragma once

#include "darboux/core/batch.hpp"

namespace darboux {

/// Scratch memory of an evaluator: grows to the widest block it has seen, then never allocates again.
class ScratchBatch {
 public:
  [[nodiscard]] Batch get(Index rows, Index lanes) {
    if (rows != memory_.rows() || lanes > memory_.lanes()) memory_ = OwnedBatch(rows, lanes);
    const Batch all = memory_.view();
    return {all.row(0), rows, lanes, all.stride()};
  }

 private:
  OwnedBatch memory_;
};

}  // namespace darboux
