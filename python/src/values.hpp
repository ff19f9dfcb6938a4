#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "darboux/core/value_tree.hpp"

namespace darboux::python {

/// Settings and facts as Python has them: dicts, lists, texts and numbers.
inline nanobind::object object_of(const ValueTree& tree) {
  struct Maker {
    nanobind::object operator()(const ValueTree::Entries& entries) const {
      nanobind::dict out;
      for (const auto& [key, value] : entries) out[key.c_str()] = object_of(value);
      return out;
    }
    nanobind::object operator()(const ValueTree::List& list) const {
      nanobind::list out;
      for (const ValueTree& value : list) out.append(object_of(value));
      return out;
    }
    nanobind::object operator()(const std::string& text) const { return nanobind::str(text.c_str(), text.size()); }
    nanobind::object operator()(bool truth) const { return nanobind::bool_(truth); }
    nanobind::object operator()(double x) const { return nanobind::float_(x); }
    nanobind::object operator()(std::int64_t n) const { return nanobind::int_(n); }
    nanobind::object operator()(std::uint64_t n) const { return nanobind::int_(n); }
  };
  return std::visit(Maker(), tree.value());
}

}  // namespace darboux::python
