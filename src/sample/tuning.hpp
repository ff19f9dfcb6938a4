#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/whitened.hpp"

namespace darboux {

/// All that warm-up finds out, as a value: given back to a later run, it makes warm-up unnecessary.
struct Tuning {
  double step_size = 0.1;
  double steps = 10.0;         ///< mean number of steps of a trajectory; not used by NUTS
  std::vector<double> center;  ///< μ of the preconditioner q = μ + L x; empty: 0
  StructuredMatrix factor;     ///< L; empty: the identity
  Index metric_draws = 0;      ///< that L was estimated from
  double copy_spread = 0.2;    ///< σ of `doubled`
  double binding_angle = 0.5;  ///< θ of `doubled`

  bool operator==(const Tuning&) const = default;
};

/// The model in the coordinates of a tuning.
[[nodiscard]] std::shared_ptr<const Whitened> whiten(std::shared_ptr<const Model> model, const Tuning& tuning);

}  // namespace darboux
