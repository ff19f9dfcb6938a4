#pragma once

#include <optional>
#include <string>

namespace darboux {

/// How a launcher of parallel programs started this process.
struct Launch {
  std::string launcher;  ///< "mpirun" or "srun"
  int rank = 0;          ///< of this process
  int size = 1;          ///< of all that were started together
};

/// As the environment says: of Open MPI, of MPICH and what descends from it, or of a job step of Slurm. None where nobody started
/// several. A batch script of Slurm has variables of the whole job, too; it is one process, and only its steps count.
[[nodiscard]] std::optional<Launch> find_launch();

}  // namespace darboux
