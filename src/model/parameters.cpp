#include "darboux/model/parameters.hpp"

#include <fmt/format.h>

#include <set>

#include "checks.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

/// How far sums and lengths that must be 1 may be off: natural values come from files, with a few digits.
constexpr double sum_tolerance = 1e-8;

[[noreturn]] void refuse(std::string_view name, double x, std::string_view rule) {
  throw InputError(fmt::format("{} = {}: must be {}", name, x, rule));
}

std::string entry(std::string_view name, std::size_t k) { return fmt::format("{}[{}]", name, k + 1); }

/// log(x_k − x_{k−1}) from the second on.
void unconstrain_increments(std::string_view name, std::span<const double> x, std::span<double> y) {
  for (std::size_t k = 1; k < x.size(); ++k) {
    if (!(x[k] > x[k - 1]) || !std::isfinite(x[k]))
      refuse(entry(name, k), x[k], fmt::format("above {} and finite", x[k - 1]));
    y[k] = std::log(x[k] - x[k - 1]);
  }
}

}  // namespace

double Unconstrained::unconstrain(std::string_view name, double x) const {
  if (!std::isfinite(x)) refuse(name, x, "finite");
  return x;
}

double LowerBound::unconstrain(std::string_view name, double x) const {
  if (!(x > bound) || !std::isfinite(x)) refuse(name, x, fmt::format("above {} and finite", bound));
  return std::log(x - bound);
}

double UpperBound::unconstrain(std::string_view name, double x) const {
  if (!(x < bound) || !std::isfinite(x)) refuse(name, x, fmt::format("below {} and finite", bound));
  return std::log(bound - x);
}

double Interval::unconstrain(std::string_view name, double x) const {
  if (!(x > low && x < high)) refuse(name, x, fmt::format("between {} and {}", low, high));
  return std::log(x - low) - std::log(high - x);
}

Interval between(double low, double high) {
  check::finite("low", low);
  check::finite("high", high);
  if (!(low < high)) throw InputError(fmt::format("high = {}: must be above low = {}", high, low));
  return {.low = low, .high = high};
}

void Simplex::unconstrain(std::string_view name, std::span<const double> x, std::span<double> y) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!(x[k] > 0.0)) refuse(entry(name, k), x[k], "positive");
    sum += x[k];
  }
  if (!(std::abs(sum - 1.0) <= sum_tolerance)) refuse(fmt::format("the sum of {}", name), sum, "1");
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    double rest = 0.0;  // of the stick, summed anew: no small one is lost in 1 − Σ
    for (std::size_t later = k + 1; later < x.size(); ++later) rest += x[later];
    y[k] = std::log(x[k]) - std::log(rest) + std::log(static_cast<double>(x.size() - 1 - k));
  }
}

void Ordered::unconstrain(std::string_view name, std::span<const double> x, std::span<double> y) const {
  y[0] = Unconstrained{}.unconstrain(entry(name, 0), x[0]);
  unconstrain_increments(name, x, y);
}

void PositiveOrdered::unconstrain(std::string_view name, std::span<const double> x, std::span<double> y) const {
  y[0] = LowerBound{}.unconstrain(entry(name, 0), x[0]);
  unconstrain_increments(name, x, y);
}

void CholeskyCorrelation::unconstrain(std::string_view name, std::span<const double> by_columns,
                                      std::span<double> y) const {
  std::size_t size = 1;
  while (size * size < by_columns.size()) ++size;
  const auto L = [&](std::size_t i, std::size_t j) { return by_columns[i + j * size]; };
  const auto refuse_entry = [&](std::size_t i, std::size_t j, std::string_view rule) {
    refuse(fmt::format("{}[{},{}]", name, i + 1, j + 1), L(i, j), rule);
  };
  std::size_t next = 0;
  for (std::size_t i = 0; i < size; ++i) {
    double squares = 0.0;
    for (std::size_t j = 0; j <= i; ++j) squares += L(i, j) * L(i, j);
    if (!(std::abs(squares - 1.0) <= sum_tolerance))
      refuse(fmt::format("the sum of squares of row {} of {}", i + 1, name), squares, "1");
    if (!(L(i, i) > 0.0)) refuse_entry(i, i, "positive");
    for (std::size_t j = i + 1; j < size; ++j)
      if (L(i, j) != 0.0) refuse_entry(i, j, "0, above the diagonal");
    for (std::size_t j = 0; j < i; ++j, ++next) {
      double rest = 0.0;  // r_ij = Σ_{k ≥ j} L_ik²
      for (std::size_t k = j; k <= i; ++k) rest += L(i, k) * L(i, k);
      y[next] = std::atanh(L(i, j) / std::sqrt(rest));
    }
  }
}

NamedParameter::NamedParameter(std::string name, Index size) : name_(std::move(name)), size_(at(size)) {
  if (name_.empty()) throw InputError("name: must not be empty");
  check::dimension(fmt::format("size of {}", name_), size);
}

std::vector<std::string> NamedParameter::names_of_entries() const {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < size_; ++k) out.push_back(entry(name_, k));
  return out;
}

std::vector<std::string> NamedParameter::names_of_matrix() const {
  std::vector<std::string> out;
  for (std::size_t j = 1; j <= size_; ++j)
    for (std::size_t i = 1; i <= size_; ++i) out.push_back(fmt::format("{}[{},{}]", name_, i, j));
  return out;
}

void require_distinct(std::span<const std::string> names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second)
      throw InputError(fmt::format("parameter {}: is there twice, give one of them another name", name));
}

}  // namespace darboux
