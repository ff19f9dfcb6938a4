#pragma once

// Parameters with names and constraints, for log densities that are written in terms of them.
//
//     const Parameters parameters(parameter("mu"), parameter("tau", positive), parameter("theta", 8));
//     const auto model = differentiate(parameters, [=](const auto& mu, const auto& tau, const auto& theta) { … });
//
// Chains move in unconstrained coordinates y, and draws report the parameters x(y). The log density of y is that of x plus
// log |det ∂x/∂y|, which is added by itself. The maps are those of Stan's reference manual (chapter "Constraint transforms").

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "darboux/core/export.hpp"
#include "darboux/model/differentiate.hpp"
#include "darboux/model/function_model.hpp"
#include "darboux/model/functions.hpp"

namespace darboux {

// Constraints of one number: constrain() returns x and adds log |dx/dy|; unconstrain() is the way back and throws InputError.

/// x = y.
struct Unconstrained {
  template <class Number>
  [[nodiscard]] Number constrain(const Number& y, Number& /*log_jacobian*/) const {
    return y;
  }
  [[nodiscard]] DARBOUX_API double unconstrain(std::string_view name, double x) const;
};

/// x = bound + eʸ, log |dx/dy| = y.
struct LowerBound {
  double bound = 0.0;
  template <class Number>
  [[nodiscard]] Number constrain(const Number& y, Number& log_jacobian) const {
    using std::exp;
    log_jacobian += y;
    return bound + exp(y);
  }
  [[nodiscard]] DARBOUX_API double unconstrain(std::string_view name, double x) const;
};

/// x = bound − eʸ, log |dx/dy| = y.
struct UpperBound {
  double bound = 0.0;
  template <class Number>
  [[nodiscard]] Number constrain(const Number& y, Number& log_jacobian) const {
    using std::exp;
    log_jacobian += y;
    return bound - exp(y);
  }
  [[nodiscard]] DARBOUX_API double unconstrain(std::string_view name, double x) const;
};

/// x = low + (high − low) σ(y), dx/dy = (high − low) σ(y) σ(−y), where log σ(−y) = log σ(y) − y.
struct Interval {
  double low = 0.0, high = 1.0;
  template <class Number>
  [[nodiscard]] Number constrain(const Number& y, Number& log_jacobian) const {
    log_jacobian += std::log(high - low) + 2.0 * log_inv_logit(y) - y;
    return low + (high - low) * inv_logit(y);
  }
  [[nodiscard]] DARBOUX_API double unconstrain(std::string_view name, double x) const;
};

inline constexpr LowerBound positive{};
[[nodiscard]] constexpr LowerBound at_least(double bound) { return {bound}; }
[[nodiscard]] constexpr UpperBound at_most(double bound) { return {bound}; }
/// Throws InputError unless low < high.
[[nodiscard]] DARBOUX_API Interval between(double low, double high);

/// The entries of a square matrix, counted from 0.
template <class Number>
class Square {
 public:
  explicit Square(std::size_t size) : size_(size), entries_(size * size, Number(0.0)) {}
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Number& operator()(std::size_t i, std::size_t j) { return entries_[i + j * size_]; }
  [[nodiscard]] const Number& operator()(std::size_t i, std::size_t j) const { return entries_[i + j * size_]; }
  [[nodiscard]] std::span<const Number> by_columns() const noexcept { return entries_; }

 private:
  std::size_t size_;
  std::vector<Number> entries_;
};

// Constraints of several numbers together. `size` is that of the parameter, free_size(size) how many coordinates y it has.

/// x_k ≥ 0, Σ x_k = 1, by breaking a stick of length 1: with z_k = σ(y_k − log(K − k)), x_k = z_k s_k and s_{k+1} = (1 − z_k) s_k,
/// so that y = 0 is x = 1/K. log |det| = Σ_{k<K} log(z_k (1 − z_k) s_k). All in logarithms, so that no small x_k is lost.
struct Simplex {
  [[nodiscard]] static std::size_t free_size(std::size_t size) { return size - 1; }
  template <class Number>
  [[nodiscard]] std::vector<Number> constrain(std::span<const Number> y, std::size_t size, Number& log_jacobian) const {
    using std::exp, std::log;
    std::vector<Number> x;
    Number log_stick = 0.0;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const Number moved = y[k] - log(static_cast<double>(size - 1 - k));
      const Number log_z = log_inv_logit(moved), log_rest = log_z - moved;
      x.push_back(exp(log_stick + log_z));
      log_jacobian += log_stick + log_z + log_rest;
      log_stick += log_rest;
    }
    x.push_back(exp(log_stick));
    return x;
  }
  DARBOUX_API void unconstrain(std::string_view name, std::span<const double> x, std::span<double> y) const;
};

/// x_1 = y_1, x_k = x_{k−1} + e^{y_k}; log |det| = Σ_{k>1} y_k.
struct Ordered {
  [[nodiscard]] static std::size_t free_size(std::size_t size) { return size; }
  template <class Number>
  [[nodiscard]] std::vector<Number> constrain(std::span<const Number> y, std::size_t /*size*/,
                                              Number& log_jacobian) const {
    using std::exp;
    std::vector<Number> x{y[0]};
    for (const Number& step : y.subspan(1)) {
      x.push_back(x.back() + exp(step));
      log_jacobian += step;
    }
    return x;
  }
  DARBOUX_API void unconstrain(std::string_view name, std::span<const double> x, std::span<double> y) const;
};

/// The same with x_1 = e^{y_1}; log |det| = Σ y_k.
struct PositiveOrdered {
  [[nodiscard]] static std::size_t free_size(std::size_t size) { return size; }
  template <class Number>
  [[nodiscard]] std::vector<Number> constrain(std::span<const Number> y, std::size_t /*size*/,
                                              Number& log_jacobian) const {
    using std::exp;
    std::vector<Number> x;
    for (const Number& step : y) {
      x.push_back(x.empty() ? exp(step) : x.back() + exp(step));
      log_jacobian += step;
    }
    return x;
  }
  DARBOUX_API void unconstrain(std::string_view name, std::span<const double> x, std::span<double> y) const;
};

/// The Cholesky factor L of a correlation matrix, lower triangular with rows of length 1 and a positive diagonal, from canonical
/// partial correlations z = tanh y, row by row (Lewandowski, Kurowicka and Joe 2009): L_ij = z_ij √r_ij, L_ii = √r_ii with
/// r_i1 = 1 and r_i,j+1 = (1 − z_ij²) r_ij; log |det| = Σ_{j<i} log(1 − z_ij²) + ½ log r_ij. Here 1 − z² = 4 σ(2y) σ(−2y).
struct CholeskyCorrelation {
  [[nodiscard]] static std::size_t free_size(std::size_t size) { return size * (size - 1) / 2; }
  template <class Number>
  [[nodiscard]] Square<Number> constrain(std::span<const Number> y, std::size_t size, Number& log_jacobian) const {
    using std::exp, std::tanh;
    Square<Number> L(size);
    std::size_t next = 0;
    for (std::size_t i = 0; i < size; ++i) {
      Number log_rest = 0.0;
      for (std::size_t j = 0; j < i; ++j, ++next) {
        const Number log_factor = 2.0 * (log_inv_logit(2.0 * y[next]) - y[next]) + 2.0 * std::numbers::ln2;
        L(i, j) = tanh(y[next]) * exp(0.5 * log_rest);
        log_jacobian += log_factor + 0.5 * log_rest;
        log_rest += log_factor;
      }
      L(i, i) = exp(0.5 * log_rest);
    }
    return L;
  }
  DARBOUX_API void unconstrain(std::string_view name, std::span<const double> by_columns, std::span<double> y) const;
};

inline constexpr Simplex simplex{};
inline constexpr Ordered ordered{};
inline constexpr PositiveOrdered positive_ordered{};
inline constexpr CholeskyCorrelation cholesky_correlation{};

template <class T>
concept ConstraintOfOne = requires(const T& t, double y, double& log_jacobian) {
  { t.constrain(y, log_jacobian) } -> std::convertible_to<double>;
};
template <class T>
concept ConstraintOfMany = requires(const T& t, std::span<const double> y, double& log_jacobian) {
  t.constrain(y, y.size(), log_jacobian);
  { T::free_size(y.size()) } -> std::convertible_to<std::size_t>;
};

/// What all parameters have: a name, and how many numbers they are.
class DARBOUX_API NamedParameter {
 public:
  /// Throws InputError for an empty name, or less than one number.
  NamedParameter(std::string name, Index size);
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// name[1], …
  [[nodiscard]] std::vector<std::string> names_of_entries() const;
  /// name[1,1], name[2,1], …, by columns.
  [[nodiscard]] std::vector<std::string> names_of_matrix() const;

 private:
  std::string name_;
  std::size_t size_;
};

/// One number.
template <ConstraintOfOne Constraint>
class ScalarParameter : public NamedParameter {
 public:
  ScalarParameter(std::string name, Constraint constraint)
      : NamedParameter(std::move(name), 1), constraint_(constraint) {}
  [[nodiscard]] std::size_t free_size() const { return 1; }
  [[nodiscard]] std::vector<std::string> names() const { return {name()}; }
  template <class Number>
  [[nodiscard]] Number constrain(std::span<const Number> y, Number& log_jacobian) const {
    return constraint_.constrain(y[0], log_jacobian);
  }
  void unconstrain(std::span<const double> x, std::span<double> y) const {
    y[0] = constraint_.unconstrain(name(), x[0]);
  }

 private:
  Constraint constraint_;
};

/// Several numbers, each with the same constraint.
template <ConstraintOfOne Constraint>
class VectorParameter : public NamedParameter {
 public:
  VectorParameter(std::string name, Index size, Constraint constraint)
      : NamedParameter(std::move(name), size), constraint_(constraint) {}
  [[nodiscard]] std::size_t free_size() const { return size(); }
  [[nodiscard]] std::vector<std::string> names() const { return names_of_entries(); }
  template <class Number>
  [[nodiscard]] std::vector<Number> constrain(std::span<const Number> y, Number& log_jacobian) const {
    std::vector<Number> x;
    for (const Number& each : y) x.push_back(constraint_.constrain(each, log_jacobian));
    return x;
  }
  void unconstrain(std::span<const double> x, std::span<double> y) const {
    const std::vector<std::string> entries = names();
    for (std::size_t k = 0; k < x.size(); ++k) y[k] = constraint_.unconstrain(entries[k], x[k]);
  }

 private:
  Constraint constraint_;
};

/// Numbers with a constraint that joins them.
template <ConstraintOfMany Constraint>
class JointParameter : public NamedParameter {
 public:
  JointParameter(std::string name, Index size, Constraint constraint)
      : NamedParameter(std::move(name), size), constraint_(constraint) {}
  [[nodiscard]] std::size_t free_size() const { return Constraint::free_size(size()); }
  [[nodiscard]] std::vector<std::string> names() const {
    return std::same_as<Constraint, CholeskyCorrelation> ? names_of_matrix() : names_of_entries();
  }
  template <class Number>
  [[nodiscard]] auto constrain(std::span<const Number> y, Number& log_jacobian) const {
    return constraint_.constrain(y, size(), log_jacobian);
  }
  void unconstrain(std::span<const double> x, std::span<double> y) const { constraint_.unconstrain(name(), x, y); }

 private:
  Constraint constraint_;
};

/// parameter("mu"), parameter("tau", positive), parameter("theta", 8), parameter("sigma", 3, positive), parameter("p", 3, simplex).
[[nodiscard]] inline auto parameter(std::string name) { return ScalarParameter(std::move(name), Unconstrained{}); }
template <ConstraintOfOne Constraint>
[[nodiscard]] auto parameter(std::string name, Constraint constraint) {
  return ScalarParameter<Constraint>(std::move(name), constraint);
}
[[nodiscard]] inline auto parameter(std::string name, Index size) {
  return VectorParameter(std::move(name), size, Unconstrained{});
}
template <ConstraintOfOne Constraint>
[[nodiscard]] auto parameter(std::string name, Index size, Constraint constraint) {
  return VectorParameter<Constraint>(std::move(name), size, constraint);
}
template <ConstraintOfMany Constraint>
[[nodiscard]] auto parameter(std::string name, Index size, Constraint constraint) {
  return JointParameter<Constraint>(std::move(name), size, constraint);
}

/// Throws InputError where two are the same.
DARBOUX_API void require_distinct(std::span<const std::string> names);

/// The parameters of a model, in the order of its log density's arguments. A single one is a number there, several are a
/// std::vector, a matrix is a Square.
template <class... Each>
class Parameters final : public Coordinates {
 public:
  /// Throws InputError where two have the same name.
  explicit Parameters(Each... each) : each_(std::move(each)...) {
    std::apply([](const auto&... one) { require_distinct(std::vector<std::string>{one.name()...}); }, each_);
  }

  [[nodiscard]] Index dim() const override {
    return std::apply([](const auto&... one) { return static_cast<Index>((std::size_t{0} + ... + one.free_size())); },
                      each_);
  }
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> out;
    const auto add = [&](const std::vector<std::string>& more) { out.insert(out.end(), more.begin(), more.end()); };
    std::apply([&](const auto&... one) { (add(one.names()), ...); }, each_);
    return out;
  }
  void constrain(std::span<const double> q, std::span<double> out) const override {
    double log_jacobian = 0.0;
    std::apply([&](const auto&... value) { (write(value, out), ...); }, values(q, log_jacobian));
  }
  void unconstrain(std::span<const double> natural, std::span<double> q) const override {
    const auto one_back = [&](const auto& one) {
      one.unconstrain(take(natural, one.names().size()), take(q, one.free_size()));
    };
    std::apply([&](const auto&... one) { (one_back(one), ...); }, each_);
  }

  /// f at the parameters that q stands for, plus the log determinant.
  template <class F, class Number>
  [[nodiscard]] Number log_density(F& f, std::span<const Number> q) const {
    Number log_jacobian = 0.0;
    const auto at = values(q, log_jacobian);
    return std::apply(f, at) + log_jacobian;
  }

 private:
  /// The first `count` numbers; they are gone from the span.
  template <class Number>
  static std::span<Number> take(std::span<Number>& from, std::size_t count) {
    const std::span<Number> out = from.first(count);
    from = from.subspan(count);
    return out;
  }
  template <class Number>
  [[nodiscard]] auto values(std::span<const Number> q, Number& log_jacobian) const {
    const auto make = [&](const auto&... one) {  // braces: in this order
      return std::tuple<decltype(one.constrain(q, log_jacobian))...>{
          one.constrain(take(q, one.free_size()), log_jacobian)...};
    };
    return std::apply(make, each_);
  }
  static void write(double value, std::span<double>& out) { take(out, 1)[0] = value; }
  static void write(std::span<const double> value, std::span<double>& out) {
    std::copy(value.begin(), value.end(), take(out, value.size()).begin());
  }
  static void write(const Square<double>& value, std::span<double>& out) { write(value.by_columns(), out); }

  std::tuple<Each...> each_;
};

/// A model whose draws report these parameters, from its log density as a function of them; see differentiate.hpp.
template <class... Each, class F>
[[nodiscard]] FunctionModel differentiate(const Parameters<Each...>& parameters, F f,
                                          FunctionModelOptions options = {}) {
  options.coordinates = std::make_shared<const Parameters<Each...>>(parameters);
  const Index dim = parameters.dim();
  return differentiate(
      dim, [parameters, f = std::move(f)](const auto& q) mutable { return parameters.log_density(f, q); },
      std::move(options));
}

}  // namespace darboux
