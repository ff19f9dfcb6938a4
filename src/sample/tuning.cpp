#include "sample/tuning.hpp"

#include <utility>

namespace darboux {

std::shared_ptr<const Whitened> whiten(std::shared_ptr<const Model> model, const Tuning& tuning) {
  const Index n = model->dim();
  std::vector<double> center =
      tuning.center.empty() ? std::vector<double>(static_cast<std::size_t>(n), 0.0) : tuning.center;
  StructuredMatrix factor = tuning.factor.dim() == 0 ? StructuredMatrix::identity(n) : tuning.factor;
  return std::make_shared<const Whitened>(std::move(model), std::move(center), std::move(factor));
}

}  // namespace darboux
