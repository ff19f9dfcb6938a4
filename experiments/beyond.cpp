#include "experiment.hpp"
namespace darboux::experiments {
Experiment beyond_experiment(const Scale&) { return {.name="beyond",.title="b",.cells={},.reduce=[](const Tables&){return Findings{};}}; }
}
