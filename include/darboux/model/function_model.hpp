#pragma once

// A model from a function that computes log density and gradient.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/core/export.hpp"
#include "darboux/model/lane_evaluator.hpp"
#include "darboux/model/model.hpp"
#include "darboux/model/recorded.hpp"

namespace darboux {

/// Returns the log density at q and, unless `gradient` is empty, fills in its gradient. May throw Reject.
using LogDensityFunction = std::function<double(std::span<const double> q, std::span<double> gradient)>;

/// What draws report in place of the coordinates that chains move in; see Model for each function. parameters.hpp makes one.
class DARBOUX_API Coordinates {
 public:
  virtual ~Coordinates() = default;
  [[nodiscard]] virtual Index dim() const = 0;
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  virtual void constrain(std::span<const double> q, std::span<double> out) const = 0;
  virtual void unconstrain(std::span<const double> natural, std::span<double> q) const = 0;
};

class TapeLibrary;

struct FunctionModelOptions {
  std::vector<std::string> names{};                  ///< of the coordinates; q[1], …, q[n] when empty
  ModelTraits traits{.least_lanes = 1};              ///< every chain is a call of its own
  std::shared_ptr<const Coordinates> coordinates{};  ///< with names of their own; null: draws report q
};

/// A model from a C++ callable. Each worker calls its own copy; what the copies share (by reference or pointer) must be
/// safe to use from several threads, or traits.max_concurrency be 1. Values that are not finite are passed on as they are.
/// When only the log density is at hand, differentiate.hpp supplies the gradient.
class DARBOUX_API FunctionModel final : public Model {
 public:
  FunctionModel(Index dim, LogDensityFunction f, FunctionModelOptions options = {});
  /// From a log density alone: recorded, and replayed forwards and backwards with chains as the places of vectors. Where it takes
  /// another way at every point, in few dimensions, `forward` is called instead, if there is one: the same function with its
  /// gradient. See differentiate(), which supplies it.
  [[nodiscard]] static FunctionModel recorded(Index dim, RecordableFunction f, LogDensityFunction forward = {},
                                              FunctionModelOptions options = {});

  [[nodiscard]] Index dim() const noexcept override { return dim_; }
  [[nodiscard]] ModelTraits traits() const noexcept override { return options_.traits; }
  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] Index natural_size() const override;
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override;
  void unconstrain(std::span<const double> natural, std::span<double> q) const override;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  FunctionModel(Index dim, FunctionModelOptions options);

  Index dim_;
  LogDensityFunction f_;  // one of these two is there
  std::shared_ptr<const RecordableFunction> recordable_;
  std::shared_ptr<TapeLibrary> tapes_;
  FunctionModelOptions options_;
};

}  // namespace darboux
