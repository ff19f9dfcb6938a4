#include "integrate/traits.hpp"

#include <fmt/format.h>

#include <cmath>

#include "darboux/core/error.hpp"

namespace darboux {

void require_zero_block(std::string_view integrator, const StructuredMatrix& block, std::string_view block_name,
                        std::string_view alternatives) {
  if (block.is_zero()) return;
  Index row = 0, col = 0;
  for (Index i = 0; i < block.dim(); ++i)
    for (Index j = 0; j < block.dim(); ++j)
      if (std::abs(block(i, j)) > std::abs(block(row, col))) row = i, col = j;
  throw StructureError(fmt::format("{} needs a structure with {} = 0, but {}({},{}) = {}; use {} for this structure",
                                   integrator, block_name, block_name, row + 1, col + 1, block(row, col),
                                   alternatives));
}

}  // namespace darboux
