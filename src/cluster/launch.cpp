#include "cluster/launch.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace darboux {

namespace {

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

struct Variables {
  const char* launcher;
  const char* size;
  const char* rank;
};
constexpr std::array known{Variables{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                           Variables{"mpirun", "PMI_SIZE", "PMI_RANK"},
                           Variables{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

}  // namespace

std::optional<Launch> find_launch() {
  for (const Variables& variables : known)
    if (const auto size = number_in(variables.size), rank = number_in(variables.rank); size && rank && *size > 1)
      return Launch{.launcher = variables.launcher, .rank = *rank, .size = *size};
  return std::nullopt;
}

}  // namespace darboux
