#include "python_model.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace nb = nanobind;

namespace darboux::python {

namespace {

using Floats = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// Something of Python that threads without the lock may hold and let go.
class Kept {
 public:
  explicit Kept(nb::object object) : object_(std::move(object)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    const nb::gil_scoped_acquire lock;
    object_.reset();
  }
  [[nodiscard]] const nb::object& get() const noexcept { return object_; }

 private:
  nb::object object_;
};

/// An array as the contract wants it, or an error that says what came instead.
Floats floats(nb::handle value, std::string_view what, const std::vector<std::size_t>& shape) {
  const auto in_words = [](const auto& sizes) {
    std::string text;
    for (const auto size : sizes) text += fmt::format("{}{}", text.empty() ? "" : ", ", size);
    return fmt::format("({}{})", text, sizes.size() == 1 ? "," : "");
  };
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(value);  // what is an array of that kind already is not copied
  const auto type = nb::cast<std::string>(array.attr("dtype").attr("name"));
  if (type != "float64")
    throw nb::type_error(fmt::format("the function's {} is of type {}: must be float64{}", what, type,
                                     type == "float32" ? "; in JAX, enable it first: "
                                                         "jax.config.update(\"jax_enable_x64\", True)"
                                                       : "")
                             .c_str());
  Floats out = nb::cast<Floats>(numpy.attr("ascontiguousarray")(array));
  std::vector<std::size_t> got;
  for (std::size_t i = 0; i < out.ndim(); ++i) got.push_back(out.shape(i));
  if (shape.empty() ? out.size() != 1 : got != shape)
    throw nb::value_error(fmt::format("the function's {} has shape {}: must be {}", what, in_words(got),
                                      shape.empty() ? "a number" : in_words(shape))
                              .c_str());
  return out;
}

class FunctionEvaluator final : public Evaluator {
 public:
  FunctionEvaluator(std::shared_ptr<const Kept> f, Index dim, Index lanes)
      : f_(std::move(f)), dim_(dim), lanes_(lanes) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(dim_, query, answer);
    const nb::gil_scoped_acquire lock;
    const Index all = query.q.lanes(), block = std::max<Index>(lanes_, 1);
    for (Index begin = 0; begin < all; begin += block) {
      const Index end = std::min(begin + block, all);
      if (any_on(query.active, begin, end)) evaluate_block(query, answer, begin, end);
    }
  }

 private:
  static bool any_on(LaneMask active, Index begin, Index end) {
    for (Index l = begin; l < end; ++l)
      if (is_on(active, l)) return true;
    return false;
  }

  /// The last lane is repeated to fill the block.
  void evaluate_block(const Query& query, const Answer& answer, Index begin, Index end) {
    const std::size_t rows = at(std::max<Index>(lanes_, 1)), n = at(dim_);
    auto* numbers = new double[rows * n];
    const nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    for (std::size_t l = 0; l < rows; ++l)
      for (Index j = 0; j < dim_; ++j)
        numbers[l * n + at(j)] = query.q(j, std::min(begin + static_cast<Index>(l), end - 1));
    const std::vector<std::size_t> point{n}, points{rows, n}, one{}, many{rows};
    const auto& shape = lanes_ == 0 ? point : points;
    const nb::object q = nb::cast(nb::ndarray<nb::numpy, double>(numbers, shape.size(), shape.data(), owner));
    const nb::object result = f_->get()(q);
    if (!nb::isinstance<nb::tuple>(result) || nb::len(result) != 2)
      throw nb::type_error("the function must return two things, the log density and its gradient");
    const Floats value = floats(result[0], "log density", lanes_ == 0 ? one : many);
    const Floats gradient = floats(result[1], "gradient", shape);
    for (Index lane = begin; lane < end; ++lane) {
      if (!is_on(query.active, lane)) continue;
      const std::size_t row = at(lane - begin);
      const double density = value.data()[row];
      answer.status[at(lane)] = std::isfinite(density) ? Status::ok : Status::model_error;
      if (query.value) answer.log_density[at(lane)] = density;
      for (Index j = 0; query.gradient && j < dim_; ++j) answer.gradient(j, lane) = gradient.data()[row * n + at(j)];
    }
  }

  std::shared_ptr<const Kept> f_;
  Index dim_, lanes_;
};

class PythonFunctionModel final : public Model {
 public:
  PythonFunctionModel(nb::callable f, PythonModelOptions options)
      : f_(std::make_shared<const Kept>(std::move(f))), options_(std::move(options)) {}

  [[nodiscard]] Index dim() const noexcept override { return options_.dim; }
  [[nodiscard]] ModelTraits traits() const noexcept override {
    const Index lanes = std::max<Index>(options_.lanes, 1);
    return {.preferred_lanes = lanes, .least_lanes = lanes, .max_concurrency = 1};
  }
  [[nodiscard]] std::vector<std::string> names() const override {
    return options_.names.empty() ? Model::names() : options_.names;
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override {
    return std::make_unique<FunctionEvaluator>(f_, options_.dim, options_.lanes);
  }

 private:
  std::shared_ptr<const Kept> f_;
  PythonModelOptions options_;
};

class CompiledModel final : public Model {
 public:
  explicit CompiledModel(CompiledModelOptions options)
      : dim_(options.dim),
        f_(reinterpret_cast<CompiledLogDensity>(options.log_density)),
        expand_(reinterpret_cast<CompiledExpansion>(options.expand)),
        user_(reinterpret_cast<void*>(options.user)),
        names_(std::move(options.names)),
        keep_(std::move(options.keep)) {}

  [[nodiscard]] Index dim() const noexcept override { return dim_; }
  [[nodiscard]] ModelTraits traits() const noexcept override { return {.least_lanes = 1}; }
  [[nodiscard]] std::vector<std::string> names() const override { return names_.empty() ? Model::names() : names_; }
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override {
    if (expand_ == nullptr) return Model::constrain(q, key, out);
    if (const std::int64_t failed = expand_(q.size(), out.size(), q.data(), out.data(), user_); failed != 0)
      throw Error(fmt::format("the function that expands a draw failed, with {}", failed));
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override {
    return evaluate_by_lane(dim_, [this, unwanted = std::vector<double>(at(dim_))](std::span<const double> q,
                                                                                   std::span<double> gradient) mutable {
      double value = 0.0;
      double* slot = gradient.empty() ? unwanted.data() : gradient.data();
      if (f_(q.size(), q.data(), slot, &value, user_) != 0 || !std::isfinite(value)) throw Reject();
      return value;
    });
  }

 private:
  Index dim_;
  CompiledLogDensity f_;
  CompiledExpansion expand_;
  void* user_;
  std::vector<std::string> names_;
  Kept keep_;
};

void check(Index dim, const std::vector<std::string>& names, bool names_are_of_q) {
  if (dim < 1) throw InputError(fmt::format("dim = {}: must be at least 1", dim));
  if (names_are_of_q && !names.empty() && std::ssize(names) != dim)
    throw InputError(fmt::format("names: {} given, must be {}, one for each coordinate", names.size(), dim));
}

}  // namespace

std::shared_ptr<Model> model_from_function(nb::callable f, PythonModelOptions options) {
  check(options.dim, options.names, true);
  return std::make_shared<PythonFunctionModel>(std::move(f), std::move(options));
}

std::shared_ptr<Model> model_from_addresses(CompiledModelOptions options) {
  check(options.dim, options.names, options.expand == 0);
  if (options.log_density == 0) throw InputError("address = 0: must be that of a compiled function");
  return std::make_shared<CompiledModel>(std::move(options));
}

}  // namespace darboux::python
