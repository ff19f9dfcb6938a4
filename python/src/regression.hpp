#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.hpp"
#include "darboux/model/model.hpp"

namespace darboux::python {

/// The model of a table as one that was read from a file: the same, to the last bit. Columns and outcomes are arrays of numbers, NaN
/// where one is missing, or lists of texts, None where one is. References are COLUMN=LEVEL.
std::shared_ptr<Model> logistic(const nanobind::list& columns, const nanobind::object& response,
                                const std::vector<std::string>& names,
                                const nanobind::typed<nanobind::dict, nanobind::str, nanobind::str>& given,
                                const std::vector<std::string>& reference);

/// Arrays that a model keeps beside its draws, by name, and the labels of the last axis of each.
nanobind::typed<nanobind::dict, nanobind::str, nanobind::tuple> kept_data(const Model& model);

}  // namespace darboux::python
