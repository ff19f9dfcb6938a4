#include "draws/draw_sink.hpp"

namespace darboux {

std::string_view name(DrawPhase phase) noexcept { return phase == DrawPhase::warmup ? "warmup" : "sampling"; }

std::string_view name(MetricShape shape) noexcept {
  switch (shape) {
    case MetricShape::unit: return "unit_e";
    case MetricShape::diagonal: return "diag_e";
    case MetricShape::dense: return "dense_e";
  }
  return "unknown";
}

}  // namespace darboux
