// Stands for the module of an MPI that was built without support for threads.

#include "cluster/mpi_calls.hpp"

extern "C" int darboux_mpi_open_2(DarbouxMpi* mpi) {
  mpi->rank = 0;
  mpi->size = 2;
  mpi->version = "Some MPI 1.0";
  mpi->is_serialized = 0;
  mpi->close = [] {};
  return 0;
}
