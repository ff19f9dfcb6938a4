#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "darboux/model/model.hpp"

namespace darboux::python {

/// Something of Python that threads without the lock may hold and let go.
class Kept {
 public:
  explicit Kept(nanobind::object object) : object_(std::move(object)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    const nanobind::gil_scoped_acquire lock;
    object_.reset();
  }
  [[nodiscard]] const nanobind::object& get() const noexcept { return object_; }

 private:
  nanobind::object object_;
};

/// A block of as many points as there are chains.
inline constexpr Index all_chains = -1;

/// What a model written in Python says about itself.
struct PythonModelOptions {
  Index dim = 0;
  std::vector<std::string> names{};  ///< q[1], q[2], … when empty
  /// 0: the function takes a point; otherwise a block of so many, always, so that compilers see one shape.
  Index lanes = 0;
};

/// A model from a Python function q ↦ (log density, gradient): of arrays of shape (dim,), or (lanes, dim) for a block of points.
/// Called with the interpreter's lock held, by one thread at a time. What it raises passes through; a non-finite log density is a
/// refused point; anything but float64 of the right shape is a TypeError or ValueError that says what it should be. The array that
/// it is given is used again in the next call, unless the function has kept it.
[[nodiscard]] std::shared_ptr<Model> model_from_function(nanobind::callable f, PythonModelOptions options);

/// The model itself, or where its function takes all chains in a block, one of that size.
[[nodiscard]] std::shared_ptr<const Model> for_chains(const std::shared_ptr<const Model>& model, Index chains);

/// Lets a thread that C++ made take the interpreter's lock again and again without being introduced to the interpreter each time.
class KnownToPython {
 public:
  KnownToPython() : state_(PyGILState_Ensure()), released_(PyEval_SaveThread()) {}
  KnownToPython(const KnownToPython&) = delete;
  KnownToPython& operator=(const KnownToPython&) = delete;
  ~KnownToPython() {
    PyEval_RestoreThread(released_);
    PyGILState_Release(state_);
  }

 private:
  PyGILState_STATE state_;
  PyThreadState* released_;
};

/// The signature of compiled functions, which is nutpie's: 0 where all went well.
using CompiledLogDensity = std::int64_t (*)(std::uint64_t dim, const double* q, double* gradient, double* log_density,
                                            void* user);
using CompiledExpansion = std::int64_t (*)(std::uint64_t dim, std::uint64_t size, const double* q, double* out,
                                           void* user);

/// A model from the address of a compiled function, called without the lock, by several threads at once. `expand` computes what
/// draws report, `names` in number; with the address 0 that is q itself. `keep` lives as long as the model. `examine`, if it is not
/// None, is called with the point where the function failed, with the lock: what it raises ends the run, otherwise the point is refused.
struct CompiledModelOptions {
  Index dim = 0;
  std::uintptr_t log_density = 0, expand = 0, user = 0;
  std::vector<std::string> names{};
  nanobind::object keep{}, examine = nanobind::none();
};
[[nodiscard]] std::shared_ptr<Model> model_from_addresses(CompiledModelOptions options);

}  // namespace darboux::python
