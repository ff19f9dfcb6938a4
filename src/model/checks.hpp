#pragma once

#include <span>
#include <string_view>

#include "darboux/linalg/matrix.hpp"

/// What the constructors of the built-in models demand of their arguments. Each throws an InputError that names the
/// argument, the value and the rule; entries are numbered from 1.
namespace darboux::check {

void dimension(std::string_view argument, Index value, Index at_least = 1);
void finite(std::string_view argument, double value);
void finite(std::string_view argument, std::span<const double> values);
void finite(std::string_view argument, const Matrix& values);
/// Finite and above zero.
void positive(std::string_view argument, double value);
void positive(std::string_view argument, std::span<const double> values);
void size(std::string_view argument, Index value, Index expected);
void shape(std::string_view argument, const Matrix& value, Index rows, Index cols);
/// Finite, symmetric up to rounding, positive definite.
void positive_definite(std::string_view argument, const Matrix& value);
/// The inverse, exactly symmetric, of a matrix that must be positive definite.
[[nodiscard]] Matrix positive_definite_inverse(std::string_view argument, const Matrix& value);

}  // namespace darboux::check
