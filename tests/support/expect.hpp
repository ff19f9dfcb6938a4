#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "linalg/dense.hpp"

namespace darboux::testing {

/// ‖a − b‖_F; infinite when the shapes differ.
inline double difference(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return INFINITY;
  return frobenius_norm(a - b);
}

/// What is there, or an exception that fails the test.
template <class T>
T value_of(std::optional<T> maybe) {
  if (!maybe) throw std::logic_error("expected a value, found none");
  return *std::move(maybe);
}

/// The message of the Exception that `action` throws. A failure, and an empty text, if it throws none or something else.
template <class Exception, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

/// Whether a message says all that it should: EXPECT_TRUE(mentions(message, {"E(2,3)", "finite"})).
inline ::testing::AssertionResult mentions(std::string_view message, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (message.find(part) == std::string_view::npos)
      return ::testing::AssertionFailure() << "\"" << message << "\" does not mention \"" << part << "\"";
  return ::testing::AssertionSuccess();
}

}  // namespace darboux::testing
