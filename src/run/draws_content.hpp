#pragma once

#include <string>
#include <vector>

#include "darboux/run/draws.hpp"
#include "darboux/run/sample.hpp"
#include "draws/memory_sink.hpp"
#include "sample/sample_plan.hpp"

namespace darboux {

struct Draws::Content {
  explicit Content(SamplePlan p)
      : plan(std::move(p)), names(plan.model->names()), memory(plan.settings.chains, names.size()) {}

  SamplePlan plan;
  std::vector<std::string> names;
  MemorySink memory;
  SampleResult result{};
};

/// What sample() does once everything is decided.
[[nodiscard]] Draws sample_as_planned(SamplePlan plan, const SampleWatch& watch = {});

}  // namespace darboux
