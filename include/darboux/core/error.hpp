#pragma once

// What the library throws.

#include <stdexcept>
#include <string>

#include "darboux/core/export.hpp"

namespace darboux {

/// Base of everything the library throws. Numerical trouble of a single chain is not an exception but a Status.
class DARBOUX_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bad input, found before any work is done. The message names the field (or file and line), the value, and the rule.
class DARBOUX_API InputError : public Error {
 public:
  using Error::Error;
};

/// A matrix that is no Poisson structure, or not one for the purpose at hand.
class DARBOUX_API StructureError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace darboux
