#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "report/run_report.hpp"
#include "synthetic_run.hpp"

namespace darboux::testing {

/// Reports of runs that are made up.
class RunReport : public WithRuns {
 protected:
  [[nodiscard]] ReportedRun reported(const std::vector<SyntheticChain>& chains, const std::string& name = "run") const {
    ReportedRun run{.name = name, .input = written(chains), .summary = {}};
    run.summary = summarise_run(run.input);
    return run;
  }
  [[nodiscard]] Report report(const std::vector<SyntheticChain>& chains) const { return run_report(reported(chains)); }
};

inline const ReportSection& section(const Report& report, std::string_view id) {
  for (const ReportSection& s : report.sections)
    if (s.id == id) return s;
  ADD_FAILURE() << "no section " << id;
  static const ReportSection none;
  return none;
}
inline bool has_section(const Report& report, std::string_view id) {
  return std::any_of(report.sections.begin(), report.sections.end(), [&](const auto& s) { return s.id == id; });
}
inline const std::vector<double>& numbers(const Figure& figure, std::string_view name) {
  for (const DataColumn& column : figure.data)
    if (column.name == name) return std::get<0>(column.values);
  ADD_FAILURE() << "no column " << name;
  static const std::vector<double> none;
  return none;
}
inline const std::vector<std::string>& texts(const Figure& figure, std::string_view name) {
  for (const DataColumn& column : figure.data)
    if (column.name == name) return std::get<1>(column.values);
  ADD_FAILURE() << "no column " << name;
  static const std::vector<std::string> none;
  return none;
}

}  // namespace darboux::testing
