#pragma once

#include <string>
#include <vector>

#include "darboux/run/draws.hpp"
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

}  // namespace darboux
