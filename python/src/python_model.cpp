#include "python_model.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "darboux/core/error.hpp"
#include "darboux/model/lane_evaluator.hpp"

namespace nb = nanobind;

namespace darboux::python {

namespace {

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
  if (type != "float64" && !type.starts_with("int"))
    throw nb::type_error(fmt::format("the function's {} is of type {}: must be float64{}", what, type,
                                     type == "float32"
                                         ? "; convert data and results with .astype(\"float64\"); in JAX, use "
                                           "darboux.from_jax, or jax.config.update(\"jax_enable_x64\", "
                                           "True)"
                                         : "")
                             .c_str());
  Floats out = nb::cast<Floats>(numpy.attr("ascontiguousarray")(array, "float64"));
  std::vector<std::size_t> got;
  for (std::size_t i = 0; i < out.ndim(); ++i) got.push_back(out.shape(i));
  if (shape.empty() ? out.size() != 1 : got != shape)
    throw nb::value_error(fmt::format("the function's {} has shape {}: must be {}", what, in_words(got),
                                      shape.empty() ? "a number" : in_words(shape))
                              .c_str());
  return out;
}

/// Numbers of an object in memory, for as long as this lives; only where they are as the contract wants them.
class Buffer {
 public:
  Buffer(nb::handle object, const std::vector<std::size_t>& shape) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
      PyErr_Clear();
      return;
    }
    is_open_ = true;
    fits_ = view_.itemsize == sizeof(double) && view_.format != nullptr && view_.format[0] == 'd' &&
            view_.format[1] == '\0' && view_.ndim == std::ssize(shape);
    for (std::size_t i = 0; fits_ && i < shape.size(); ++i) fits_ = view_.shape[i] == static_cast<Py_ssize_t>(shape[i]);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (is_open_) PyBuffer_Release(&view_);
  }
  [[nodiscard]] const double* numbers() const noexcept {
    return fits_ ? static_cast<const double*>(view_.buf) : nullptr;
  }

 private:
  Py_buffer view_{};
  bool is_open_ = false, fits_ = false;
};

/// The array that a function is given. Making one costs as much as a call: it is used again where nobody else holds it.
class Argument {
 public:
  Argument(std::size_t rows, std::size_t columns, bool is_point)
      : rows_(rows), columns_(columns), is_point_(is_point) {}

  /// With room for new numbers. The lock is held.
  double* renew() {
    if (!array_.is_valid() || Py_REFCNT(array_.ptr()) != 1) {
      numbers_ = new double[rows_ * columns_];
      const nb::capsule owner(numbers_, [](void* p) noexcept { delete[] static_cast<double*>(p); });
      const std::array<std::size_t, 2> shape{rows_, columns_};
      const std::size_t first = is_point_ ? 1 : 0;
      array_ = nb::cast(nb::ndarray<nb::numpy, double>(numbers_, 2 - first, shape.data() + first, owner));
    }
    return numbers_;
  }
  [[nodiscard]] nb::handle array() const noexcept { return array_; }
  void drop() { array_.reset(); }

 private:
  std::size_t rows_, columns_;
  bool is_point_;
  nb::object array_;
  double* numbers_ = nullptr;
};

class FunctionEvaluator final : public Evaluator {
 public:
  FunctionEvaluator(std::shared_ptr<const Kept> f, Index dim, Index lanes)
      : f_(std::move(f)),
        dim_(dim),
        block_(std::max<Index>(lanes, 1)),
        value_shape_(lanes == 0 ? std::vector<std::size_t>{} : std::vector{at(block_)}),
        gradient_shape_(lanes == 0 ? std::vector{at(dim)} : std::vector{at(block_), at(dim)}),
        argument_(at(block_), at(dim), lanes == 0) {}
  FunctionEvaluator(const FunctionEvaluator&) = delete;
  FunctionEvaluator& operator=(const FunctionEvaluator&) = delete;
  ~FunctionEvaluator() override {
    const nb::gil_scoped_acquire lock;
    argument_.drop();
  }

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(dim_, query, answer);
    const nb::gil_scoped_acquire lock;
    const Index all = query.q.lanes();
    for (Index begin = 0; begin < all; begin += block_) {
      const Index end = std::min(begin + block_, all);
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
  void fill(const Query& query, Index begin, Index end) {
    double* const numbers = argument_.renew();
    for (Index l = 0; l < block_; ++l)
      for (Index j = 0; j < dim_; ++j) numbers[l * dim_ + j] = query.q(j, std::min(begin + l, end - 1));
  }

  void evaluate_block(const Query& query, const Answer& answer, Index begin, Index end) {
    fill(query, begin, end);
    const nb::object result = f_->get()(argument_.array());
    if (!PyTuple_Check(result.ptr()) || PyTuple_Size(result.ptr()) != 2)
      throw nb::type_error(
          fmt::format("the function returned {}: must be a tuple of two things, the log density and its gradient",
                      nb::cast<std::string>(result.type().attr("__name__")))
              .c_str());
    const nb::handle value = PyTuple_GetItem(result.ptr(), 0), gradient = PyTuple_GetItem(result.ptr(), 1);
    if (value_shape_.empty() && PyFloat_Check(value.ptr())) {  // np.float64 is one, too
      const double density = PyFloat_AsDouble(value.ptr());
      with_numbers(gradient, "gradient", gradient_shape_,
                   [&](const double* slopes) { take(query, answer, begin, end, &density, slopes); });
      return;
    }
    with_numbers(value, "log density", value_shape_, [&](const double* densities) {
      with_numbers(gradient, "gradient", gradient_shape_,
                   [&](const double* slopes) { take(query, answer, begin, end, densities, slopes); });
    });
  }

  template <class Use>
  static void with_numbers(nb::handle object, std::string_view what, const std::vector<std::size_t>& shape,
                           const Use& use) {
    if (const Buffer buffer(object, shape); buffer.numbers() != nullptr) return use(buffer.numbers());
    const Floats converted = floats(object, what, shape);
    use(converted.data());
  }

  void take(const Query& query, const Answer& answer, Index begin, Index end, const double* densities,
            const double* slopes) const {
    for (Index lane = begin; lane < end; ++lane) {
      if (!is_on(query.active, lane)) continue;
      const double density = densities[lane - begin];
      answer.status[at(lane)] = std::isfinite(density) ? Status::ok : Status::model_error;
      if (query.value) answer.log_density[at(lane)] = density;
      const double* const own = slopes + (lane - begin) * dim_;
      for (Index j = 0; query.gradient && j < dim_; ++j) answer.gradient(j, lane) = own[j];
    }
  }

  std::shared_ptr<const Kept> f_;
  Index dim_, block_;
  std::vector<std::size_t> value_shape_, gradient_shape_;
  Argument argument_;
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
  [[nodiscard]] bool takes_all_chains() const noexcept { return options_.lanes == all_chains; }
  [[nodiscard]] std::shared_ptr<const Model> for_chains(Index chains) const {
    auto model = std::make_shared<PythonFunctionModel>(*this);
    model->options_.lanes = std::max<Index>(chains, 1);
    return model;
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
        keep_(std::move(options.keep)),
        examine_(std::move(options.examine)) {}

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
      if (f_(q.size(), q.data(), slot, &value, user_) != 0) {
        examine(q);
        throw Reject();
      }
      if (!std::isfinite(value)) throw Reject();
      return value;
    });
  }

 private:
  void examine(std::span<const double> q) const {
    const nb::gil_scoped_acquire lock;
    if (!examine_.get().is_none()) examine_.get()(array_of(std::vector<double>(q.begin(), q.end()), {q.size()}));
  }

  Index dim_;
  CompiledLogDensity f_;
  CompiledExpansion expand_;
  void* user_;
  std::vector<std::string> names_;
  Kept keep_, examine_;
};

void check(Index dim, const std::vector<std::string>& names, bool names_are_of_q) {
  if (dim < 1) throw InputError(fmt::format("dim = {}: must be at least 1", dim));
  if (names_are_of_q && !names.empty() && std::ssize(names) != dim)
    throw InputError(fmt::format("names: {} given, must be {}, one for each coordinate", names.size(), dim));
  std::set<std::string_view> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) throw InputError(fmt::format("names: {} is given twice: names must differ", name));
}

}  // namespace

std::shared_ptr<Model> model_from_function(nb::callable f, PythonModelOptions options) {
  check(options.dim, options.names, true);
  if (options.lanes < all_chains) throw InputError(fmt::format("block = {}: must be at least 1", options.lanes));
  return std::make_shared<PythonFunctionModel>(std::move(f), std::move(options));
}

std::shared_ptr<const Model> for_chains(const std::shared_ptr<const Model>& model, Index chains) {
  const auto* const function = dynamic_cast<const PythonFunctionModel*>(model.get());
  return function != nullptr && function->takes_all_chains() ? function->for_chains(chains) : model;
}

std::shared_ptr<Model> model_from_addresses(CompiledModelOptions options) {
  check(options.dim, options.names, options.expand == 0);
  if (options.log_density == 0) throw InputError("address = 0: must be that of a compiled function");
  return std::make_shared<CompiledModel>(std::move(options));
}

}  // namespace darboux::python
