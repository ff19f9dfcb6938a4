#include "darboux/core/status.hpp"

namespace darboux {

std::string_view name(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::diverged: return "diverged";
    case Status::not_converged: return "not_converged";
    case Status::not_reversible: return "not_reversible";
    case Status::model_error: return "model_error";
  }
  return "unknown";
}

}  // namespace darboux
