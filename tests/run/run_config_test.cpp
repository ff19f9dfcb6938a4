#include "run/run_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace darboux::testing {
namespace {

const Field<RunConfig>& field_called(std::string_view name) {
  const auto& fields = run_fields();
  return *std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
}

/// Every value can be given by its name and reads back as that name, and help lists exactly these.
template <Enumeration E>
void expect_names_of(std::string_view flag) {
  const Field<RunConfig>& field = field_called(flag);
  EXPECT_EQ(field.takes, joined(all_names<E>(), "|"));
  for (const E value : all_values<E>()) {
    RunConfig config;
    field.set(config, name(value));
    EXPECT_EQ(field.get(config), name(value));
  }
}

TEST(RunConfig, FlagsHaveTheNamesOfTheirEnumerations) {
  expect_names_of<IntegratorKind>("integrator");
  expect_names_of<GradientPrecision>("gradient-precision");
  expect_names_of<Metric>("metric");
  expect_names_of<TrajectoryRule>("trajectory");
  expect_names_of<DirectionMode>("direction");
  EXPECT_EQ(field_called("init").takes, joined(all_names<StartMethod>(), "|") + "|FILE");
}

}  // namespace
}  // namespace darboux::testing
