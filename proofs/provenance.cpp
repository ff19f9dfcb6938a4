#include "provenance.hpp"

#include <ctime>
#include <darboux/version.hpp>
#include <fstream>

#include "core/utc_time.hpp"
#include "draws/machine.hpp"
#include "io/checksum.hpp"

namespace darboux::proofs {

Provenance provenance_here(const Scale& scale) {
  return {.begun = {},
          .date = utc_now(),
          .machine = cpu_class(),
          .processor = processor_model(),
          .compiler = std::string(compiler()),
          .version = std::string(version()),
          .commit = {},
          .program = checksum_of_program(),
          .seed = scale.seed};
}

nlohmann::ordered_json to_json(const Provenance& p) {
  return {{"begun", p.begun},       {"date", p.date},          {"machine", p.machine}, {"processor", p.processor},
          {"compiler", p.compiler}, {"version", p.version},    {"commit", p.commit},   {"program", p.program},
          {"seed", p.seed},         {"cpu_hours", p.cpu_hours}};
}

Provenance provenance_from_json(const nlohmann::ordered_json& json) {
  return {.begun = json.at("begun"),
          .date = json.at("date"),
          .machine = json.at("machine"),
          .processor = json.at("processor"),
          .compiler = json.at("compiler"),
          .version = json.at("version"),
          .commit = json.at("commit"),
          .program = json.at("program"),
          .seed = json.at("seed"),
          .cpu_hours = json.at("cpu_hours")};
}

const std::string& checksum_of_program() {
  static const std::string checksum = checksum_of_file("/proc/self/exe");
  return checksum;
}

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace darboux::proofs
