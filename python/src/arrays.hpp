#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "darboux/core/error.hpp"
#include "darboux/linalg/matrix.hpp"

/// Arrays of NumPy, in and out.
namespace darboux::python {

using Floats = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
using FloatMatrix = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// A new array that owns its numbers.
template <class T>
nanobind::ndarray<nanobind::numpy, T> array_of(std::vector<T> numbers, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
  T* const data = kept->data();
  const nanobind::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(data, shape.size(), shape.data(), owner);
}

/// Of anything that NumPy makes a matrix of.
inline Matrix matrix_of(const char* what, const nanobind::object& given) {
  const nanobind::object numpy = nanobind::module_::import_("numpy");
  const auto any = nanobind::cast<Floats>(numpy.attr("ascontiguousarray")(given, "float64"));
  if (any.ndim() != 2) throw InputError(fmt::format("{} has {} dimensions: must have 2", what, any.ndim()));
  const FloatMatrix array(any);
  Matrix matrix(static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)));
  std::copy_n(array.data(), array.size(), matrix.data());
  return matrix;
}

}  // namespace darboux::python
