#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.hpp"
#include "darboux/model/model.hpp"

namespace darboux::python {

/// A table as one that was read from a file: the same model, to the last bit. Outcomes are numbers, or texts where there are some.
std::shared_ptr<Model> logistic(const FloatMatrix& features, const Floats& response,
                                const std::vector<std::string>& texts, const std::vector<std::string>& names,
                                const nanobind::typed<nanobind::dict, nanobind::str, nanobind::str>& given);

}  // namespace darboux::python
