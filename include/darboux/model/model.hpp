#pragma once

// What a model is: derive from Model to sample from a density of your own.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/core/enumeration.hpp"
#include "darboux/core/export.hpp"
#include "darboux/core/random.hpp"
#include "darboux/core/status.hpp"
#include "darboux/core/value_tree.hpp"

namespace darboux {

/// What a caller wants to know about a block of points.
struct Query {
  ConstBatch q;     ///< dim × lanes
  LaneMask active;  ///< lanes whose answer is needed; a model may compute or skip the others
  bool value = true;
  bool gradient = true;
  bool single_precision = false;  ///< a gradient without the value may be computed in single precision
};

/// Where the answer goes. What was not wanted may be empty. In lanes that are not active the status is left as it is, and
/// the numbers are unspecified.
struct Answer {
  std::span<double> log_density;  ///< up to a constant that does not depend on q
  Batch gradient;                 ///< of the log density, dim × lanes
  std::span<Status> status;       ///< `ok`, or `model_error` where the model refuses the point
};

/// Throws InputError unless query and answer have the shapes that a model of this dimension needs.
DARBOUX_API void check_shapes(Index dim, const Query& query, const Answer& answer);

/// Marks the active lanes as ok: what an evaluator does that never refuses a point.
DARBOUX_API void set_ok(LaneMask active, std::span<Status> status);

/// Computes a model's log density and gradient. Owns scratch memory, so each worker has its own.
class DARBOUX_API Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Never compares or mixes lanes. Throwing is fatal: it stops the run. Refusing a point is a Status.
  virtual void evaluate(const Query& query, const Answer& answer) = 0;
};

/// What a model says of each of its observations at a draw, where its likelihood is a product over them: what comparisons of
/// models by cross-validation and checks of predictions are made from. Owns scratch memory, so each worker has its own.
class DARBOUX_API Observations {
 public:
  virtual ~Observations() = default;
  [[nodiscard]] virtual Index size() const noexcept = 0;
  /// y itself, size() numbers, for those who compare it with predictions. By default unknown: none.
  [[nodiscard]] virtual std::vector<double> observed() const { return {}; }
  /// out[i] = log p(y_i | draw), with all its constants; `draw` has the values that go with Model::names().
  virtual void log_likelihood(std::span<const double> draw, std::span<double> out) = 0;
  /// out[i] = a draw from p(· | draw), what might have been observed in place of y_i. It depends on its arguments alone.
  virtual void predict(std::span<const double> draw, RandomStream& random, std::span<double> out) = 0;
};

/// How chains find their starting points (start.hpp).
enum class StartMethod : std::uint8_t {
  uniform,  ///< every coordinate uniform on (−2, 2)
  prior,    ///< draws from the model's prior
  mode,     ///< spread around the highest of the modes that many short searches find
  paths     ///< spread by weight over what several optimisation paths find
};
template <>
inline constexpr auto names_of<StartMethod> = std::to_array<Named<StartMethod>>({{StartMethod::uniform, "uniform"},
                                                                                 {StartMethod::prior, "prior"},
                                                                                 {StartMethod::mode, "mode"},
                                                                                 {StartMethod::paths, "paths"}});

struct ModelTraits {
  Index preferred_lanes = 16;               ///< chains per block at which a gradient is cheapest
  Index least_lanes = 8;                    ///< and those at which each one's still costs little more
  int max_concurrency = 0;                  ///< how many evaluators may run at once; 0: no limit
  bool log_concave = false;                 ///< known to be: then implicit equations have one root only
  StartMethod start = StartMethod::paths;   ///< what suits the model when nothing else is asked for
  bool single_precision_gradients = false;  ///< there are such: see Query
};

/// Identifies a draw, for models whose output itself needs random numbers.
struct DrawKey {
  std::uint64_t seed = 0;
  std::uint64_t chain = 0;
  std::uint64_t iteration = 0;
};

/// Something that is worth knowing about a model beside its name, as it goes into a run's manifest, and how to tell people.
struct ModelFact {
  std::string key;
  ValueTree value;
  std::string note{};  ///< one line, with what to do if it is not what was meant; empty: nothing to tell
};

/// An array whose entries are called by something else than numbers, and its axis: coefficients by the columns that they belong to.
struct NamedAxis {
  std::string array;
  std::string axis;
};

/// Data of a model, an array, as they go beside its draws.
struct ModelData {
  struct Axis {
    std::string name;
    Index size = 0;
    std::vector<std::string> labels{};  ///< 0, 1, … if empty
  };
  std::string name;
  bool observed = true;  ///< what is modelled; otherwise what it is given
  bool whole = false;    ///< all are whole numbers
  std::vector<Axis> axes{};
  std::vector<double> values{};  ///< the last index moves fastest
};

/// A target distribution on Rⁿ, immutable and shared by all workers.
class DARBOUX_API Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual Index dim() const noexcept = 0;
  [[nodiscard]] virtual ModelTraits traits() const noexcept { return {}; }
  /// What it is made of: choices that were made for the user, data that were read. By default nothing.
  [[nodiscard]] virtual std::vector<ModelFact> describe() const { return {}; }
  /// What users should hear after a run, in sentences: points that it refused, and why. By default nothing.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
  /// Names of what a draw reports: parameters in natural units, then derived quantities. By default q[1], …, q[n].
  [[nodiscard]] virtual std::vector<std::string> names() const;
  /// Where all of names() are entries of one array by other names than its indices: which. By default none: theta[1], theta[2], …
  /// are an array theta.
  [[nodiscard]] virtual std::optional<NamedAxis> named_axis() const { return std::nullopt; }
  /// What there is to keep beside draws. By default nothing.
  [[nodiscard]] virtual std::vector<ModelData> kept_data() const { return {}; }
  /// How many of names() are the parameters themselves, from which unconstrain finds the way back. By default dim().
  [[nodiscard]] virtual Index natural_size() const { return dim(); }
  /// The values that go with names(). By default q itself.
  virtual void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const;
  /// The point at which constrain reports `natural` as its first natural_size() values, for starting points in natural units.
  /// By default `natural` itself. Throws InputError where there is none.
  virtual void unconstrain(std::span<const double> natural, std::span<double> q) const;
  /// Fills q with a draw from the prior and says true; says false if the model has no prior to draw from.
  [[nodiscard]] virtual bool draw_prior(const RandomKey& key, std::span<double> q) const;
  [[nodiscard]] virtual std::unique_ptr<Evaluator> make_evaluator() const = 0;
  /// By default none: the model says nothing of single observations.
  [[nodiscard]] virtual std::unique_ptr<Observations> make_observations() const { return nullptr; }
};

}  // namespace darboux
