#pragma once

#include <vector>

#include "darboux/model/model.hpp"

namespace darboux {

/// One component of a gradient beside what differences of the log density say it should be.
struct GradientComponent {
  Index point = 0;
  Index coordinate = 0;
  double gradient = 0.0;     ///< as the model says
  double differences = 0.0;  ///< from its log density
  double uncertainty = 0.0;  ///< of the differences: truncation and rounding
  double excess = 0.0;       ///< |gradient − differences| / uncertainty; +∞ where either is not a number
};

struct GradientCheck {
  Index components = 0;                  ///< compared
  Index refused = 0;                     ///< points at which the model gave no finite answer
  GradientComponent worst;               ///< the one with the largest excess
  std::vector<GradientComponent> wrong;  /// all with an excess above 1, worst first
  [[nodiscard]] bool passed() const noexcept { return components > 0 && wrong.empty(); }
};

/// Compares a model's gradient with central differences of its log density, in every coordinate of every point (a lane of
/// `points`, in the model's own coordinates). With D(h) = (f(q + h e_j) − f(q − h e_j))/2h, Richardson's (4 D(h/2) − D(h))/3
/// has an error that is well below |D(h/2) − D(h)|, to which rounding, ε|f|/h, is added; of a few step sizes the one with the
/// smallest uncertainty counts.
[[nodiscard]] GradientCheck check_gradient(const Model& model, ConstBatch points);

}  // namespace darboux
